import Keychain

/// The collections of a service to which items go.
struct HeldCollections {
  /// The collection for items without one.
  let home: ByteString
  private let names: Set<ByteString>
  private let locked: Set<ByteString>

  /// The collections that are locked now.
  ///
  /// - Parameter isBeforeListing: leaves out the one for new items, which is unlocked before items are listed.
  static func locked(
    in keychain: any KeychainStore, isBeforeListing: Bool = false
  ) throws(KeychainError) -> Set<ItemReference> {
    guard let desktop = keychain as? any DesktopKeychain else { return [] }
    let facts = try desktop.facts()
    let locked = facts.collections.filter { collection in
      collection.isLocked && !(isBeforeListing && collection.path == facts.collection?.path)
    }
    return Set(locked.map { ItemReference(ByteString($0.path)) })
  }

  /// `nil` for a keychain that takes items of any collection.
  ///
  /// - Parameter locked: the collections that may have more than was listed.
  init?(of items: [Item], in keychain: any KeychainStore, locked: Set<ItemReference>) {
    let records = items.filter { $0.key.secretServiceItem?.kind == .collection }
    guard !records.isEmpty, keychain is any DesktopKeychain else { return nil }
    func names(_ records: [Item]) -> Set<ByteString> {
      Set(records.compactMap { $0.key.secretServiceItem?.name })
    }
    self.names = names(records)
    self.locked = names(records.filter { record in record.reference.map(locked.contains) ?? false })
    let standard = records.first { $0.isDefault } ?? (records.count == 1 ? records[0] : nil)
    home =
      self.names.contains("login") ? "login" : standard?.key.secretServiceItem?.name ?? "login"
  }

  /// Why an item can't be added, if its collection is missing or locked.
  func obstacle(to item: Item) -> TransferPlan.Step? {
    if let key = item.key.secretServiceItem, key.kind == .collection { return .noCollection(key.name) }
    let name = item.secretService.collection ?? home
    if locked.contains(name) { return .locked(name) }
    return item.secretService.collection == nil || names.contains(name) ? nil : .noCollection(name)
  }
}
