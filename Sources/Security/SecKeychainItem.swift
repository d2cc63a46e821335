import Keychain

/// A reference to an item of the keychain, as `kSecReturnRef` returns and `kSecValueRef` takes it.
public final class SecKeychainItem: Sendable {
  let persistentReference: PersistentReference

  init(_ persistentReference: PersistentReference) {
    self.persistentReference = persistentReference
  }
}

/// A reference to an item, by its name in C.
public typealias SecKeychainItemRef = SecKeychainItem
