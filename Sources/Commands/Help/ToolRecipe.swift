/// What to type so that a program logs in from llavero, from the first command to the last: the text of `llavero help
/// NAME`.
///
/// Lines that begin with four spaces are commands, or a file if they follow a paragraph that begins with `In FILE`.
/// The suite `recipes` runs them with the real program.
struct ToolRecipe: Sendable {
  /// The program's name, as people type it.
  let name: String
  let text: String

  /// - Parameter body: the text without its heading.
  init(name: String, body: String) {
    self.name = name
    let heading = name == "tofu" ? "opentofu" : name
    text = "\(heading.uppercased())\n\n\(body)\n"
  }

  /// The recipe for a program, or for the tool of this name.
  static func named(_ name: String) -> ToolRecipe? {
    let all = KnownTool.all.flatMap(\.recipes)
    return all.first { $0.name == name } ?? KnownTool.all.first { $0.name == name }?.recipes.first
  }
}
