public import Bytes
public import Keychain

extension EncryptedFileKeychain {
  /// The items that were deleted, or had another secret, in the last 30 days and would have answered; latest first.
  ///
  /// - Throws: `KeychainError` as ``items(matching:)`` does.
  public func retiredItems(matching query: ItemQuery) throws(KeychainError) -> [RetiredItem] {
    var found: [RetiredItem] = []
    for query in [query] + query.inOtherForms {
      let beginning = Array(RetiredRecord.keyPrefix.utf8) + SortKey.beginning(for: query)
      try withLines(beginning: beginning) { (lines, range) throws(KeychainError) in
        for index in range {
          let retired = try lines.retiredRecord(at: index, path: location.vaultFile)
          if retired.hasSecret, query.matches(retired.record.item) {
            found.append(lines.withLine(index) { retired.item($0) })
          }
        }
      }
    }
    return found.enumerated()
      .sorted { ($0.element.retired, $0.offset) > ($1.element.retired, $1.offset) }
      .map(\.element)
  }

  /// Brings back an item returned by ``retiredItems(matching:)``, with its former secret.
  ///
  /// - Parameters:
  ///   - retired: the item.
  ///   - replacing: whether an existing item with the same primary key may be replaced: it gets the secret, and its
  ///     own is kept as a replaced one.
  /// - Throws: `KeychainError.duplicateItem` if there is such an item and it may not be replaced;
  ///   `KeychainError.itemNotFound` if the retired item is forgotten by now.
  @discardableResult
  public func undelete(_ retired: RetiredItem, replacing: Bool = false) throws(KeychainError) -> Item {
    try changing { (change) throws(KeychainError) in
      try change.undelete(retired, replacing: replacing, at: clock())
    }
  }
}

extension VaultChange {
  /// Puts a record back into use.
  func undelete(_ retired: RetiredItem, replacing: Bool, at now: Timestamp) throws(KeychainError) -> Item {
    guard let index = try index(of: retired) else { throw .itemNotFound }
    let credential = try credential(at: index)
    if let twin = try twin(of: retired.item, except: nil) {
      guard replacing else { throw .duplicateItem }
      // Removed first, because `replace` changes this line's index.
      remove(index)
      return try replace(twin.index, with: twin.item, credential, at: now)
    }
    var item = retired.item
    // The date must be after the deletion, which other copies of the vault have, too; an older state may have been
    // retired before that deletion.
    let latest = try item.reference.flatMap { (reference) throws(KeychainError) in
      try latestDates(of: [reference])[reference]
    }
    item.modificationDate = max(
      item.nextChange(at: now), Timestamp(milliseconds: (latest ?? retired.retired).milliseconds + 1))
    if try hasItem(item.reference) { item.reference = ItemReference(ByteString(timeOrderedUUID(at: now))) }
    try insert(item, credential, replacing: index)
    return item
  }
}

extension EncryptedFileKeychain {
  /// Whether this is a former secret of an item, renewed since: this machine knows its own renewals, and a shared
  /// vault the former secrets of items that can be renewed.
  ///
  /// - Throws: `KeychainError` as ``items(matching:)`` does.
  public func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool {
    if renewer?.hasReplaced(secret, of: item) ?? false { return true }
    if sharing == nil { return false }
    let query = try ItemQuery(for: item.key)
    var isRenewable = false
    for present in try held(query) where !isRenewable {
      isRenewable = try credentialIfPresent(of: present)?.hasRefreshToken ?? false
    }
    if !isRenewable { return false }
    let secret = secret.copy()
    let beginning = Array(RetiredRecord.keyPrefix.utf8) + SortKey.beginning(for: query)
    return try withLines(beginning: beginning) { (lines, range) throws(KeychainError) in
      for index in range {
        let retired = try lines.retiredRecord(at: index, path: location.vaultFile)
        guard retired.hasSecret, retired.reason != .deleted, query.matches(retired.record.item) else {
          continue
        }
        let former = try lines.credential(at: index, path: location.vaultFile)
        if former.hasRefreshToken, former.secret.isEqual(to: secret) { return true }
      }
      return false
    }
  }
}
