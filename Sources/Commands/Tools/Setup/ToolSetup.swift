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
    @Sendable (SetupPlace) throws(Failure) -> [(file: ConfigurationFile, format: any ConfigurationFormat)]
  /// Links by which the tool finds llavero, besides those on the PATH.
  var links: @Sendable (SetupPlace) throws(Failure) -> [(folder: String, name: String)] = { _ in [] }
  /// Lets the tool itself read the finished file at a temporary path before it is moved into place.
  var check: @Sendable (_ path: String, _ text: [UInt8]) throws(Failure) -> Void = { _, _ in }
  /// The places that may say that something else answers before llavero.
  var earlier: @Sendable (SetupPlace) throws(Failure) -> [EarlierAnswers] = { _ in [] }
  /// The kinds of `llavero import` that bring in what other helpers, which are set beside it, have.
  var offers: @Sendable (SetupPlace) -> [String] = { _ in [] }
  /// The parts of its configuration that are set up one by one, if it has such.
  var parts: Parts?
  /// Why it can't be said what to set up, and how to say it; `nil` if it can.
  var isUnclear: @Sendable (SetupPlace) -> Failure? = { _ in nil }
  /// What the user does next, to see that it works.
  let next: @Sendable (SetupPlace) -> Hint

  /// Parts of a tool's configuration, such as the profiles of aws.
  struct Parts: Sendable {
    /// What one is called, and the option that names it: `profile`.
    let name: String
    /// The one that is meant where none is named.
    let usual: @Sendable (SetupPlace) -> String?
  }
}
