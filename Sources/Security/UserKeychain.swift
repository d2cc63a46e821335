import DefaultKeychain
import Foundation
import Keychain
import KeychainChoice

/// The user's keychain: the one that `llavero` itself would use. It is opened at first use, and kept open.
final class UserKeychain: @unchecked Sendable {
  // Unchecked is sound: only `KeychainAccess` has it, and uses it under its lock.

  /// Asks the user for the passphrase of an encrypted file that has one.
  var passphrase: (@Sendable (_ attempt: Int) -> Data?)? {
    didSet { opened = [:] }
  }

  /// Those that were opened.
  private var opened: [Way: DefaultKeychain] = [:]

  private struct Way: Hashable {
    let name: String?
    let mayPrompt: Bool
  }

  /// Opens the keychain.
  ///
  /// - Parameters:
  ///   - name: the name of the one to use alone; `nil` for those that `llavero` itself would use.
  ///   - mayPrompt: whether the user may be asked to unlock it.
  func open(_ name: String?, mayPrompt: Bool) throws(KeychainError) -> KeychainAccess.Opened {
    let way = Way(name: name, mayPrompt: mayPrompt)
    let keychain: DefaultKeychain
    if let known = opened[way] { keychain = known } else { keychain = try make(way) }
    opened[way] = keychain
    return KeychainAccess.Opened(store: keychain, name: try keychain.choice().name)
  }

  private func make(_ way: Way) throws(KeychainError) -> DefaultKeychain {
    var settings = DefaultKeychain.Settings(mayPrompt: way.mayPrompt)
    settings.keychain = way.name
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
