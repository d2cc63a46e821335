import Keychain

/// Adds an item to the keychain.
///
/// The secret is passed as `Data`, which can't be wiped. Between caller and keychain it is a `Secret`, which is wiped.
///
/// - Parameters:
///   - attributes: the item's class, attributes and secret, and which values to return.
///   - result: receives the values that `kSecReturn…` asks for.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` if an item with this primary key exists; otherwise an error.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status { () throws(StatusError) in
    let request = try ItemRequest(attributes, for: .add)
    if !request.returns.isEmpty, result == nil { throw StatusError(errSecParam) }
    return try request.add(result)
  }
}

/// Finds items and returns the values that `kSecReturn…` asks for, of the first item or of up to `kSecMatchLimit`
/// items.
///
/// - Parameters:
///   - query: the class of the items and the attributes they must have.
///   - result: receives the values that `kSecReturn…` asks for; an array if the limit is more than one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; otherwise an error.
@discardableResult
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  status { () throws(StatusError) in
    let request = try ItemRequest(query, for: .search)
    if !request.returns.isEmpty, result == nil { throw StatusError(errSecParam) }
    return request.search(result)
  }
}

/// Changes all items that match, or none.
///
/// - Parameters:
///   - query: the class of the items and the attributes they must have.
///   - attributesToUpdate: their new attributes and secret.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; `errSecDuplicateItem` if another item has the
///   new primary key; otherwise an error.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status { () throws(StatusError) in
    let request = try ItemRequest(query, for: .update)
    return request.update(try ItemChanges(attributesToUpdate, of: request.itemClass))
  }
}

/// Deletes all items that match.
///
/// - Parameter query: the class of the items and the attributes they must have.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; otherwise an error.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status { () throws(StatusError) in try ItemRequest(query, for: .delete).delete() }
}

/// The result of the body, or the status of its error.
private func status(_ body: () throws(StatusError) -> OSStatus) -> OSStatus {
  do throws(StatusError) {
    return try body()
  } catch {
    return error.status
  }
}
