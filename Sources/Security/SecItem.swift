/// Adds an item to the keychain.
///
/// - Parameters:
///   - attributes: the item's class, attributes and secret, and what is to be returned of it.
///   - result: where what `kSecReturn…` asks for is put.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` if there is an item with this primary key.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  errSecUnimplemented
}

/// Finds items and returns what `kSecReturn…` asks for: of the first one, or of as many as `kSecMatchLimit` says.
///
/// - Parameters:
///   - query: the items' class and the attributes that they have to have.
///   - result: where what `kSecReturn…` asks for is put; an array if the limit is more than one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches.
@discardableResult
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  errSecUnimplemented
}

/// Changes every item that matches, or none.
///
/// - Parameters:
///   - query: the items' class and the attributes that they have to have.
///   - attributesToUpdate: the attributes that they get, and their secret.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; `errSecDuplicateItem` if there is
///   another item with the new primary key.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  errSecUnimplemented
}

/// Deletes every item that matches.
///
/// - Parameter query: the items' class and the attributes that they have to have.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  errSecUnimplemented
}
