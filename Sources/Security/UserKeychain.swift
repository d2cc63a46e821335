import DefaultKeychain
import Foundation
import Keychain
import KeychainChoice

/// The user's keychain: the one that `llavero` itself would use. It is opened at first use, and kept open.
final class UserKeychain: @unchecked Sendable {
  // Unchecked is sound: only `KeychainAccess` has it, and uses it under its lock.

  /// Asks the user for the passphrase of an encrypted file that has one.
  var passphrase: (@Sendable (_ attempt: Int) -> Data?)? {
    didSet { (prompting, silent) = (nil, nil) }
  }

  private var prompting: DefaultKeychain?
  private var silent: DefaultKeychain?

  /// Opens the keychain.
  ///
  /// - Parameter mayPrompt: whether the user may be asked to unlock it.
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
        // A handler that knows only one passphrase would be called forever.
        if attempt > 3 { return nil }
        guard let typed = passphrase(attempt) else { throw .promptDismissed }
        return Secret(copying: typed)
      }
    }
    return try DefaultKeychain(settings)
  }
}
