package import Keychain

/// A keychain that renews what has expired. Everything else it leaves to the keychain behind it.
package final class RenewingKeychain: KeychainStore {
  private let base: any KeychainStore
  package let renewer: (any SecretRenewing)?

  package init(_ base: any KeychainStore, renewer: any SecretRenewing) {
    self.base = base
    self.renewer = renewer
  }

  package func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try base.items(matching: query)
  }

  package func credential(of item: Item) throws(KeychainError) -> Credential { try base.credential(of: item) }

  package func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try base.add(item, credential)
  }

  package func add(keepingDatesOf item: Item, _ credential: borrowing Credential) throws(KeychainError)
    -> Item
  {
    try base.add(keepingDatesOf: item, credential)
  }

  package func update(_ item: Item) throws(KeychainError) -> Item { try base.update(item) }

  package func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try base.update(item, credential)
  }

  package func delete(_ items: [Item]) throws(KeychainError) -> Int { try base.delete(items) }

  package func exclusively<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result
  {
    try base.exclusively(body)
  }

  package func committed(_ item: Item) -> Item { base.committed(item) }

  package var looksBeforeChanging: Bool { base.looksBeforeChanging }

  package func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try base.reading(body) }

  package func probe() -> KeychainReadiness { base.probe() }
}
