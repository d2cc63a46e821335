import DefaultKeychain
import Foundation
import Keychain
import KeychainChoice

/// The user's keychain: the one that `llavero` itself would use. Opened at first use, and kept.
final class UserKeychain: @unchecked Sendable {
  // Unchecked is sound: `KeychainAccess` alone has it, and holds its lock whenever it uses it.

  /// Asks a person for the passphrase of an encrypted file that has one.
  var passphrase: (@Sendable (_ attempt: Int) -> Data?)? {
    didSet { (prompting, silent) = (nil, nil) }
  }

  private var prompting: DefaultKeychain?
  private var silent: DefaultKeychain?

  /// The keychain.
  ///
  /// - Parameter mayPrompt: whether somebody may be asked to unlock it.
  func open(mayPrompt: Bool) throws(KeychainError) -> KeychainAccess.Opened {
    let keychain: DefaultKeychain
    if let opened = mayPrompt ? prompting : silent {
      keychain = opened
    } else {
      keychain = try make(mayPrompt)
    }
    if mayPrompt { prompting = keychain } else { silent = keychain }
    return KeychainAccess.Opened(store: keychain, name: try keychain.choice().kind.rawValue)
  }

  private func make(_ mayPrompt: Bool) throws(KeychainError) -> DefaultKeychain {
    var settings = DefaultKeychain.Settings(mayPrompt: mayPrompt)
    if let passphrase {
      settings.passphrase = { attempt throws(KeychainError) in
        // A handler that knows but one passphrase would be asked without end.
        if attempt > 3 { return nil }
        guard let typed = passphrase(attempt) else { throw .promptDismissed }
        return Secret(copying: typed)
      }
    }
    return try DefaultKeychain(settings)
  }
}
