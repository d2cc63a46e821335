package import Keychain

extension KeychainKind {
  /// The encrypted file.
  public static var file: KeychainKind {
    KeychainKind("file", hasBuiltIn: true, canBeListed: true, isFile: true)
  }
}

/// An encrypted file.
package struct FileKind: KeychainDescriptor {
  package var kind: KeychainKind { .file }
  package var fileSettings: [String] { [ListedKeychain.identityOption] }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.openFile(keychain) }
}
