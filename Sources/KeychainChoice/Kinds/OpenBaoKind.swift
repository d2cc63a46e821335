package import Keychain

extension KeychainKind {
  /// A keychain in OpenBao or HashiCorp Vault.
  public static var openBao: KeychainKind { KeychainKind("openbao", canBeListed: true, isShared: true) }
}

/// A keychain in OpenBao or HashiCorp Vault.
package struct OpenBaoKind: KeychainDescriptor {
  package var kind: KeychainKind { .openBao }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.openRemote(keychain) }
}
