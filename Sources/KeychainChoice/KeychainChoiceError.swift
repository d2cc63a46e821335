package import Keychain

/// Why it can't be told which keychain is used, or how.
package enum KeychainChoiceError: Error, Hashable, Sendable {
  /// There is no kind of keychain of this name.
  case unknownKind(String)
  /// The file that says which keychain was chosen can't be understood: nobody knows where the items are.
  case unreadableChoice(path: String)
  /// A variable of the environment, or an option, has a value that it can't have.
  case unusableSetting(name: String, SettingFault)
  /// A session is neither `encrypted` nor `plain`.
  case unknownSession
  /// What the choice is read from can't be read.
  case keychain(KeychainError)

  /// What a setting has to be.
  package enum SettingFault: Hashable, Sendable {
    /// A time such as 90s, 15m, 8h or 2d, from a second to 30 days.
    case noDuration
    /// A number of seconds, from 0.001 to 86,400.
    case noSeconds
    /// A whole number of seconds, from 0 to 86,400.
    case noWholeSeconds
    /// One of ``UnlockCache/Mode``.
    case noUnlockCacheMode
  }
}
