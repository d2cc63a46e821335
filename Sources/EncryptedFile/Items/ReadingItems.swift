import Age
public import Keychain
import PrivateFiles
import UnlockCache

extension EncryptedFileKeychain {
  /// Whether there is a vault, or what is left of one.
  ///
  /// - Throws: `KeychainError.unsafeFile` and `.system` if its folders can't be looked into.
  public func exists() throws(KeychainError) -> Bool {
    if let folder = try Folder(opening: location.vaultFolder) {
      if try folder.contains(VaultLocation.vaultName) { return true }
    }
    return try absence() != nil
  }

  /// Whether there is a vault, whatever state it is in.
  ///
  /// - Throws: `KeychainError.missing` and `.elsewhere` where there should be one and isn't; `.unsafeFile` and `.system` if
  ///   it can't be looked at.
  public func isThere() throws(KeychainError) -> Bool { try vaultFile() != nil }

  /// What can be said of the vault; `nil` if there is none yet.
  ///
  /// - Throws: as ``items(matching:)`` does, but a locked vault can be described.
  public func summary() throws(KeychainError) -> VaultSummary? {
    guard let file = try vaultFile() else { return nil }
    return try VaultSummary(file, unlocking) { () throws(KeychainError) in
      try current()?.first.head
    }
  }

  /// The items that answer the query, the one changed last first.
  ///
  /// - Throws: `KeychainError`. Where nothing was ever made there is nothing; where a vault should be and isn't,
  ///   `KeychainError.missing`.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let beginning = RecordKey.beginning(for: query)
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

  /// Gives every item in the order of the keys by which the vault is sorted, each as soon as it is read.
  ///
  /// - Parameter body: returns whether it wants more.
  /// - Throws: as ``items(matching:)`` does, perhaps after some were given.
  package func forEachItem(_ body: (Item) -> Bool) throws(KeychainError) {
    try withLines(beginning: []) { (lines, _) throws(KeychainError) in
      for index in lines.inUse {
        if !body(try lines.record(at: index, path: location.vaultFile).item) { return }
      }
    }
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    if let credential = try credential(of: item, beginning: RecordKey.whole(of: item.key)) {
      return credential
    }
    // Somebody has moved it to another key, or is about to.
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

  /// Runs the body on one generation.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if isPinned || change != nil { return try body() }
    _ = try current()
    isPinned = true
    defer { isPinned = false }
    return try body()
  }
}
