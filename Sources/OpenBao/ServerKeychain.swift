package import Keychain

/// A keychain that logs in to a server.
package protocol ServerKeychain: KeychainStore {
  /// Logs in, also if somebody has already. A person may have to sign in with a browser.
  ///
  /// - Returns: when the token ends that was kept, in seconds since the Unix epoch; `nil` if that isn't known.
  /// - Throws: ``KeychainError``
  func logIn() throws(KeychainError) -> Int64?
}

extension OpenBaoKeychain: ServerKeychain {
  package func logIn() throws(KeychainError) -> Int64? { try store.session.logInAnew() }
}
