public import Keychain

extension EncryptedFileKeychain {
  /// The items that were deleted or had another secret within the last 30 days and would have answered the query,
  /// the last one first.
  ///
  /// - Throws: `KeychainError` as ``items(matching:)`` does.
  public func retiredItems(matching query: ItemQuery) throws(KeychainError) -> [RetiredItem] {
    var found: [RetiredItem] = []
    let beginning = Array(RetiredRecord.keyPrefix.utf8) + RecordKey.beginning(for: query)
    try withLines(beginning: beginning) { (lines, range) throws(KeychainError) in
      for index in range {
        let retired = try lines.retiredRecord(at: index, path: location.vaultFile)
        if retired.hasSecret, query.matches(retired.record.item) {
          found.append(lines.withLine(index) { retired.item($0) })
        }
      }
    }
    return found.enumerated()
      .sorted { ($0.element.retired, $0.offset) > ($1.element.retired, $1.offset) }
      .map(\.element)
  }

  /// Brings back an item that ``retiredItems(matching:)`` gave, with the secret that it had.
  ///
  /// - Parameters:
  ///   - retired: the item.
  ///   - replacing: whether an item with the same primary key may be there: it gets the secret then, and its own is
  ///     kept as one that was replaced.
  /// - Throws: `KeychainError.duplicateItem` if there is one and it may not; `KeychainError.itemNotFound` if it is
  ///   forgotten by now.
  @discardableResult
  public func undelete(_ retired: RetiredItem, replacing: Bool = false) throws(KeychainError) -> Item {
    try changing { (change) throws(KeychainError) in
      try change.undelete(retired, replacing: replacing, at: clock())
    }
  }
}

extension VaultChange {
  /// Puts the record of a line that is out of use back into use.
  func undelete(_ retired: RetiredItem, replacing: Bool, at now: Timestamp) throws(KeychainError) -> Item {
    guard let index = try index(of: retired) else { throw .itemNotFound }
    let credential = try credential(at: index)
    if let twin = try twin(of: retired.item, except: nil) {
      guard replacing else { throw .duplicateItem }
      // The line goes first, for where it is changes with the next.
      remove(index)
      return try replace(twin.index, with: twin.item, credential, at: now)
    }
    var item = retired.item
    // After the deletion, which another copy of the vault has, too; that may have come after an older state went.
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
