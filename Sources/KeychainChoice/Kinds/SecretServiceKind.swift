package import Keychain

extension KeychainKind {
  /// The desktop's Secret Service.
  public static var secretService: KeychainKind {
    KeychainKind("secret-service", hasBuiltIn: true, needsCompanion: true)
  }
}

/// The desktop's keychain.
package struct SecretServiceKind: KeychainDescriptor {
  package var kind: KeychainKind { .secretService }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.openSecretService() }

  package func served(by keychain: any KeychainStore) -> KeychainKind? {
    guard let keychain = keychain as? any DesktopKeychain, keychain.isOwn else { return nil }
    return keychain.servesForwarded ? .forwarded : .file
  }
}
