import Foundation
package import Keychain
import SecurityCodes

/// Where the functions find the keychain, one call at a time.
package enum KeychainAccess {
  /// A keychain, and what persistent references call it.
  struct Opened {
    let store: any KeychainStore
    let name: String
  }

  /// Opens a keychain. The argument says whether somebody may be asked to unlock it.
  package typealias Opening = (_ mayPrompt: Bool) throws(KeychainError) -> any KeychainStore

  // Unchecked is sound: it is only called while `lock` is held.
  private struct Substitute: @unchecked Sendable {
    let open: Opening
  }

  private static let lock = NSLock()
  private static let userKeychain = UserKeychain()
  @TaskLocal private static var substitute: Substitute?

  /// Runs `body` on the keychain while no other thread does anything with it.
  ///
  /// - Parameter mayPrompt: whether somebody may be asked to unlock it.
  /// - Returns: what `body` returns, or the status of what it throws, or of why the keychain can't be opened.
  static func perform(
    mayPrompt: Bool, _ body: (Opened) throws(KeychainError) -> OSStatus
  ) -> OSStatus {
    lock.lock()
    defer { lock.unlock() }
    do throws(KeychainError) {
      if let substitute {
        return try body(Opened(store: try substitute.open(mayPrompt), name: "substitute"))
      }
      return try body(try userKeychain.open(mayPrompt: mayPrompt))
    } catch {
      return SecurityStatus(error).rawValue
    }
  }

  /// Sets what asks for a passphrase from now on.
  static func setPassphraseHandler(_ handler: (@Sendable (_ attempt: Int) -> Data?)?) {
    lock.lock()
    defer { lock.unlock() }
    userKeychain.passphrase = handler
  }

  /// Lets the functions use another keychain than the user's while `body` runs, in this task: for tests.
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
