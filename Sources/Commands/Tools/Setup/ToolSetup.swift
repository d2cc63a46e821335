import EncryptedFile
import Glibc
import Terminals

/// What `llavero setup` does for one tool.
struct ToolSetup: Sendable {
  /// What a person types: the tool's name.
  let name: String
  /// The programs that show that the tool is there.
  let programs: [String]
  /// What changes in the tool's configuration.
  let settings:
    @Sendable (SetupPlace) throws(Failure) -> [(file: ConfigurationFile, formats: [any ConfigurationFormat])]
  /// Links that the tool finds llavero by, besides those along the PATH.
  var links: @Sendable (SetupPlace) throws(Failure) -> [(folder: String, name: String)] = { _ in [] }
  /// Lets the tool itself read the finished file at a path before it takes the place of the former one.
  var check: @Sendable (_ path: String, _ text: [UInt8]) throws(Failure) -> Void = { _, _ in }
  /// Whether `--host` says for which hosts, and the tool would ask for any without.
  var needsHosts = false
  /// What a person does next, to see that it works.
  let next: String
}
