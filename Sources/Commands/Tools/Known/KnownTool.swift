import Interchange
import Terminals

/// A tool that logs in from llavero: its protocol, its setup, the sources of the logins it had before, its manual page,
/// and what to type. Each tool has a file beside this one, and an entry in ``all``. A tool with a protocol of its own has
/// an entry in ``Tool/all`` as well.
struct KnownTool: Sendable {
  /// The name that people know, and type after `llavero setup`.
  let name: String
  /// The protocol, by the operand that selects it in `llavero`; `nil` if it gets its secrets from `llavero run` and the like.
  let speaks: String?
  /// The kinds of `llavero import` that bring the logins it kept before; setup offers those that have any.
  let imports: [String]
  /// The manual page.
  let page: String
  /// The setup; `nil` if it is done by hand, as the page describes.
  let setup: ToolSetup?
  /// What to type, for each of its programs.
  let recipes: [ToolRecipe]

  /// Makes a tool that `llavero setup` can set up.
  init(
    _ setup: ToolSetup, speaks: String? = nil, imports: [String] = [], page: String,
    recipes: [ToolRecipe] = []
  ) {
    (self.name, self.speaks, self.imports, self.page) = (setup.name, speaks, imports, page)
    (self.setup, self.recipes) = (setup, recipes)
  }

  /// Makes a tool that is set up by hand.
  init(
    name: String, speaks: String? = nil, imports: [String] = [], page: String, recipes: [ToolRecipe]
  ) {
    (self.name, self.speaks, self.imports, self.page) = (name, speaks, imports, page)
    (setup, self.recipes) = (nil, recipes)
  }

  /// All tools, in the order in which they are shown.
  static let all: [KnownTool] = [
    .git, .docker, .podman, .cargo, .python, .aws, .terraform, .opentofu, .go, .bazel, .kubectl, .ssh, .wget,
    .ansible, .pnpm, .summon, .npm, .maven, .gradle, .composer, .nuget, .rclone, .psql, .mysql, .restic,
    .borg,
    .msmtp, .mbsync, .netrc,
  ]
}

extension ToolSetup {
  /// All tools that can be set up, in the order in which they are shown.
  static let all = KnownTool.all.compactMap(\.setup)

  /// The setup of the tool with this name, or of the one whose protocol has it, or that has a program or a recipe of that
  /// name, as `pip` is Python's; `nil` if there is none.
  static func named(_ name: String) -> ToolSetup? {
    if name == secretService.name { return secretService }
    let tools = KnownTool.all.filter { $0.setup != nil }
    let tool =
      tools.first { $0.name == name } ?? tools.first { $0.speaks == name }
      ?? tools.first { $0.setup?.programs.contains(name) ?? false }
      ?? tools.first { $0.recipes.contains { $0.name == name } }
    return tool?.setup
  }
}
