import Age
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Whether there is a vault, or the remains of one.
  ///
  /// - Throws: `KeychainError.unsafeFile` and `.system` if its folders can't be read.
  public func exists() throws(KeychainError) -> Bool {
    if let folder = try Folder(opening: location.vaultFolder) {
      if try folder.contains(VaultLocation.vaultName) { return true }
    }
    return try absence() != nil
  }

  /// Whether there is a vault, in whatever state.
  ///
  /// - Throws: `KeychainError.missing` and `.elsewhere` if there should be one and isn't; `.unsafeFile` and
  ///   `.system` if it can't be examined.
  public func isThere() throws(KeychainError) -> Bool { try vaultFile() != nil }

  /// A summary of the vault; `nil` if there is none yet.
  ///
  /// - Throws: as ``items(matching:)`` does, but a locked vault can be described.
  public func summary() throws(KeychainError) -> VaultSummary? {
    guard let file = try vaultFile() else { return nil }
    return try VaultSummary(file, unlocking) { () throws(KeychainError) in
      try current()?.first.head
    }
  }

  /// The items that answer the query, most recently changed first.
  ///
  /// - Throws: `KeychainError`; `KeychainError.missing` if there should be a vault and isn't. If none was ever made,
  ///   the result is empty. `KeychainError.copyLeftOut` instead of an empty result if a copy beside the vault could
  ///   not be merged, except within ``exclusively(_:)``: a missing item can be added.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let found = try held(query)
    // It may be in a copy that could not be merged.
    if found.isEmpty { try refusePassingOver() }
    if found.isEmpty, change == nil, let sharing {
      // The rest of this reading must be of the same state.
      if isPinned { hasMissed = true } else if sharing.atMiss() { return try held(query) }
    }
    return found
  }

  /// All items. Afterwards ``isAsSeen`` tells whether there are others.
  ///
  /// - Throws: as ``items(matching:)`` does.
  package func allItems() throws(KeychainError) -> [Item] {
    let before = presentMAC
    seenMAC = nil
    let items = try items(matching: .all)
    if before == presentMAC { seenMAC = before }
    return items
  }

  /// The items that answer the query, in this file alone.
  func held(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    let beginning = SortKey.beginning(for: query)
    var found: [Item] = []
    var revisions: [Int64] = []
    try withLines(beginning: beginning) { (lines, range) throws(KeychainError) in
      for index in range.clamped(to: lines.inUse) {
        let record = try lines.record(at: index, path: location.vaultFile)
        if !query.matches(record.item) { continue }
        found.append(record.item)
        revisions.append(record.revision)
      }
    }
    if found.count < 2 { return found }
    return found.indices.sorted { (revisions[$0], $1) > (revisions[$1], $0) }.map { found[$0] }
  }

  /// Passes every item to `body` as soon as it is read, in the vault's order of keys.
  ///
  /// - Parameter body: returns whether it wants more.
  /// - Throws: as ``items(matching:)`` does, possibly after some items were passed.
  package func forEachItem(_ body: (Item) -> Bool) throws(KeychainError) {
    try withLines(beginning: []) { (lines, _) throws(KeychainError) in
      for index in lines.inUse {
        if !body(try lines.record(at: index, path: location.vaultFile).item) { return }
      }
    }
  }

  /// Reads all of the file at once, so that later questions in one ``reading(_:)`` read nothing more.
  ///
  /// - Throws: as ``items(matching:)`` does.
  package func readAhead() throws(KeychainError) {
    try withLines(beginning: []) { (_, _) throws(KeychainError) in }
  }

  /// The item with a primary key and its confidential part; `nil` if there is none.
  ///
  /// - Throws: as ``items(matching:)`` does, also if a copy that could not be merged may have it.
  package func answer(to key: Item.Key) throws(KeychainError) -> Answer? {
    let path = location.vaultFile
    let key = key.primaryKey
    return try withLines(beginning: SortKey.whole(of: key)) { (lines, range) throws(KeychainError) in
      for index in range.clamped(to: lines.inUse) {
        let item = try lines.record(at: index, path: path).item
        if item.key.primaryKey == key {
          return Answer(item: item, credential: try lines.credential(at: index, path: path))
        }
      }
      return nil
    }
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    if let credential = try credential(of: item, beginning: SortKey.whole(of: item.key)) {
      return credential
    }
    // Somebody has moved it to another key, or this item is about to be.
    if let credential = try credential(of: item, beginning: []) { return credential }
    throw .itemNotFound
  }

  private func credential(of item: Item, beginning: [UInt8]) throws(KeychainError) -> Credential? {
    let path = location.vaultFile
    return try withLines(beginning: beginning) { (lines, _) throws(KeychainError) in
      guard let index = try lines.index(of: item, path: path) else { return nil }
      return try lines.credential(at: index, path: path)
    }
  }

  /// Runs the body on a single generation.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if isPinned || change != nil { return try body() }
    let result = try pinned(body)
    if hasMissed, let sharing, sharing.atMiss() { return try pinned(body) }
    return result
  }

  private func pinned<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    _ = try current()
    (isPinned, hasMissed) = (true, false)
    defer { isPinned = false }
    return try body()
  }
}
