import Age
import Bytes
import Keychain
import PrivateFiles

/// A vault's folder, locked so that nobody else changes it.
struct LockedFolder: ~Copyable {
  let folder: Folder
  let lock: FileLock
  /// Files left by a writer that was killed while it exchanged files.
  let exchanged: [String]
}

/// A change of a vault in progress: its lines in memory, and the lock until it ends.
final class VaultChange {
  let isNew: Bool
  var isDirty = false
  /// See ``EncryptedFileKeychain/isOfCopies``.
  var isOfCopies = false
  /// For the names of new items.
  var randomness = RandomSupply()
  /// Called once the change is on the disk.
  var listeners: [() -> Void] = []

  let locked: LockedFolder
  /// The file at the beginning, and its name as an earlier generation.
  let before: (status: FileStatus, keptAs: String)?
  /// The generation at the beginning, without its lines.
  let beginning: VaultSnapshot?
  /// The merged copies from elsewhere, and their names afterwards.
  var mergedCopies: [(name: String, keptAs: String)] = []
  /// The paths of copies that could not be merged.
  var unmerged: [String] = []
  /// The paths of last writes that were kept because nobody has merged them.
  var setAside: [String] = []
  /// Changes of the ways in by merging other copies.
  var mergedSlots = SlotChanges()
  /// The paths of merged writes whose ways in were not taken, because the writes were broken off.
  var leftSlots: [String] = []
  /// The merged last writes: their names, and their names among the generations.
  var takenIn: [String: String] = [:]
  /// The names of last writes that were broken off and have no item of their own.
  var spentWrites: Set<String> = []
  var hasMerged: Bool { !mergedCopies.isEmpty || !takenIn.isEmpty }
  /// The name of the copy of the new file. Computed once: without a readable state it differs each time.
  lazy var newestWriteName: String = {
    unlocking.location.nameMachine()
    return unlocking.location.newestWriteName
  }()
  /// How many items came from, or were deleted in, a place where the vault is shared.
  var received = 0
  /// How many items with changes that nobody else had yet got another state from there, or were deleted.
  var overridden = 0
  /// Slots without the vault's new key, because somebody added them with the former one meanwhile.
  var slotsWithFormerKey: [SlotSummary] = []
  /// The header MAC of this change's write; `nil` before it.
  var writtenMAC: [UInt8]?
  /// Whether this change's write survives a loss of power.
  var durability = Durability.lasting
  var copyFailure: KeychainError?
  /// The last writes that the replacement of an unreadable vault doesn't come from, newest first.
  private(set) var otherLastWrites: [NewestWrite] = []
  /// Why the new key didn't get its place on this machine.
  var identityFailure: KeychainError?
  /// Why this machine couldn't note the write.
  var noteFailure: KeychainError?
  let unlocking: Unlocking
  var lines: VaultLines
  var head: VaultHead
  var key: VaultKey?
  var stanzas: VaultStanzas?
  var newVault: NewVault?
  /// The identity file of a new key.
  var newIdentityFile: NewIdentityFile?
  /// Notes about slots to write on this machine.
  var localSlots: [(id: String, LocalSlot)] = []

  /// Changes a vault, or makes one if there is none.
  ///
  /// - Throws: ``KeychainError/newerFormat(path:version:)`` if this version may not write the vault; what reading
  ///   throws.
  init(
    _ snapshot: VaultSnapshot?, _ locked: consuming LockedFolder, unlocking: Unlocking
  ) throws(KeychainError) {
    self.unlocking = unlocking
    self.locked = locked
    isNew = snapshot == nil
    before = snapshot.map { ($0.status, $0.generation.fileName) }
    self.beginning = snapshot
    let beginning = try snapshot.map { (snapshot) throws(KeychainError) in try VaultBeginning(after: snapshot)
    }
    key = beginning?.key
    stanzas = beginning?.stanzas
    head = beginning?.head ?? VaultHead(first: 1)
    lines = beginning?.takeLines() ?? VaultLines()
  }

  /// Replaces an unreadable or missing vault with another state.
  ///
  /// - Parameters:
  ///   - generation: the number of the newest known write.
  ///   - writes: the last writes, which become earlier generations.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  init(
    replacingUnreadableWith beginning: VaultBeginning, after generation: Int64, keeping writes: [NewestWrite],
    _ locked: consuming LockedFolder,
    unlocking: Unlocking
  ) throws(KeychainError) {
    self.unlocking = unlocking
    isNew = false
    // The unreadable file is kept, too.
    let hasFile = try locked.folder.contains(VaultLocation.vaultName)
    before =
      hasFile ? (try locked.folder.status(of: VaultLocation.vaultName), Generations.unreadableName()) : nil
    self.locked = locked
    self.beginning = nil
    key = beginning.key
    stanzas = beginning.stanzas
    head = beginning.head
    head.generation = max(head.generation, generation + 1)
    lines = beginning.takeLines()
    isDirty = true
    for write in writes {
      if head.comes(from: write.snapshot.mac) {
        takenIn[write.name] = write.snapshot.generation.fileName
      } else {
        otherLastWrites.append(write)
      }
    }
  }

  var path: String { unlocking.location.vaultFile }

  var isMade: Bool { key != nil }

  /// Makes a vault, to be written by the commit.
  func make(_ protection: borrowing Protection) throws(KeychainError) {
    let vault = try NewVault(protection, unlocking)
    newVault = vault
    key = VaultKey(vault.identity, uuid: vault.stanzas.uuid)
    stanzas = vault.stanzas
    if let slot = vault.stanzas.slots.first, let note = vault.localSlot { localSlots.append((slot.id, note)) }
    isDirty = true
  }

  /// Lends the lines whose keys begin with `beginning`, as they are now.
  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try body(lines, lines.lines(beginning: beginning))
  }

  /// The index of the item with `item.reference`.
  ///
  /// - Throws: ``KeychainError/itemNotFound``.
  func index(of item: Item) throws(KeychainError) -> Int {
    guard let index = try lines.index(of: item, path: path) else { throw .itemNotFound }
    return index
  }

  /// Another item with the same primary key, and its index; `nil` if there is none.
  func twin(
    of item: Item, except reference: ItemReference?
  ) throws(KeychainError) -> (index: Int, item: Item)? {
    let key = SortKey.whole(of: item.key)
    for index in lines.lines(beginning: key) {
      let other = try lines.record(at: index, path: path).item
      if other.reference != reference, other.key.primaryKey == item.key.primaryKey { return (index, other) }
    }
    return nil
  }

  /// - Throws: ``KeychainError/duplicateItem`` if another item has the same primary key.
  func refuseTwin(of item: Item, except reference: ItemReference?) throws(KeychainError) {
    if try twin(of: item, except: reference) != nil { throw .duplicateItem }
  }

  func hasItem(_ reference: ItemReference?) throws(KeychainError) -> Bool {
    for index in lines.inUse where try lines.record(at: index, path: path).item.reference == reference {
      return true
    }
    return false
  }

  /// The index of a retired item's line; `nil` if the line or its secret has been removed.
  func index(of retired: RetiredItem) throws(KeychainError) -> Int? {
    let key = Array(RetiredRecord.keyPrefix.utf8) + SortKey.whole(of: retired.item.key)
    for index in lines.lines(beginning: key) {
      let record = try lines.retiredRecord(at: index, path: path)
      if record.hasSecret, lines.withLine(index, { record.item($0) }) == retired { return index }
    }
    return nil
  }

  func credential(at index: Int) throws(KeychainError) -> Credential {
    try lines.credential(at: index, path: path)
  }

  /// Runs a part of the change and undoes it if it throws.
  func undoing<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    let before = (lines.savepoint, isDirty)
    do throws(KeychainError) {
      return try body()
    } catch {
      lines.restore(before.0)
      isDirty = before.1
      throw error
    }
  }

  func replace(
    _ index: Int, with item: Item, _ credential: borrowing Credential, at now: Timestamp
  ) throws(KeychainError) -> Item {
    try refuseTwin(of: item, except: item.reference)
    let former = try lines.record(at: index, path: path).item
    let formerCredential = try self.credential(at: index)
    let credential = credential.stored(over: formerCredential)
    var changed = item
    changed.creationDate = former.creationDate
    changed.modificationDate = former.nextChange(at: now)
    var retired: Secret?
    if !isOfCopies, formerCredential.isWorthKeeping(besides: credential, at: now) {
      retired = try retiredLine(index, .replaced, at: now)
    }
    let dates = ChangeDates(
      after: try lines.changeDates(at: index, of: former, path: path), from: former, to: changed,
      formerCredential, credential)
    try insert(changed, credential, dates, replacing: index)
    if let retired = retired.take() { keep(retired) }
    return changed
  }

  /// Inserts an item's line and removes the one at `index`. Without `changed`, all parts changed with the item.
  func insert(
    _ item: Item, _ credential: borrowing Credential, _ changed: ChangeDates? = nil, replacing index: Int?
  ) throws(KeychainError) {
    let line: Secret
    do {
      if let index {
        line = try lines.withLine(index) { (previous) throws(JSONReader.Malformed) in
          try Record.line(item, credential, revision: head.generation, changed: changed, previous: previous)
        }
      } else {
        line = try Record.line(item, credential, revision: head.generation, previous: nil)
      }
    } catch {
      throw .malformedItem(path: path)
    }
    if let index { lines.remove(index) }
    lines.insert(line)
    isDirty = true
  }

  func put(_ line: borrowing Secret) {
    lines.insert(line)
    isDirty = true
  }

  /// Makes the new generation come after another copy's, too.
  func follow(_ other: VaultHead) {
    // A machine that has seen the other copy would refuse an older generation.
    if other.generation >= head.generation - 1 { isDirty = true }
    head.generation = max(head.generation, other.generation + 1)
  }

  func remove(_ index: Int) {
    lines.remove(index)
    isDirty = true
  }

  func onCommit(_ listener: @escaping () -> Void) {
    listeners.append(listener)
  }
}

extension Credential {
  /// Whether this credential has something to miss in the newer one: another secret or refresh token that has not
  /// expired, or further secrets.
  fileprivate borrowing func isWorthKeeping(besides newer: borrowing Credential, at now: Timestamp) -> Bool {
    if !newer.further.hasAll(of: further) { return true }
    if hasSameSecret(as: newer), hasSameRefreshToken(as: newer) { return false }
    if !isExpired(at: now) { return true }
    return hasRefreshToken && !hasSameRefreshToken(as: newer)
  }
}
