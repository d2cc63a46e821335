package import Keychain

/// A keychain that logs in to a server.
package protocol ServerKeychain: KeychainStore {
  /// Logs in, even if already logged in. A person may have to sign in with a browser. Returns when the kept token ends,
  /// in seconds since the Unix epoch; `nil` if unknown.
  func logIn() throws(KeychainError) -> Int64?
}

extension OpenBaoKeychain: ServerKeychain {
  package func logIn() throws(KeychainError) -> Int64? { try store.session.logInAnew() }
}
