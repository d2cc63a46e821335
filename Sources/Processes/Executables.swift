/// llavero's executables, each a file of its own.
package enum Executables {
  /// The program that people type.
  package static let people = "llavero"
  /// The program that tools call through links.
  package static let tools = "llavero-credential"

  /// The names of all executables.
  package static let all = [people, tools, SecretServiceProgram.name]
}
