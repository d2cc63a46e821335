import Foundation
package import Keychain

/// Gives the functions access to the keychain, one call at a time.
package enum KeychainAccess {
  /// A keychain, and its name in persistent references.
  struct Opened {
    let store: any KeychainStore
    let name: String
  }

  /// Opens a keychain. The argument says whether the user may be asked to unlock it.
  package typealias Opening = (_ mayPrompt: Bool) throws(KeychainError) -> any KeychainStore

  /// The name of a substitute, which is the only keychain there is then.
  static let substituteName = "substitute"

  // Unchecked is sound: it is only called while `lock` is held.
  private struct Substitute: @unchecked Sendable {
    let open: Opening
  }

  private static let lock = NSLock()
  private static let userKeychain = UserKeychain()
  @TaskLocal private static var substitute: Substitute?

  /// Runs `body` on the keychain while no other thread uses it.
  ///
  /// - Parameters:
  ///   - name: the name of the keychain to use alone; `nil` for those that `llavero` itself would use.
  ///   - mayPrompt: whether the user may be asked to unlock it.
  /// - Returns: the result of `body`, or the status for the error that it throws, or that keeps the keychain from being
  ///   opened.
  static func perform(
    on name: String? = nil, mayPrompt: Bool, _ body: (Opened) throws(KeychainError) -> OSStatus
  ) -> OSStatus {
    lock.lock()
    defer { lock.unlock() }
    do throws(KeychainError) {
      if let substitute {
        if let name, name != substituteName { throw .noKeychain(name) }
        return try body(Opened(store: try substitute.open(mayPrompt), name: substituteName))
      }
      return try body(try userKeychain.open(name, mayPrompt: mayPrompt))
    } catch {
      return SecurityStatus(error).rawValue
    }
  }

  /// Sets the function that asks for a passphrase from now on.
  static func setPassphraseHandler(_ handler: (@Sendable (_ attempt: Int) -> Data?)?) {
    lock.lock()
    defer { lock.unlock() }
    userKeychain.passphrase = handler
  }

  /// Lets the functions use a keychain other than the user's while `body` runs, in this task. For tests.
  package static func withKeychain<Success, Failure: Error>(
    _ open: @escaping Opening, perform body: () throws(Failure) -> Success
  ) throws(Failure) -> Success {
    let result = $substitute.withValue(Substitute(open: open)) { () -> Result<Success, Failure> in
      do throws(Failure) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
