package import Keychain

/// All that has to be told of a kind of keychain, so that every command can use it.
package protocol KeychainDescriptor: Sendable {
  var kind: KeychainKind { get }

  /// The names of the settings that an encrypted file of this kind may have in the list.
  var fileSettings: [String] { get }

  /// Opens a keychain of this kind.
  ///
  /// - Parameter opener: the program's part in it.
  /// - Throws: ``KeychainError`` if it can't be used.
  func open(_ keychain: ListedKeychain, by opener: any KeychainOpener) throws(KeychainError)
    -> any KeychainStore

  /// The built-in keychain that llavero itself serves by an open one, and that is used in its place. Through a service,
  /// every answer would take longer, and the server would be asked for what it asks.
  func served(by keychain: any KeychainStore) -> KeychainKind?
}

extension KeychainDescriptor {
  package var fileSettings: [String] { [] }

  package func served(by keychain: any KeychainStore) -> KeychainKind? { nil }
}
