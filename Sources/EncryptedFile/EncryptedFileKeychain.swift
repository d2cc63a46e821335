import Age
public import Keychain
import PrivateFiles

/// The keychain in one encrypted file: a standard age file that `age -d` opens.
///
/// Reading takes no lock and sees one generation. Writing locks, reads again, and puts a whole new file in the place
/// of the old one; what is acknowledged is on the disk.
public final class EncryptedFileKeychain: KeychainStore {
  /// Something that whoever uses the keychain may want to say.
  public enum Notice: Hashable, Sendable {
    /// A vault was made because there was none.
    case created(VaultLocation)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
  }

  /// Where the vault is.
  public let location: VaultLocation

  private let unlocking: Unlocking
  private let patience: Int
  private let onNotice: (Notice) -> Void
  private let clock: () -> Timestamp

  private var snapshot: VaultSnapshot?
  /// What opened the vault before.
  private var key: VaultKey?
  private var change: VaultChange?

  /// A keychain at a place where there is a vault, or none yet: then the first item that is added makes one that
  /// the plain identity file opens.
  ///
  /// - Parameters:
  ///   - passphrase: asks for the passphrase of a vault that has one.
  ///   - maximumWorkFactor: the most work that a passphrase may be, as scrypt's log2 N, at most 22.
  ///   - patience: how many seconds a writer waits for others.
  ///   - onNotice: hears of what happens.
  ///   - clock: what dates are read from.
  public init(
    at location: VaultLocation, passphrase: @escaping PassphraseSource = { _ in nil },
    maximumWorkFactor: Int = 20, patience: Int = 60, onNotice: @escaping (Notice) -> Void = { _ in },
    clock: @escaping () -> Timestamp = { .now }
  ) {
    self.location = location
    unlocking = Unlocking(
      location: location, passphrase: passphrase, maximumWorkFactor: maximumWorkFactor)
    self.patience = patience
    self.onNotice = onNotice
    self.clock = clock
  }

  // MARK: Making

  /// Makes a vault.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if there is one already; what writing throws.
  public func create(_ protection: borrowing Protection) throws(KeychainError) {
    // Before anybody is asked for the passphrase of the one that is there.
    if try vaultFile() != nil { throw .duplicateItem }
    let change = try beginChange()
    guard change.isNew else { throw .duplicateItem }
    try change.make(protection)
    try change.commit(at: clock())
    key = change.key
    snapshot = nil
  }

  // MARK: Reading

  /// Whether there is a vault, or what is left of one.
  public func exists() throws(KeychainError) -> Bool {
    if let folder = try Folder(opening: location.vaultFolder) {
      if try folder.contains(VaultLocation.vaultName) { return true }
    }
    return try hasOtherParts()
  }

  /// What can be said of the vault; `nil` if there is none yet.
  ///
  /// - Throws: as ``items(matching:)`` does, but a locked vault can be described.
  public func summary() throws(KeychainError) -> VaultSummary? {
    guard let file = try vaultFile() else { return nil }
    return try VaultSummary(file) { () throws(KeychainError) in
      try current()?.first.head
    }
  }

  /// The items that answer the query, the one changed last first.
  ///
  /// - Throws: ``KeychainError``. Where nothing was ever made there is nothing; where a vault should be and isn't,
  ///   ``KeychainError/missing(path:)``.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let beginning = RecordKey.beginning(for: query)
    var found: [Record] = []
    try withLines(beginning: beginning) { (lines, range) throws(KeychainError) in
      for index in range {
        let record = try lines.record(at: index, path: location.vaultFile)
        if query.matches(record.item) { found.append(record) }
      }
    }
    if found.count < 2 { return found.map(\.item) }
    return found.enumerated()
      .sorted { ($0.element.revision, $1.offset) > ($1.element.revision, $0.offset) }
      .map(\.element.item)
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

  // MARK: Changing

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try changing { (change) throws(KeychainError) in
      if change.isNew, !change.isMade {
        try change.make(.identityFile)
        change.onCommit = { [onNotice, location] in onNotice(.created(location)) }
      }
      try change.refuseTwin(of: item, except: nil)
      let now = clock()
      var added = item
      added.reference = ItemReference(ByteString(timeOrderedUUID(at: now)))
      added.creationDate = now
      added.modificationDate = now
      try change.insert(added, credential, replacing: nil)
      return added
    }
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    try changing { (change) throws(KeychainError) in
      let index = try change.index(of: item)
      let credential = try change.credential(at: index)
      try item.validate(with: credential)
      return try change.replace(index, with: item, credential, at: clock())
    }
  }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try changing { (change) throws(KeychainError) in
      try change.replace(try change.index(of: item), with: item, credential, at: clock())
    }
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try changing { (change) throws(KeychainError) in
      try change.undoing { () throws(KeychainError) in
        var count = 0
        for item in items {
          do throws(KeychainError) {
            change.remove(try change.index(of: item))
            count += 1
          } catch .itemNotFound {
            continue
          }
        }
        return count
      }
    }
  }

  /// Runs the body under the vault's lock, and writes once at its end if anything has changed.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let change { return try change.undoing(body) }
    let change = try beginChange()
    self.change = change
    defer { self.change = nil }
    let result = try body()
    if change.isDirty {
      try change.commit(at: clock())
      snapshot = nil
    }
    return result
  }

  private func changing<Result>(
    _ body: (VaultChange) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    // A savepoint costs a copy of where all lines are, and one step of a change needs none.
    if let change { return try body(change) }
    return try exclusively { () throws(KeychainError) -> Result in
      guard let change else { throw .itemNotFound }
      return try body(change)
    }
  }

  private func beginChange() throws(KeychainError) -> VaultChange {
    let folder = try Folder(creating: location.vaultFolder)
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: patience) {
      onNotice(.waiting(path: location.vaultFolder + "/" + VaultLocation.lockName))
    }
    folder.removeStaleTemporaries()
    let snapshot = try current()
    // The change takes the lines away.
    self.snapshot = nil
    return try VaultChange(snapshot, folder: folder, lock: lock, unlocking: unlocking)
  }

  // MARK: Snapshots

  /// Lends the lines of the change under way, or else of the newest generation.
  private func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let change { return try change.withLines(beginning: beginning, body) }
    guard let snapshot = try current() else { return try body(VaultLines(), 0..<0) }
    return try snapshot.withLines(beginning: beginning, body)
  }

  /// The newest generation, unlocked; the same object as before if nobody wrote. `nil` if there is no vault yet.
  private func current() throws(KeychainError) -> VaultSnapshot? {
    guard let file = try vaultFile() else {
      snapshot = nil
      return nil
    }
    if let snapshot, snapshot.status == file.status { return snapshot }
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      // Nobody is asked a second time because another process wrote meanwhile.
      if let key, let unlocked = try unlocking.open(header, with: key) { return unlocked }
      return try unlocking.unlock(header, stanzas)
    }
    key = opened.key
    snapshot = opened
    return opened
  }

  /// The vault's file; `nil` if there is none yet.
  ///
  /// - Throws: ``KeychainError/missing(path:)`` if other parts of a vault are there.
  private func vaultFile() throws(KeychainError) -> OpenFile? {
    if let file = try openVault() { return file }
    guard try hasOtherParts() else { return nil }
    // Perhaps another process has made it all since the first look.
    if let file = try openVault() { return file }
    throw .missing(path: location.vaultFile)
  }

  private func openVault() throws(KeychainError) -> OpenFile? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    return try folder.file(VaultLocation.vaultName)
  }

  /// Whether there is something that only a vault leaves.
  private func hasOtherParts() throws(KeychainError) -> Bool {
    if let folder = try Folder(opening: location.vaultFolder) {
      if try folder.contains(VaultLocation.slotsName) { return true }
    }
    guard let state = try Folder(opening: location.stateFolder) else { return false }
    return try state.contains(VaultLocation.identityName)
  }
}
