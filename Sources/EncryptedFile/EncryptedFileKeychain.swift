import Age
public import Keychain
import PrivateFiles
public import UnlockCache

/// The keychain in one encrypted file: a standard age file that `age -d` opens.
///
/// Reading takes no lock and sees one generation. Writing locks, reads again, and puts a whole new file in the place
/// of the old one; what is acknowledged is on the disk.
///
/// A vault's key stays in memory as long as the object lives, unless the unlock cache keeps it, too: then the vault is
/// locked as soon as the cache has forgotten the key, whichever process locked it.
public final class EncryptedFileKeychain: KeychainStore {
  /// Something that whoever uses the keychain may want to say.
  public enum Notice: Hashable, Sendable {
    /// A vault was made because there was none.
    case created(VaultLocation)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A sync program had put copies of the vault beside it. So many were merged into it.
    case merged(copies: Int)
    /// A file beside the vault looks like a copy of it, and can't be merged.
    case unmerged(path: String, KeychainError)
    /// Another process has asked for the passphrase for five seconds.
    case waitingForPassphrase
  }

  /// Where the vault is.
  public let location: VaultLocation

  var unlocking: Unlocking
  let patience: Int
  private let onNotice: (Notice) -> Void
  /// Whether reading leaves everything as it is: copies beside the vault are not merged, and which generation was seen
  /// is not remembered.
  package var onlyReads = false
  let clock: () -> Timestamp
  /// Where it is remembered elsewhere that there is a vault.
  let remembered: () -> String?

  var snapshot: VaultSnapshot?
  /// Copies beside the vault that are still to be merged, as of the last look.
  private var copies: [String] = []
  /// Those that can't be merged.
  private var passedOver: Set<String> = []
  /// Whether what this machine wrote last is still to be merged, as of the last look.
  private var hasMissedWrite = false
  /// What opened the vault before.
  var key: VaultKey? { didSet { if key !== oldValue { keptVault = nil } } }
  /// The vault whose key is there because the cache keeps it, or because it has been given to the cache.
  private var keptVault: String?
  private var change: VaultChange?
  /// Whether `snapshot` is what there is, whatever others write meanwhile.
  private var isPinned = false

  /// A keychain at a place where there is a vault, or none yet: then the first item that is added makes one that
  /// the plain identity file opens.
  ///
  /// - Parameters:
  ///   - location: the place.
  ///   - passphrase: asks for the passphrase of a vault that has one.
  ///   - respondent: who would give it now. One process asks at a time, and the cache keeps what it opened.
  ///   - cache: what keeps a vault with a passphrase unlocked. Without one that is asked for at each use.
  ///   - openers: what may open it before anybody is asked.
  ///   - maximumWorkFactor: the most work that a passphrase may be, as scrypt's log2 N, at most 22.
  ///   - patience: how many seconds a writer waits for others.
  ///   - onNotice: hears of what happens.
  ///   - clock: what dates are read from.
  ///   - remembered: the path of the vault of which the caller remembers that something was stored in it; `nil` where it
  ///     remembers none. Asked where there is no vault: then that one is missing.
  public init(
    at location: VaultLocation, passphrase: @escaping PassphraseSource = { _ in nil },
    respondent: @escaping () -> PassphraseRespondent = { .person }, cache: UnlockCache? = nil,
    openers: SlotOpeners = SlotOpeners(), maximumWorkFactor: Int = 20,
    patience: Int = 60, onNotice: @escaping (Notice) -> Void = { _ in },
    clock: @escaping () -> Timestamp = { .now }, remembered: @escaping () -> String? = { nil }
  ) {
    self.location = location
    self.remembered = remembered
    unlocking = Unlocking(
      location: location, passphrase: passphrase, maximumWorkFactor: maximumWorkFactor, cache: cache,
      respondent: respondent, onWaiting: { onNotice(.waitingForPassphrase) }, openers: openers)
    self.patience = patience
    self.onNotice = onNotice
    self.clock = clock
  }

  // MARK: Reading

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

  // MARK: Changing

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try add(keepingDatesOf: item.undated, credential)
  }

  /// Adds an item with its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try changing { (change) throws(KeychainError) in
      if change.isNew, !change.isMade {
        try change.make(.identityFile)
        change.onCommit { [onNotice, location] in onNotice(.created(location)) }
      }
      try change.refuseTwin(of: item, except: nil)
      let now = clock()
      var added = item
      added.reference = ItemReference(ByteString(timeOrderedUUID(at: now, change.randomness.next(16))))
      added.creationDate = item.creationDate ?? now
      added.modificationDate = item.modificationDate ?? now
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
            try change.retire(try change.index(of: item), .deleted, at: clock())
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
    try change.commit(at: clock())
    return result
  }

  func changing<Result>(
    _ body: (VaultChange) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    // A savepoint costs a copy of where all lines are, and one step of a change needs none.
    if let change { return try body(change) }
    return try exclusively { () throws(KeychainError) -> Result in
      guard let change else { throw .itemNotFound }
      return try body(change)
    }
  }

  /// The vault's folder, and the right to change the vault.
  func lockFolder(patience: Int) throws(KeychainError) -> LockedFolder {
    let folder = try Folder(creating: location.vaultFolder)
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: patience) {
      onNotice(.waiting(path: location.vaultFolder + "/" + VaultLocation.lockName))
    }
    let exchanged = folder.removeStaleTemporaries()
    return LockedFolder(folder: folder, lock: lock, exchanged: exchanged)
  }

  /// - Parameter needsIdentity: whether the identity itself has to be had.
  func beginChange(patience: Int? = nil, needsIdentity: Bool = false) throws(KeychainError) -> VaultChange {
    forgetWhatIsLocked()
    // A person who is asked must not keep others waiting that have nothing to ask. And where a vault is missing no
    // folder is made, which a disk would then be mounted over.
    if key == nil { _ = try newest() } else { _ = try vaultFile() }
    let locked = try lockFolder(patience: patience ?? self.patience)
    isPinned = false
    let snapshot = try newest(needsIdentity: needsIdentity)
    if let snapshot, !locked.exchanged.isEmpty {
      TakenOut.settle(locked.exchanged, in: locked.folder, besides: snapshot)
    }
    // The change takes the lines away.
    self.snapshot = nil
    let change = try VaultChange(snapshot, locked, unlocking: unlocking)
    var count = try change.mergeCopies(except: passedOver) { (name, path, error) in
      passedOver.insert(name)
      onNotice(.unmerged(path: path, error))
    }
    if let snapshot,
      let write = NewestWrite.find(replacedBy: snapshot, change.head, in: change.locked.folder, unlocking)
    {
      do throws(KeychainError) {
        if try change.merge(write) { count += 1 }
      } catch {
        onNotice(.unmerged(path: write.snapshot.path, error))
      }
    }
    if count > 0 { change.onCommit { [onNotice, count] in onNotice(.merged(copies: count)) } }
    return change
  }

  // MARK: Unlocking

  /// What came of unlocking a vault.
  public enum Unlocked: Hashable, Sendable {
    /// There is no vault yet.
    case noVault
    /// This machine's identity file opens it at any time.
    case notNeeded
    /// It was unlocked already.
    case already(UnlockState)
    /// It is unlocked now.
    case kept(UnlockState)
  }

  /// Lets the cache keep the vault unlocked for the cache's limits from now on.
  ///
  /// - Parameter anew: whether the passphrase is asked for, and the limits begin, also if the vault is unlocked.
  /// - Throws: as ``items(matching:)`` does; `KeychainError.unavailable` if there is no cache, and what
  ///   keeping throws.
  public func unlock(anew: Bool) throws(KeychainError) -> Unlocked {
    guard let cache = unlocking.cache, cache.mode != .none else {
      throw .unavailable(reason: "nothing is to keep it unlocked")
    }
    guard let file = try vaultFile() else { return .noVault }
    var way = Unlocking.Way.identityFile
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      try unlocking.unlock(header, stanzas, for: anew ? .keepingAnew : .keeping, by: &way)
    }
    key = opened.key
    keptVault = way == .identityFile ? nil : opened.stanzas.uuid
    snapshot = opened
    if way == .identityFile { return .notNeeded }
    guard let state = cache.state(of: opened.stanzas.uuid) else {
      throw .unavailable(reason: "what is to keep it unlocked has forgotten it")
    }
    return way == .keptKey ? .already(state) : .kept(state)
  }

  /// How long the vault stays unlocked; `nil` if it is locked, or its key lies in the identity file.
  ///
  /// - Throws: as ``items(matching:)`` does, but not for a locked vault.
  public func unlockState() throws(KeychainError) -> UnlockState? {
    guard let cache = unlocking.cache, let file = try vaultFile() else { return nil }
    return cache.state(of: try VaultSummary.stanzas(of: file).uuid)
  }

  /// What came of locking a vault.
  public enum Locked: Hashable, Sendable {
    /// There is no vault yet.
    case noVault
    /// It has no slots: its key lies in the identity file.
    case notPossible
    /// It is locked now.
    case locked
    /// This process has forgotten its key, but these may keep it still.
    case kept(by: [UnlockKeeper])
  }

  /// Lets the cache forget the vault's key, whatever keeps it.
  ///
  /// - Throws: as ``items(matching:)`` does, but not for a locked vault.
  public func lock() throws(KeychainError) -> Locked {
    let found: OpenFile?
    do throws(KeychainError) {
      found = try vaultFile()
    } catch {
      // What may be kept is the key of one that was seen here.
      for uuid in SeenGeneration.uuids(in: location.stateFolder) { unlocking.cache?.forget(uuid) }
      throw error
    }
    guard let file = found else { return .noVault }
    let stanzas = try VaultSummary.stanzas(of: file)
    let keepers = unlocking.cache?.forget(stanzas.uuid) ?? []
    key = nil
    snapshot = nil
    if !keepers.isEmpty { return .kept(by: keepers) }
    return stanzas.slots.isEmpty ? .notPossible : .locked
  }

  /// Forgets a vault's key if the cache has forgotten it since: its time is over, or another process has locked the
  /// vault. A key that the cache was never given stays.
  private func forgetWhatIsLocked() {
    guard let keptVault, let cache = unlocking.cache, cache.key(of: keptVault) == nil else { return }
    key = nil
    snapshot = nil
  }

  // MARK: Snapshots

  /// Lends the lines of the change under way, or else of the newest generation.
  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let change { return try change.withLines(beginning: beginning, body) }
    guard let snapshot = try current() else { return try body(VaultLines(), 0..<0) }
    return try snapshot.withLines(beginning: beginning, body)
  }

  /// The newest generation, unlocked, with what copies beside it have; `nil` if there is no vault yet.
  func current() throws(KeychainError) -> VaultSnapshot? {
    if isPinned { return snapshot }
    forgetWhatIsLocked()
    guard let snapshot = try newest() else { return nil }
    if copies.isEmpty && !hasMissedWrite || onlyReads { return snapshot }
    hasMissedWrite = false
    do throws(KeychainError) {
      // Whoever asks something doesn't wait long for it: another process may be merging already.
      try beginChange(patience: 1).commit(at: clock())
    } catch {
      passedOver.formUnion(copies)
      onNotice(.unmerged(path: location.vaultFolder, error))
    }
    return try newest()
  }

  /// The newest generation, unlocked; the same object as before if nobody wrote. `nil` if there is no vault yet.
  ///
  /// - Parameter needsIdentity: whether the identity itself has to be had, and not only what an agent gives.
  /// - Throws: ``KeychainError/rolledBack(path:generation:seen:)``.
  func newest(needsIdentity: Bool = false) throws(KeychainError) -> VaultSnapshot? {
    let state = StateFolder(location)
    guard let opened = try newestWhateverWasSeen(needsIdentity: needsIdentity, state) else { return nil }
    if let snapshot, snapshot === opened { return opened }
    if let error = try rollback(opened, state) {
      // Perhaps another process has written since the file was opened.
      guard let file = try vaultFile(), file.status != opened.status else { throw error }
      return try newest(needsIdentity: needsIdentity)
    }
    snapshot = opened
    return opened
  }

  /// That an older state than what was seen here has come into the vault's place; `nil` if none has.
  private func rollback(_ opened: VaultSnapshot, _ state: StateFolder) throws(KeychainError) -> KeychainError?
  {
    let uuid = opened.stanzas.uuid
    let generation = opened.generation
    var newer: SeenGeneration?
    let (memory, isHere) = try SeenGeneration.remembered(of: uuid, opened.key, in: state)
    switch memory {
    case .seen(generation):
      // A vault that has moved is to be missed where it is now.
      if !isHere, !onlyReads { try? rememberUnlessWritten(opened) }
      return nil
    case .seen(let seen) where seen.number >= generation.number:
      if try hasReplacedUnseen(opened) { return nil }
      newer = seen
    case .otherKey: break
    case .seen, .nothing:
      // As long as it isn't merged, it is what was seen last.
      if try hasReplacedUnseen(opened) { return nil }
      // Not being able to remember it is no reason to answer nothing.
      if !onlyReads { try? rememberUnlessWritten(opened) }
      return nil
    }
    if let newer, let folder = try Folder(opening: location.vaultFolder) {
      // A sync program has put the newer one aside.
      for name in try ConflictCopies.names(in: folder) {
        let copy = try? ConflictCopies.open(name, in: folder, uuid: uuid, with: opened.key, unlocking)
        if copy?.generation == newer { return nil }
      }
    }
    return .rolledBack(path: location.vaultFile, generation: generation.number, seen: newer?.number)
  }

  /// Whether a generation has come into the place of what this machine wrote last, and doesn't come from it.
  private func hasReplacedUnseen(_ opened: VaultSnapshot) throws(KeychainError) -> Bool {
    guard let folder = try Folder(opening: location.vaultFolder),
      let write = NewestWrite.find(replacedBy: opened, opened.first.head, in: folder, unlocking),
      write.isMissed
    else { return false }
    hasMissedWrite = true
    return true
  }

  /// Remembers a generation that somebody else has written. Under the lock, and not where a writer holds it, who
  /// remembers his own: a reader that is slow here would put its note over his, and where he has changed the vault's
  /// key meanwhile, everybody would take the vault for an older one.
  private func rememberUnlessWritten(_ opened: VaultSnapshot) throws(KeychainError) {
    guard let folder = try Folder(opening: location.vaultFolder) else { return }
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    defer { withExtendedLifetime(lock) {} }
    guard let file = try openVault(), file.status == opened.status else { return }
    try opened.generation.remember(of: opened.stanzas.uuid, opened.key, at: location)
  }

  /// Takes the vault as it is for the newest state of it.
  ///
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; what locking, unlocking and writing throw.
  public func acceptRollback() throws(KeychainError) {
    if try vaultFile() == nil { throw .itemNotFound }
    let locked = try lockFolder(patience: patience)
    defer { withExtendedLifetime(locked) {} }
    guard let opened = try newestWhateverWasSeen(StateFolder(location)) else { throw .itemNotFound }
    try opened.generation.remember(of: opened.stanzas.uuid, opened.key, at: location)
  }

  /// The same, also where a newer one has been seen before.
  private func newestWhateverWasSeen(
    needsIdentity: Bool = false, _ state: StateFolder
  ) throws(KeychainError) -> VaultSnapshot? {
    var attempts = 3
    while true {
      guard let file = try vaultFile() else {
        snapshot = nil
        return nil
      }
      if let snapshot, snapshot.status == file.status,
        !needsIdentity || snapshot.key.identity is X25519Identity
      {
        return snapshot
      }
      let status = file.status
      do throws(KeychainError) {
        return try unlock(file, needsIdentity: needsIdentity, state)
      } catch {
        // What opens it may have been exchanged after the file was opened, and then there is a new file.
        attempts -= 1
        if attempts > 0, error.isAboutUnlocking, let newer = try vaultFile(), newer.status != status {
          continue
        }
        throw error
      }
    }
  }

  /// Opens what another one has opened without asking anybody again.
  func use(_ other: EncryptedFileKeychain) {
    key = other.key
  }

  /// Opens a vault's file with what opened it before, or else as it can be opened.
  func unlock(
    _ file: consuming OpenFile, needsIdentity: Bool = false, _ state: StateFolder? = nil
  ) throws(KeychainError) -> VaultSnapshot {
    var keptVault = keptVault
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      try unlock(header, stanzas, needsIdentity: needsIdentity, state, &keptVault)
    }
    key = opened.key
    self.keptVault = keptVault
    return opened
  }

  func unlock(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> UnlockedHeader {
    var keptVault: String?
    return try unlock(header, stanzas, needsIdentity: false, nil, &keptVault)
  }

  private func unlock(
    _ header: Header, _ stanzas: VaultStanzas, needsIdentity: Bool, _ state: StateFolder?,
    _ keptVault: inout String?
  ) throws(KeychainError) -> UnlockedHeader {
    // Nobody is asked a second time because another process wrote meanwhile.
    if let key, !needsIdentity || key.identity is X25519Identity,
      let unlocked = try unlocking.open(header, with: key)
    {
      return unlocked
    }
    var unlocking = unlocking
    unlocking.needsIdentity = needsIdentity
    unlocking.state = state
    var way = Unlocking.Way.identityFile
    let unlocked = try unlocking.unlock(header, stanzas, for: .use, by: &way)
    let isKept =
      switch way {
      case .identityFile: false
      case .keptKey: true
      case .slot, .passphrase: unlocking.cache?.key(of: stanzas.uuid) != nil
      }
    keptVault = isKept ? stanzas.uuid : nil
    return unlocked
  }

  /// The vault's file; `nil` if there is none yet.
  ///
  /// - Throws: ``KeychainError/missing(path:)`` and ``KeychainError/elsewhere(path:known:)`` if there was one.
  func vaultFile() throws(KeychainError) -> OpenFile? {
    if let file = try openVault() { return file }
    guard let absence = try absence() else { return nil }
    // Perhaps another process has made it all since the first look.
    if let file = try openVault() { return file }
    throw absence
  }

  func openVault() throws(KeychainError) -> OpenFile? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    copies = try ConflictCopies.names(in: folder).filter { !passedOver.contains($0) }
    return try folder.file(VaultLocation.vaultName)
  }
}

extension KeychainError {
  /// Whether another key would have helped.
  fileprivate var isAboutUnlocking: Bool {
    switch self {
    case .wrongIdentity, .missing, .locked, .noSlotOpens, .slot: true
    default: false
    }
  }
}
