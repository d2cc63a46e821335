/// The executables that are this program, each a file of its own.
package enum Executables {
  /// What a person types.
  package static let people = "llavero"
  /// What tools call: links lead to it.
  package static let tools = "llavero-credential"

  /// The names of all of them.
  package static let all = [people, tools, SecretServiceProgram.name]
}
