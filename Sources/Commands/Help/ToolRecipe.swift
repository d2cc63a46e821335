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

  /// The recipe for a program, or the first of its tool. A program whose protocol llavero speaks under its name has
  /// only that one's usage.
  static func named(_ name: String) -> ToolRecipe? {
    guard let tool = KnownTool.named(name) else { return nil }
    if let own = tool.recipes.first(where: { $0.name == name }) { return own }
    return tool.speaks == name && tool.name != name ? nil : tool.recipes.first
  }
}
