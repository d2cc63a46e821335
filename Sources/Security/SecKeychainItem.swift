import Keychain

/// A reference to an item of the keychain, as `kSecReturnRef` returns and `kSecValueRef` takes it.
public final class SecKeychainItem: Sendable {
  let persistentReference: PersistentReference

  init(_ persistentReference: PersistentReference) {
    self.persistentReference = persistentReference
  }
}

/// A reference to an item, by the name that it has in C.
public typealias SecKeychainItemRef = SecKeychainItem
