package import Keychain

extension KeychainKind {
  /// An encrypted file that several people or machines share through a git repository.
  public static var git: KeychainKind {
    KeychainKind("git", canBeListed: true, isShared: true, isFile: true)
  }
}

/// An encrypted file that is shared through git.
package struct GitKind: KeychainDescriptor {
  package var kind: KeychainKind { .git }
  package var fileSettings: [String] {
    [ListedKeychain.identityOption, ListedKeychain.branchOption, ListedKeychain.labelOption]
  }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.openFile(keychain) }
}
