package import Keychain

extension KeychainKind {
  /// Another machine's keychain, which ssh forwards to this one.
  public static var forwarded: KeychainKind {
    KeychainKind("forwarded", hasBuiltIn: true, isOfOtherMachine: true)
  }
}

/// Another machine's keychain.
package struct ForwardedKind: KeychainDescriptor {
  package var kind: KeychainKind { .forwarded }

  package func open(
    _ keychain: ListedKeychain, by opener: any KeychainOpener
  ) throws(KeychainError) -> any KeychainStore { try opener.openForwarded() }
}
