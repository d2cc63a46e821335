import Keychain
import KeychainChoice

extension KeychainChoiceError {
  /// The error in the form that users of a keychain know.
  var keychainError: KeychainError {
    switch self {
    case .unknownKind: .unavailable(reason: "LLAVERO_KEYCHAIN names no kind of keychain")
    case .unreadableChoice(let path):
      .damaged(path: path, detail: "it does not say which keychain is used")
    case .unusableSetting(let name, _): .unavailable(reason: "\(name) has a value that it can't have")
    case .unknownSession:
      .unavailable(reason: "LLAVERO_SECRET_SERVICE_SESSION is neither encrypted nor plain")
    case .keychain(let error): error
    }
  }
}
