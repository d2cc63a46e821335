import Bytes
import Foundation
import Keychain

extension ItemRequest {
  /// Adds the item.
  ///
  /// - Throws: the reason why there is no item to add.
  func add(_ result: UnsafeMutablePointer<CFTypeRef?>?) throws(StatusError) -> OSStatus {
    guard let itemClass else { throw StatusError(errSecParam) }
    let item = try newItem(itemClass)
    return KeychainAccess.perform(on: namedKeychain, mayPrompt: mayPrompt) { opened throws(KeychainError) in
      let added = try opened.store.add(item, newCredential)
      if !returns.isEmpty {
        let secret = certificate?.data ?? secret
        let added = ItemResult(item: added, keychain: opened.name, secret: secret)
        result?.pointee = added.value(returns) as AnyObject
      }
      return errSecSuccess
    }
  }

  func search(_ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainAccess.perform(on: namedKeychain, mayPrompt: mayPrompt) { opened throws(KeychainError) in
      let values: [Any]
      do throws(KeychainError) {
        values = try opened.store.reading { () throws(KeychainError) -> [Any] in
          try self.values(in: opened)
        }
      } catch {
        // An encrypted file is locked as a whole, and then can't even be listed.
        if authenticationUI == .skip, error.isLocked { return errSecItemNotFound }
        throw error
      }
      guard let first = values.first else { return errSecItemNotFound }
      if !returns.isEmpty { result?.pointee = limit == 1 ? first as AnyObject : values as AnyObject }
      return errSecSuccess
    }
  }

  func update(_ changes: ItemChanges) -> OSStatus {
    KeychainAccess.perform(on: namedKeychain, mayPrompt: mayPrompt) { opened throws(KeychainError) in
      try opened.store.exclusively { () throws(KeychainError) in
        let found = try items(in: opened)
        if found.isEmpty { return errSecItemNotFound }
        var changed: [Item] = []
        for item in found {
          // Nothing has been changed yet.
          do throws(StatusError) { changed.append(try changes.applied(to: item)) } catch {
            return error.status
          }
        }
        for item in changed {
          if let secret = changes.secret {
            // The old secret's expiry and refresh token don't apply to the new one.
            try opened.store.update(item, Credential(Secret(copying: secret)))
          } else {
            try opened.store.update(item)
          }
        }
        return errSecSuccess
      }
    }
  }

  func delete() -> OSStatus {
    KeychainAccess.perform(on: namedKeychain, mayPrompt: mayPrompt) { opened throws(KeychainError) in
      try opened.store.exclusively { () throws(KeychainError) in
        let found = try items(in: opened)
        if found.isEmpty { return errSecItemNotFound }
        return try opened.store.delete(found) > 0 ? errSecSuccess : errSecItemNotFound
      }
    }
  }

  private var mayPrompt: Bool { authenticationUI == .allow }

  /// The keychain that is to be used alone.
  private var namedKeychain: String? { keychains?.count == 1 ? keychains?.first : nil }

  /// Whether the keychain of an item is one of those to look in.
  private func isSearched(_ item: Item, in opened: KeychainAccess.Opened) -> Bool {
    guard let keychains, keychains.count > 1 else { return true }
    return keychains.contains(item.keychain ?? opened.name)
  }

  private func items(in opened: KeychainAccess.Opened) throws(KeychainError) -> [Item] {
    do throws(KeychainError) {
      return try opened.store.items(matching: .criteria(criteria)) {
        // Programs don't see an item that a server has refused.
        !$0.isHidden && $0.key.secretServiceItem == nil && matches($0, in: opened.name)
          && isSearched($0, in: opened)
      }
    } catch {
      guard authenticationUI == .skip, error.isLocked else { throw error }
      return []
    }
  }

  /// The results for the items, up to the limit.
  private func values(in opened: KeychainAccess.Opened) throws(KeychainError) -> [Any] {
    var values: [Any] = []
    for item in try items(in: opened) {
      if values.count == limit { break }
      var secret: Data?
      if returns.needsSecret(of: item.key.itemClass) {
        guard let found = try self.secret(of: item, in: opened) else { continue }
        secret = found
      }
      values.append(ItemResult(item: item, keychain: opened.name, secret: secret).value(returns))
    }
    return values
  }

  /// The secret; `nil` if the item is gone, or is locked and should be skipped.
  private func secret(of item: Item, in opened: KeychainAccess.Opened) throws(KeychainError) -> Data? {
    do throws(KeychainError) {
      return try opened.store.credentialIfPresent(of: item)?.secret.withUnsafeBytes { Data($0) }
    } catch {
      guard authenticationUI == .skip, error.isLocked else { throw error }
      return nil
    }
  }
}

extension KeychainError {
  /// Whether the user would have to be asked to unlock something.
  fileprivate var isLocked: Bool {
    switch self {
    case .locked, .collectionLocked, .itemLocked: true
    default: false
    }
  }
}
