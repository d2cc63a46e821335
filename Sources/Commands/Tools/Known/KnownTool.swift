import Interchange
import Terminals

/// A tool that logs in from llavero: its protocol, its setup, the sources of the logins it had before, and its manual
/// page. Each tool has a file beside this one, and an entry in ``all``. A tool with a protocol of its own has an
/// entry in ``Tool/all`` as well.
struct KnownTool: Sendable {
  /// The name that people know, and type after `llavero setup`.
  let name: String
  /// The protocol, by the operand that selects it in `llavero`.
  let speaks: String
  /// The kinds of `llavero import` that bring the logins it kept before, itself or through other helpers.
  let imports: [String]
  /// The manual page.
  let page: String
  /// The setup; `nil` if it is done by hand, as the page describes.
  let setup: ToolSetup?

  /// Makes a tool that `llavero setup` can set up.
  init(_ setup: ToolSetup, speaks: String, imports: [String] = [], page: String) {
    (self.name, self.speaks, self.imports, self.page) = (setup.name, speaks, imports, page)
    self.setup = setup
  }

  /// Makes a tool that is set up by hand.
  init(name: String, speaks: String, imports: [String] = [], page: String) {
    (self.name, self.speaks, self.imports, self.page) = (name, speaks, imports, page)
    setup = nil
  }

  /// All tools, in the order in which they are shown.
  static let all: [KnownTool] = [
    .git, .docker, .podman, .cargo, .python, .aws, .terraform, .opentofu, .go, .bazel, .ssh, .wget, .kubectl,
    .ansible, .summon, .netrc,
  ]
}

extension ToolSetup {
  /// All tools that can be set up, in the order in which they are shown.
  static let all = KnownTool.all.compactMap(\.setup)

  /// The setup of the tool with this name, or of the one whose protocol has it, or that has a program of that name, as
  /// `pip` is Python's; `nil` if there is none.
  static func named(_ name: String) -> ToolSetup? {
    if name == secretService.name { return secretService }
    let tools = KnownTool.all.filter { $0.setup != nil }
    let tool =
      tools.first { $0.name == name } ?? tools.first { $0.speaks == name }
      ?? tools.first { $0.setup?.programs.contains(name) ?? false }
    return tool?.setup
  }
}
