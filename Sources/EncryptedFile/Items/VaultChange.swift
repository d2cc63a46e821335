import Age
import Bytes
import JSON
import Keychain
import PrivateFiles

/// A vault's folder, which nobody else changes.
struct LockedFolder: ~Copyable {
  let folder: Folder
  let lock: FileLock
  /// What a writer that was killed has left while it exchanged files.
  let exchanged: [String]
}

/// A change of a vault under way: its lines in memory, and the lock held until it ends.
final class VaultChange {
  /// Whether there was no vault when the change began.
  let isNew: Bool
  /// Whether anything would be written.
  var isDirty = false
  /// What the names of new items are made of.
  var randomness = RandomSupply()
  /// What is called once the change is on the disk.
  private var listeners: [() -> Void] = []

  let locked: LockedFolder
  /// The file that the change began with, and what it is called once it is an earlier generation.
  private let before: (status: FileStatus, keptAs: String)?
  /// The generation that the change began with, without its lines.
  let beginning: VaultSnapshot?
  /// Copies from elsewhere whose items this change has taken in, and what they are called afterwards.
  var mergedCopies: [(name: String, keptAs: String)] = []
  /// What could not be taken in, by its paths.
  var unmerged: [String] = []
  /// Where last writes are kept that nobody has taken in.
  private(set) var setAside: [String] = []
  /// What last writes are called among the generations that this change has taken in, by their names.
  var takenIn: [String: String] = [:]
  /// The second name of what is written. Once for all that is done with it: where the state can't be read it is another.
  lazy var newestWriteName: String = {
    unlocking.location.nameMachine()
    return unlocking.location.newestWriteName
  }()
  let unlocking: Unlocking
  var lines: VaultLines
  var head: VaultHead
  /// The key of the vault; `nil` as long as there is none.
  var key: VaultKey?
  var stanzas: VaultStanzas?
  private var newVault: NewVault?
  /// The identity file that comes with another key.
  var newIdentityFile: NewIdentityFile?
  /// What is to be noted on this machine about slots.
  var localSlots: [(id: String, LocalSlot)] = []

  /// Changes a vault, or makes one where there is none.
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

  /// Puts another state in the place of a vault that can't be read or is gone.
  ///
  /// - Parameters:
  ///   - generation: the number of the newest write that is known of.
  ///   - writes: what was written last, which becomes earlier generations.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  init(
    replacingUnreadableWith beginning: VaultBeginning, after generation: Int64, keeping writes: [NewestWrite],
    _ locked: consuming LockedFolder,
    unlocking: Unlocking
  ) throws(KeychainError) {
    self.unlocking = unlocking
    isNew = false
    // What can't be read is kept, too.
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
    for write in writes { takenIn[write.name] = write.snapshot.generation.fileName }
  }

  var path: String { unlocking.location.vaultFile }

  /// Whether there is a vault to put items into, be it one that is just being made.
  var isMade: Bool { key != nil }

  /// Makes a vault, which the commit puts in its place.
  func make(_ protection: borrowing Protection) throws(KeychainError) {
    let vault = try NewVault(protection, path: path)
    newVault = vault
    key = VaultKey(vault.identity, uuid: vault.stanzas.uuid)
    stanzas = vault.stanzas
    isDirty = true
  }

  /// Lends the lines whose keys begin with `beginning`, as they are now.
  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try body(lines, lines.lines(beginning: beginning))
  }

  /// Where the item that `item.reference` names is.
  ///
  /// - Throws: ``KeychainError/itemNotFound``.
  func index(of item: Item) throws(KeychainError) -> Int {
    guard let index = try lines.index(of: item, path: path) else { throw .itemNotFound }
    return index
  }

  /// Where another item has the same primary key; `nil` if none has.
  func twin(
    of item: Item, except reference: ItemReference?
  ) throws(KeychainError) -> (index: Int, item: Item)? {
    let key = RecordKey.whole(of: item.key)
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

  /// Whether an item in use has the reference.
  func hasItem(_ reference: ItemReference?) throws(KeychainError) -> Bool {
    for index in lines.inUse where try lines.record(at: index, path: path).item.reference == reference {
      return true
    }
    return false
  }

  /// Where the line of an item that is out of use is; `nil` if it is forgotten, or its secret is.
  func index(of retired: RetiredItem) throws(KeychainError) -> Int? {
    let key = Array(RetiredRecord.keyPrefix.utf8) + RecordKey.whole(of: retired.item.key)
    for index in lines.lines(beginning: key) {
      let record = try lines.retiredRecord(at: index, path: path)
      if record.hasSecret, lines.withLine(index, { record.item($0) }) == retired { return index }
    }
    return nil
  }

  func credential(at index: Int) throws(KeychainError) -> Credential {
    try lines.credential(at: index, path: path)
  }

  /// Runs a part of the change, which has changed nothing if it throws.
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

  /// Gives the item at `index` other attributes and another secret.
  func replace(
    _ index: Int, with item: Item, _ credential: borrowing Credential, at now: Timestamp
  ) throws(KeychainError) -> Item {
    try refuseTwin(of: item, except: item.reference)
    let former = try lines.record(at: index, path: path).item
    let formerCredential = try self.credential(at: index)
    var changed = item
    changed.creationDate = former.creationDate
    changed.modificationDate = former.nextChange(at: now)
    var retired: Secret?
    if formerCredential.isWorthKeeping(besides: credential, at: now) {
      retired = try retiredLine(index, .replaced, at: now)
    }
    let dates = ChangeDates(
      after: try lines.changeDates(at: index, of: former, path: path), from: former, to: changed,
      hasOtherSecret: !formerCredential.isSame(as: credential))
    try insert(changed, credential, dates, replacing: index)
    if let retired = retired.take() { try keep(retired) }
    return changed
  }

  /// Puts an item's line in, and takes out the one at `index`.
  ///
  /// - Parameter changed: when its parts were changed; all when the item was, if `nil`.
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

  /// Puts in the line of a record that is in use.
  func put(_ line: borrowing Secret) {
    lines.insert(line)
    isDirty = true
  }

  /// Sees to it that the new generation comes after that of another copy, too.
  func follow(_ other: VaultHead) {
    // Where it has been seen, an older one than that would be refused.
    if other.generation >= head.generation - 1 { isDirty = true }
    head.generation = max(head.generation, other.generation + 1)
  }

  /// Takes out the line at `index` for good.
  func remove(_ index: Int) {
    lines.remove(index)
    isDirty = true
  }

  /// Writes the new generation and puts it in the old one's place. Before that it is read back from the file that
  /// was written, by the code that every reader uses.
  func commit(at now: Timestamp) throws(KeychainError) {
    guard isDirty, let key, let stanzas else {
      try? putCopiesAway()
      return
    }
    try forgetExpired(at: now)
    head.written = now
    if newVault != nil { try noteSlots(stanzas, at: now) }
    let encoded = try EncodedVault(lines, head: head, stanzas: stanzas, key: key, path: path)
    if let newVault {
      try newVault.install(at: unlocking.location, in: locked.folder) { () throws(KeychainError) in
        try write(encoded, key)
      }
    } else if let newIdentityFile {
      let previous = head.previous
      try newIdentityFile.install(at: unlocking.location) { () throws(KeychainError) in
        try write(encoded, key)
      } hasFailed: {
        // Where it can't be told which one is there now, the new one's key stays.
        guard let file = try? locked.folder.file(VaultLocation.vaultName) else { return false }
        return (try? VaultSnapshot.readHeader(file).0.mac) == previous
      }
    } else {
      try write(encoded, key)
      // The change is made by now; what is cut off here the next write completes.
      if let state = try? Folder(opening: unlocking.location.stateFolder) {
        try? NewIdentityFile.complete(key, in: state)
      }
    }
    // The change is made by now; what fails of the rest is tried again with the next one.
    try? copySlots(of: stanzas)
    isDirty = false
    for listener in listeners { listener() }
    listeners = []
  }

  /// Has `listener` called once the change is on the disk.
  func onCommit(_ listener: @escaping () -> Void) {
    listeners.append(listener)
  }

  /// Removes all earlier generations, once the change is on the disk.
  ///
  /// - Throws: ``KeychainError/earlierStatesRemain(because:)``.
  func purgeGenerations() throws(KeychainError) {
    do throws(KeychainError) {
      // The former file is one where it could not be removed after the exchange.
      try locked.folder.removeTemporaries(for: VaultLocation.vaultName, replaced: before?.status)
      try Generations(creatingIn: locked.folder).purge()
      NewestWrite.forget(knownTo: head, besides: newestWriteName, in: locked.folder)
    } catch {
      throw .earlierStatesRemain(because: error)
    }
  }

  /// Puts the copies away that were taken in, among the earlier generations.
  private func putCopiesAway() throws(KeychainError) {
    if mergedCopies.isEmpty { return }
    let generations = try Generations(creatingIn: locked.folder)
    for copy in mergedCopies { try generations.take(copy.name, from: locked.folder, as: copy.keptAs) }
    mergedCopies = []
    try locked.folder.synchronize()
  }

  /// Keeps the last writes that are in no generation yet, be it that this change has just taken them in.
  ///
  /// - Returns: their names.
  private func setLastWritesAside() throws(KeychainError) -> [String] {
    var names: [String] = []
    for name in try NewestWrite.names(in: locked.folder) where try isToBeKept(name) {
      if let path = try NewestWrite.setAside(name, as: takenIn[name], in: locked.folder) {
        setAside.append(path)
      }
      names.append(name)
    }
    return names
  }

  private func isToBeKept(_ name: String) throws(KeychainError) -> Bool {
    if let before, let status = try? locked.folder.status(of: name), status.isSameFile(as: before.status) {
      return false
    }
    if takenIn[name] != nil { return true }
    let isOwn = name == newestWriteName
    // What takes the place of an unreadable vault comes after all that was seen, and this may be what nobody could read.
    // Other machines' are looked at by the next change.
    guard let beginning, let uuid = stanzas?.uuid else { return isOwn }
    switch try NewestWrite.look(at: name, besides: beginning, head, in: locked.folder, unlocking) {
    case .known, .ahead: return false
    case .missed, .undecided: return true
    case .otherKey:
      return !NewestWrite.isBeingReplaced(name, of: uuid, in: locked.folder, at: unlocking.location)
    // Its name is about to be another's.
    case .notOpened: return isOwn
    }
  }

  private func write(
    _ encoded: borrowing EncodedVault, _ key: VaultKey
  ) throws(KeychainError) {
    var written: SeenGeneration?
    var putAside: [String] = []
    let displaced = ConflictCopies.newName()
    try encoded.file.lendingBytes { (file) throws(KeychainError) in
      try locked.folder.replace(
        VaultLocation.vaultName, with: file,
        replaced: before.map { ($0.status, displaced) }
      ) { (temporary) throws(KeychainError) in
        guard let file = try locked.folder.file(temporary) else {
          throw .missing(path: locked.folder.path(of: temporary))
        }
        let snapshot = try VaultSnapshot(file) { (header, _) throws(KeychainError) in
          guard let unlocked = try unlocking.open(header, with: key) else { throw .wrongIdentity(path: path) }
          return unlocked
        }
        guard try snapshot.hasPlaintext(encoded.plaintext) else {
          throw .damaged(path: path, detail: "what was written can't be read back")
        }
        written = snapshot.generation
        if let beginning, beginning.key.recipient != key.recipient, let uuid = stanzas?.uuid {
          // Whichever of the two is there afterwards is the one that was seen last.
          try snapshot.generation.remember(
            of: uuid, key, at: unlocking.location, besides: beginning.generation, beginning.key)
        }
        if let before {
          try Generations(creatingIn: locked.folder).keep(
            VaultLocation.vaultName, in: locked.folder, before.status, as: before.keptAs,
            displaced: displaced)
        }
        // Nobody else has a new vault yet.
        if !isNew {
          putAside = try setLastWritesAside()
          NewestWrite.keep(temporary, as: newestWriteName, in: locked.folder)
        }
      }
    }
    // The change is made by now.
    if let stanzas {
      try? written?.remember(of: stanzas.uuid, key, at: unlocking.location, isLasting: before == nil)
    }
    if before != nil { try? Generations(creatingIn: locked.folder).prune(keyedSince: head.keyedSince) }
    try? putCopiesAway()
    if !isNew { NewestWrite.forget(knownTo: head, putAside, besides: newestWriteName, in: locked.folder) }
  }
}

extension Credential {
  /// Whether what this one has and the newer one hasn't could be missed: another secret or refresh token that is
  /// not out of date.
  fileprivate borrowing func isWorthKeeping(besides newer: borrowing Credential, at now: Timestamp) -> Bool {
    if hasSameSecret(as: newer), hasSameRefreshToken(as: newer) { return false }
    if !isExpired(at: now) { return true }
    return hasRefreshToken && !hasSameRefreshToken(as: newer)
  }
}
