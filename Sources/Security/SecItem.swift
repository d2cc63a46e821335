import Keychain

/// Adds an item to the keychain.
///
/// The secret comes and goes as `Data`, which nobody can wipe; between caller and keychain it is a `Secret`, which is.
///
/// - Parameters:
///   - attributes: the item's class, attributes and secret, and what to return of it.
///   - result: where what `kSecReturn…` asks for is put.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` if there is an item with this primary key; else what is wrong.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status { () throws(StatusError) in
    let request = try ItemRequest(attributes, for: .add)
    if !request.returns.isEmpty, result == nil { throw StatusError(errSecParam) }
    return try request.add(result)
  }
}

/// Finds items and returns what `kSecReturn…` asks for: of the first one, or of as many as `kSecMatchLimit` says.
///
/// - Parameters:
///   - query: the items' class and the attributes that they have to have.
///   - result: where what `kSecReturn…` asks for is put; an array if the limit is more than one.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; else what is wrong.
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

/// Changes every item that matches, or none.
///
/// - Parameters:
///   - query: the items' class and the attributes that they have to have.
///   - attributesToUpdate: the attributes that they get, and their secret.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; `errSecDuplicateItem` if there is another item
///   with the new primary key; else what is wrong.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status { () throws(StatusError) in
    let request = try ItemRequest(query, for: .update)
    return request.update(try ItemChanges(attributesToUpdate, of: request.itemClass))
  }
}

/// Deletes every item that matches.
///
/// - Parameter query: the items' class and the attributes that they have to have.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; else what is wrong.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status { () throws(StatusError) in try ItemRequest(query, for: .delete).delete() }
}

/// What the body returns, or why it ended.
private func status(_ body: () throws(StatusError) -> OSStatus) -> OSStatus {
  do throws(StatusError) {
    return try body()
  } catch {
    return error.status
  }
}
