import Keychain
import Terminals

extension KeychainStore {
  /// The item of the same primary key, if that is another one.
  func twin(of item: Item) throws(KeychainError) -> Item? {
    let primaryKey = item.key.primaryKey
    return try items(matching: .criteria(ItemCriteria(item.key))).first {
      $0.key.primaryKey == primaryKey && (item.reference == nil || $0.reference != item.reference)
    }
  }

  /// An item that was found before, as it is now.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it has gone, or got another key.
  func present(_ item: Item) throws(KeychainError) -> Item {
    let found = try items(matching: .criteria(ItemCriteria(item.key)))
    guard let item = found.first(where: { $0.reference == item.reference }) else { throw .itemNotFound }
    return item
  }

  /// Adds an item, or if `isUpdate`, changes the one that has its primary key: its secret, and what `note` notes.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if there is such an item and it isn't to be changed.
  func put(
    _ item: Item, _ credential: borrowing Credential, isUpdate: Bool, note: (inout Item) -> Void
  ) throws(KeychainError) -> Item {
    try exclusively { () throws(KeychainError) -> Item in
      guard isUpdate, var twin = try twin(of: item) else { return try add(item, credential) }
      note(&twin)
      return try update(twin, credential)
    }
  }
}

extension Failure {
  /// That another item has the primary key which one should get.
  static func taken(_ key: Item.Key) -> Failure {
    Failure(
      "there is another item already: \(key.name); nothing was changed",
      hint: "delete that one first, or see it with 'llavero list'", status: .nothingMatched)
  }
}
