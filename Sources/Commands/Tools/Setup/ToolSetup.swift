import EncryptedFile
import Glibc
import Terminals

/// The setup that `llavero setup` does for one tool.
struct ToolSetup: Sendable {
  /// The tool's name, as people type it.
  let name: String
  /// The programs whose presence shows that the tool is installed.
  let programs: [String]
  /// The settings to make in the tool's configuration.
  let settings:
    @Sendable (SetupPlace) throws(Failure) -> [(file: ConfigurationFile, formats: [any ConfigurationFormat])]
  /// Links by which the tool finds llavero, besides those on the PATH.
  var links: @Sendable (SetupPlace) throws(Failure) -> [(folder: String, name: String)] = { _ in [] }
  /// Lets the tool itself read the finished file at a temporary path before it is moved into place.
  var check: @Sendable (_ path: String, _ text: [UInt8]) throws(Failure) -> Void = { _, _ in }
  /// The places that may say that something else answers before llavero.
  var earlier: @Sendable (SetupPlace) throws(Failure) -> [EarlierAnswers] = { _ in [] }
  /// The kinds of `llavero import` that bring in what other helpers, which are set beside it, have.
  var offers: @Sendable (SetupPlace) -> [String] = { _ in [] }
  /// Whether `--host` selects the hosts, and the tool would ask for every host without it.
  var needsHosts = false
  /// What the user does next, to see that it works.
  let next: @Sendable (SetupPlace) -> Hint
}
