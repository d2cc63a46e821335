import EncryptedFile
import Glibc
import Keychain
import ToolCommands

struct ToolSetup: Sendable {
  /// As people type it.
  let name: String
  /// Any of them shows that the tool is installed.
  let programs: [String]
  let settings: @Sendable (SetupPlace) throws(KeychainError) -> [ToolSetting]
  /// Links by which the tool finds llavero, besides those on the PATH.
  var links: @Sendable (SetupPlace) throws(KeychainError) -> [(folder: String, name: String)] = { _ in [] }
  /// Lets the tool itself read the finished file at a temporary path before it is moved into place.
  var check: @Sendable (_ path: String, _ text: [UInt8]) throws(KeychainError) -> Void = { _, _ in }
  /// The places that may let something else answer before llavero.
  var earlier: @Sendable (SetupPlace) throws(KeychainError) -> [EarlierAnswers] = { _ in [] }
  /// What the tool asks now, and won't ask with this text at the end of its configuration: for people, without secrets.
  var silenced: @Sendable (SetupPlace, _ added: [UInt8]) -> [String] = { _, _ in [] }
  /// The kinds of `llavero import` for the logins of other helpers set beside it.
  var offers: @Sendable (SetupPlace) -> [String] = { _ in [] }
  /// What is set up, if that isn't all that the tool asks for: `for sudo's password`.
  var purpose: String?
  /// What is so once it is set up: a sentence in lowercase without a full stop; `nil` for the usual one.
  var result: String?
  /// The sessions in which alone its settings count, `in a desktop's sessions`; `nil` if those are all, or this one.
  var reach: @Sendable (SetupPlace) -> String? = { _ in nil }
  /// The tool's programs and recipes that it does nothing for.
  var byHand: [String] = []
  /// What is set up with it; `nil` if it is alone.
  var together: String?
  /// The servers that the tool knows in its files, and has no login for without llavero.
  var serversWithoutLogin: @Sendable (SetupPlace) -> [String] = { _ in [] }
  /// What the tool lacks once it doesn't ask llavero any more, in lowercase without a full stop, and what to type; `nil`
  /// if nothing is known.
  var lack: @Sendable (SetupPlace) -> (sentence: String, remedy: Hint)? = { _ in nil }
  /// The parts of its configuration that are set up one by one.
  var parts: Parts?
  /// Why the target of the setup is unclear, and how to name it; `nil` if it is clear.
  var isUnclear: @Sendable (SetupPlace) -> KeychainError? = { _ in nil }
  /// The user's next step, to see that it works.
  let next: @Sendable (SetupPlace) -> Hint

  /// The same for tools that take the login that git has for a host.
  static let nextIsLogin: @Sendable (SetupPlace) -> Hint = { _ in
    "store a login with 'llavero add https://HOST --account NAME', unless git has one there"
  }

  /// Parts of a tool's configuration, such as the profiles of aws.
  struct Parts: Sendable {
    /// The name of a part's kind, and of the option for it: `profile`.
    let name: String
    /// The part if none is named.
    let usual: @Sendable (SetupPlace) -> String?
  }
}

/// A file of a tool's configuration, and the settings for llavero in it.
struct ToolSetting {
  let file: ConfigurationFile
  let format: any ConfigurationFormat

  init(_ file: ConfigurationFile, _ format: any ConfigurationFormat) {
    (self.file, self.format) = (file, format)
  }

  init(_ path: String, _ format: any ConfigurationFormat) {
    self.init(ConfigurationFile(path: path), format)
  }
}
