package import Keychain

/// Why it is unknown which keychain to use, or how.
package enum KeychainChoiceError: Error, Hashable, Sendable {
  case unknownName(String)
  /// The file with the search list can't be understood.
  case unreadableList(path: String, KeychainList.Malformed)
  /// The search list can't be changed this way.
  case refusedChange(KeychainList.Fault)
  /// The settings of a listed keychain can't be understood.
  case unusableOption(keychain: String, option: String)
  /// The file that records the choice can't be understood, so nobody knows where the items are.
  case unreadableChoice(path: String)
  /// The chosen keychain is not in the search list any more.
  case unlistedChoice(String)
  /// An environment variable or option has an invalid value.
  case unusableSetting(name: String, SettingFault)
  /// A session is neither `encrypted` nor `plain`.
  case unknownSession
  /// The record of the choice can't be read.
  case keychain(KeychainError)

  /// The value that a setting needs.
  package enum SettingFault: Hashable, Sendable {
    /// A duration such as 90s, 15m, 8h or 2d, from a second to 30 days.
    case noDuration
    /// A number of seconds, from 0.001 to 86,400.
    case noSeconds
    /// A whole number of seconds, from 0 to 86,400.
    case noWholeSeconds
    /// A value of ``UnlockCache/Mode``.
    case noUnlockCacheMode
    case noPromptWord
  }
}
