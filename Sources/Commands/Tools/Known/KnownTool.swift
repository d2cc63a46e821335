import Interchange
import Terminals

/// A tool that logs in from llavero: the protocol that it speaks, how it is set up, what brings the logins that it had
/// before, and where all of that is described. Each has a file beside this one, and a line in ``all``.
struct KnownTool: Sendable {
  /// What a person calls it, and types after `llavero setup`.
  let name: String
  /// Its protocol, by the operand that `llavero` takes for it.
  let speaks: String
  /// The kinds of `llavero import` that bring what it kept before, itself or by other helpers.
  let imports: [String]
  /// Its manual page.
  let page: String
  /// How it is set up; `nil` where that is done by hand, as the page says.
  let setup: ToolSetup?

  /// One that `llavero setup` knows.
  init(_ setup: ToolSetup, speaks: String, imports: [String] = [], page: String) {
    (self.name, self.speaks, self.imports, self.page) = (setup.name, speaks, imports, page)
    self.setup = setup
  }

  /// One that is set up by hand.
  init(name: String, speaks: String, imports: [String] = [], page: String) {
    (self.name, self.speaks, self.imports, self.page) = (name, speaks, imports, page)
    setup = nil
  }

  /// All of them, in the order in which they are shown.
  static let all: [KnownTool] = [
    .git, .docker, .podman, .cargo, .python, .aws, .terraform, .opentofu, .go, .bazel, .ssh, .wget, .kubectl,
    .ansible, .summon, .netrc,
  ]
}

extension ToolSetup {
  /// Every tool that can be set up, in the order in which they are shown.
  static let all = KnownTool.all.compactMap(\.setup)

  /// How the tool is set up that a person calls so, or whose protocol has that name; `nil` if there is none.
  static func named(_ name: String) -> ToolSetup? {
    let tools = KnownTool.all.filter { $0.setup != nil }
    return (tools.first { $0.name == name } ?? tools.first { $0.speaks == name })?.setup
  }
}
