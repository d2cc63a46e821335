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

  func add(_ item: Attributes) -> OSStatus { run { SecurityTests.add(item) } }

  func status(_ query: Attributes) -> OSStatus { run { SecurityTests.status(query) } }

  func find(_ query: Attributes) -> AnyObject? { run { SecurityTests.find(query).value } }

  /// The attributes of the first item.
  func attributes(_ query: Attributes) -> Attributes? { run { SecurityTests.attributes(query) } }

  /// The secret of the first item.
  func password(_ query: Attributes) -> String? { run { SecurityTests.password(query) } }

  func update(_ query: Attributes, _ changes: Attributes) -> OSStatus {
    run { SecurityTests.update(query, changes) }
  }

  func delete(_ query: Attributes) -> OSStatus { run { SecurityTests.delete(query) } }
}

/// A keychain that can be locked as a whole, or for some of its items.
final class LockableKeychain: KeychainWrapper {
  let inside = InMemoryKeychain()
  var isLocked = false
  var lockedAccounts: Set<String> = []

  func wrapped() -> any KeychainStore { inside }

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
}
