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

extension KeychainKind {
  /// Kinds besides those of this file. A program sets it before anything else runs.
  nonisolated(unsafe) package static var further: [any KeychainDescriptor] = []

  package var descriptor: any KeychainDescriptor {
    switch rawValue {
    case KeychainKind.file.rawValue: return FileKind()
    case KeychainKind.git.rawValue: return GitKind()
    case KeychainKind.secretService.rawValue: return SecretServiceKind()
    case KeychainKind.forwarded.rawValue: return ForwardedKind()
    case KeychainKind.openBao.rawValue: return OpenBaoKind()
    default:
      guard let descriptor = Self.further.first(where: { $0.kind == self }) else {
        preconditionFailure("a kind is known before it is named")
      }
      return descriptor
    }
  }
}

/// An encrypted file.
package struct FileKind: KeychainDescriptor {
  package var kind: KeychainKind { .file }
  package var fileSettings: [String] { [ListedKeychain.identityOption] }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.file(keychain) }
}

/// An encrypted file that is shared through git.
package struct GitKind: KeychainDescriptor {
  package var kind: KeychainKind { .git }
  package var fileSettings: [String] {
    [ListedKeychain.identityOption, ListedKeychain.branchOption, ListedKeychain.labelOption]
  }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.file(keychain) }
}

/// The desktop's keychain.
package struct SecretServiceKind: KeychainDescriptor {
  package var kind: KeychainKind { .secretService }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.desktop() }

  package func served(by keychain: any KeychainStore) -> KeychainKind? {
    guard let keychain = keychain as? any DesktopKeychain, keychain.isOwn else { return nil }
    return keychain.servesForwarded ? .forwarded : .file
  }
}

/// Another machine's keychain.
package struct ForwardedKind: KeychainDescriptor {
  package var kind: KeychainKind { .forwarded }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.forwarded() }
}

/// A keychain in OpenBao or HashiCorp Vault.
package struct OpenBaoKind: KeychainDescriptor {
  package var kind: KeychainKind { .openBao }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.remote(keychain) }
}
