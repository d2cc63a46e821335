import Keychain
import KeychainChoice

extension KeychainChoiceError {
  /// The error in the form that users of a keychain know.
  var keychainError: KeychainError {
    switch self {
    case .unknownName(let name): .noKeychain(name)
    case .unreadableList(let path, let malformed):
      .damaged(path: path, detail: "its line \(malformed.line) can't be understood")
    case .refusedChange: .unavailable(reason: "the search list can't be changed in this way")
    case .unusableOption(let keychain, let option):
      .unavailable(reason: "the option '\(option)' of the keychain \(keychain) can't be understood")
    case .unreadableChoice(let path):
      .damaged(path: path, detail: "it does not say which keychain is used")
    case .unlistedChoice(let name):
      .unavailable(reason: "the keychain \(name) was chosen, and is not in the list")
    case .unusableSetting(let name, _): .unavailable(reason: "\(name) has a value that it can't have")
    case .unknownSession:
      .unavailable(reason: "LLAVERO_SECRET_SERVICE_SESSION is neither encrypted nor plain")
    case .keychain(let error): error
    }
  }
}
