import Foundation
import Keychain
import KeychainTesting
import Security
import TestSupport

/// The functions as a program calls them, on a keychain of the test's own.
struct Calls {
  let store: any KeychainStore

  init(_ store: any KeychainStore = InMemoryKeychain()) {
    self.store = store
  }

  private func run<Result>(_ body: () -> Result) -> Result {
    KeychainAccess.withKeychain({ _ throws(KeychainError) in store }, perform: body)
  }

  func add(_ attributes: [String: Any]) -> OSStatus {
    run { SecItemAdd(attributes as CFDictionary, nil) }
  }

  func status(_ query: [String: Any]) -> OSStatus {
    run { SecItemCopyMatching(query as CFDictionary, nil) }
  }

  func find(_ query: [String: Any]) -> AnyObject? {
    var result: AnyObject?
    let status = run { SecItemCopyMatching(query as CFDictionary, &result) }
    return status == errSecSuccess ? result : nil
  }

  /// The attributes of the first item.
  func attributes(_ query: [String: Any]) -> [String: Any]? {
    find(query.merging([kSecReturnAttributes: true]) { $1 }) as? [String: Any]
  }

  /// The secret of the first item.
  func password(_ query: [String: Any]) -> String? {
    (find(query.merging([kSecReturnData: true]) { $1 }) as? Data).map { String(decoding: $0, as: UTF8.self) }
  }

  func update(_ query: [String: Any], _ changes: [String: Any]) -> OSStatus {
    run { SecItemUpdate(query as CFDictionary, changes as CFDictionary) }
  }

  func delete(_ query: [String: Any]) -> OSStatus {
    run { SecItemDelete(query as CFDictionary) }
  }
}

/// A keychain that can be locked as a whole, or for some of its items.
final class LockableKeychain: KeychainStore {
  let inside = InMemoryKeychain()
  var isLocked = false
  var lockedAccounts: Set<String> = []

  func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    if isLocked { throw .locked(path: "vault.age") }
    return try inside.items(matching: query)
  }

  func credential(of item: Item) throws(KeychainError) -> Credential {
    if isLocked { throw .locked(path: "vault.age") }
    if let account = item.key.account?.text, lockedAccounts.contains(account) {
      throw .itemLocked(collection: "login")
    }
    return try inside.credential(of: item)
  }

  func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    if isLocked { throw .locked(path: "vault.age") }
    return try inside.add(item, credential)
  }

  func update(_ item: Item) throws(KeychainError) -> Item { try inside.update(item) }

  func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try inside.update(item, credential)
  }

  func delete(_ items: [Item]) throws(KeychainError) -> Int { try inside.delete(items) }

  func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try inside.exclusively(body) }
}
