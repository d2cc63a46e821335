/// What to type so that a program logs in from llavero, from the first command to the last: `llavero help NAME` prints it.
///
/// Lines that begin with four spaces are commands, or, below a paragraph that begins with `In FILE`, that file. The suite
/// `recipes` takes them from there, and does what they say with the real program.
struct ToolRecipe: Sendable {
  /// The name of the program, as people type it.
  let name: String
  let text: String

  /// The recipe for a program, or for the tool that has this name; `nil` if there is none.
  static func named(_ name: String) -> ToolRecipe? {
    let all = KnownTool.all.flatMap(\.recipes)
    return all.first { $0.name == name } ?? KnownTool.all.first { $0.name == name }?.recipes.first
  }
}
