import Interchange
import ToolCommands

/// A tool that logs in from llavero: its protocol, its setup, the sources of its former logins, its manual page, and
/// its recipes. Each tool that is set up has a file beside this one, and an entry in ``all``; the others are in
/// ``byHand``. A tool with a protocol of its own also has an entry in ``Tool/all``.
struct KnownTool: Sendable {
  /// As people type it after `llavero setup`.
  let name: String
  /// The protocol, by the operand that selects it in `llavero`; `nil` for secrets from `llavero run` and the like.
  let speaks: String?
  /// The kinds of `llavero import` for its former logins; setup offers those that have any.
  let imports: [String]
  let page: String
  /// The names of its programs, which people may ask about in place of the tool's.
  let programs: [String]
  /// `nil` if it is done by hand, as the page describes.
  let setup: ToolSetup?
  /// One for each of its programs.
  let recipes: [ToolRecipe]

  /// - Parameter recipes: the text of each, without its heading, by the program's name.
  init(
    _ setup: ToolSetup, speaks: String? = nil, imports: [String] = [], page: String,
    recipes: KeyValuePairs<String, String>
  ) {
    self.init(
      name: setup.name, setup, speaks: speaks, imports: imports, page: page, recipes: recipes)
  }

  init(
    name: String, _ setup: ToolSetup? = nil, speaks: String? = nil, imports: [String] = [], page: String,
    programs: [String] = [], recipes: KeyValuePairs<String, String>
  ) {
    self.programs = setup?.programs ?? programs
    (self.name, self.setup, self.speaks, self.imports, self.page) = (name, setup, speaks, imports, page)
    self.recipes = recipes.map { ToolRecipe(name: $0.key, body: $0.value) }
  }

  /// In the order in which they are shown.
  static let all: [KnownTool] =
    [
      .git, .docker, .podman, .cargo, .python, .aws, .terraform, .opentofu, .go, .bazel, .kubectl, .ssh,
      .wget,
      .ansible, .pnpm,
    ] + byHand

  /// The tool with such a recipe, of this name, or with such a program.
  static func named(_ name: String) -> KnownTool? {
    all.first { $0.recipes.contains { $0.name == name } } ?? all.first { $0.name == name }
      ?? all.first { $0.programs.contains(name) }
  }
}

extension ToolSetup {
  static let all = KnownTool.all.compactMap(\.setup)

  /// The setup of the tool with this name, or of the one with such a protocol, program or recipe, as `pip` is
  /// Python's.
  static func named(_ name: String) -> ToolSetup? {
    names.first { $0.name == name }?.setup
  }

  /// Every name that ``named(_:)`` knows, once. Those of the tools themselves come first.
  static let names: [(name: String, setup: ToolSetup)] = {
    var names = (all + [secretService]).map { (name: $0.name, setup: $0) }
    let kinds: [(KnownTool) -> [String]] = [
      { [$0.speaks].compactMap(\.self) }, \.programs, { $0.recipes.map(\.name) },
    ]
    for others in kinds {
      for tool in KnownTool.all {
        guard let setup = tool.setup else { continue }
        for name in others(tool)
        where !setup.byHand.contains(name) && !names.contains(where: { $0.name == name }) {
          names.append((name, setup))
        }
      }
    }
    return names
  }()
}
