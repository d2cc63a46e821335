import Bytes
import EncryptedFile
import Glibc
import Keychain

/// Syncs a keychain with the git repository that it is shared through.
struct SharedKeychainSync {
  struct Outcome: Sendable {
    /// How many items others have changed.
    var received = 0
    /// How many local changes others have overridden, since a person was last told.
    var overridden = 0
    /// The members added with a former key, who have nothing of the present one, since a person was last told.
    var withFormerKey: [String] = []
    /// How many records were sent.
    var sent = 0
    /// How many records wait here, because the repository takes nothing from here.
    var waiting = 0
    /// Why it doesn't; `nil` if it took everything.
    var refusal: String?
    /// More than one if others were faster.
    var attempts = 0
    /// Whether somebody else has made a new key.
    var tookKey = false
    /// How many unreadable files in the repository were replaced.
    var mended = 0
    /// The folders with the former files, if the keychain was taken anew.
    var putAside: [String] = []

    /// The outcome of this exchange and the next: that of the next one, with the news for a person from both.
    func followed(by next: Self) -> Self {
      var both = next
      both.overridden += overridden
      both.withFormerKey = withFormerKey + next.withFormerKey.filter { !withFormerKey.contains($0) }
      return both
    }
  }

  let keychain: EncryptedFileKeychain
  let repository: SharedRepository
  /// The absolute path of the member's identity file; `nil` to leave it to the keychain.
  let identity: String?
  /// Asks whether the local keychain may replace one that nothing here opens.
  var mayReplace: () -> Bool = { true }
  /// Whether a person is told the outcome.
  var isTold = false
  /// How long to wait for another process that syncs, in seconds.
  var patience = 120

  /// How many changes to read again that were in the branch when it was last seen, and have gone since. There are more
  /// only if nobody has synced here for long, and then they are in a whole vault by now.
  private static let maximumEarlierChanges = 200
  /// The most to read of them, in bytes.
  private static let earlierLimit = 128 << 20
  /// If others are faster each time.
  private static let maximumAttempts = 60
  /// How many attempts one lock may block, while nobody changes anything.
  private static let maximumLocked = 15
  /// The remote and its branch, as in ``SyncNote/sentTo``.
  private var branchInWords: String { "\(repository.remote) \(repository.branch)" }
  /// The repository's name in errors.
  private var place: String { "\(SharedRepository.wholeName) of \(repository.remote)" }

  init(_ keychain: EncryptedFileKeychain, _ repository: SharedRepository, identity: String?) {
    self.keychain = keychain
    self.repository = repository
    self.identity = identity
  }

  var stateFolder: String { keychain.location.stateFolder }

  /// Whether the keychain has changed since the last complete sync.
  static func hasChanges(_ keychain: EncryptedFileKeychain) -> Bool {
    guard let state = keychain.stateName else { return false }
    return SyncNote(in: keychain.location.stateFolder).shared != state
  }

  /// Takes a lease for work that only one machine may do at a time, and whose result has to be sent afterwards.
  ///
  /// - Parameters: as for ``SharedRepository/takeLease(_:over:)``.
  /// - Throws: ``SharingFault``, also if the branch takes nothing from here.
  func takeLease(_ name: String, over former: String?) throws(SharingFault) -> SharedLease {
    let lease = try repository.takeLease(name, over: former)
    switch lease {
    case .held, .failed: break
    // A repository that refuses leases may refuse everything at present.
    case .unknown: try proveWritable(isKnown: false)
    case .taken(let holder):
      do throws(SharingFault) {
        try proveWritable(isKnown: true)
      } catch {
        try? repository.endLease(name, of: holder)
        throw error
      }
    }
    return lease
  }

  /// Checks that the branch can be written.
  ///
  /// - Parameter isKnown: whether any earlier success counts.
  private func proveWritable(isKnown: Bool) throws(SharingFault) {
    if isKnown, SyncNote(in: stateFolder).sentTo == branchInWords { return }
    let turn = try turn(isQueued: false)
    defer { withExtendedLifetime(turn) {} }
    try repository.proveWritable()
    var note = SyncNote(in: stateFolder)
    note.sentTo = branchInWords
    note.write(in: stateFolder)
  }

  /// Whether the repository has a keychain, which this machine still has to take.
  func hasKeychain() throws(SharingFault) -> Bool {
    try repository.make()
    guard let tip = try repository.fetch() else { return false }
    return try repository.files(in: tip).contains { $0.path == SharedRepository.wholeName }
  }

  /// Whether the repository has the keychain that is here, whatever its state.
  func hasSameKeychain() throws(SharingFault) -> Bool {
    guard let tip = try repository.fetch(),
      let whole = try repository.files(in: tip).first(where: { $0.path == SharedRepository.wholeName }),
      let file = try repository.contents(of: [whole.object]).first
    else { return false }
    return try SharingFault.ofKeychain { () throws(KeychainError) in
      try keychain.isSame(as: file, from: place)
    }
  }

  /// Syncs both.
  ///
  /// - Parameters:
  ///   - acceptsRewritten: whether to go on from the repository as it is, even if it doesn't descend from what this
  ///     machine has seen. Anything that it lacks is sent again.
  ///   - isAnew: whether to put the local keychain aside first, and take it as this machine last saw it in the
  ///     repository; with `acceptsRewritten` as it is there now, whoever made its key.
  ///   - isQueued: whether to do nothing if another process already waits to do it.
  /// - Throws: ``SharingFault``. Anything received until then stays.
  func sync(
    acceptsRewritten: Bool = false, isAnew: Bool = false, isQueued: Bool = false
  ) throws(SharingFault) -> Outcome {
    guard let turn = try turn(isQueued: isQueued) else { return Outcome() }
    defer { withExtendedLifetime(turn) {} }
    var note = SyncNote(in: stateFolder)
    note.triedAt = .now
    do throws(SharingFault) {
      var outcome = try inStep(acceptsRewritten, isAnew, &note)
      // Everything here was received, not only the changes.
      if isAnew, let count = (try? keychain.summary())??.contents?.count { outcome.received = count }
      note.problem = outcome.refusal
      note.waiting = outcome.waiting
      if isTold { (note.overridden, note.withFormerKey) = (0, []) }
      note.write(in: stateFolder)
      repository.tidy()
      return outcome
    } catch {
      note.problem = error.text
      note.write(in: stateFolder)
      throw error
    }
  }

  private func inStep(
    _ acceptsRewritten: Bool, _ isAnew: Bool, _ note: inout SyncNote
  ) throws(SharingFault) -> Outcome {
    var outcome = Outcome()
    (outcome.overridden, outcome.withFormerKey) = (note.overridden, note.withFormerKey)
    try repository.make()
    repository.removeAbandonedLocks()
    var (locked, lockedTip): (Int, String?) = (0, nil)
    while true {
      outcome.attempts += 1
      if outcome.attempts > Self.maximumAttempts { throw .contended(attempts: outcome.attempts - 1) }
      let tip = try repository.fetch()
      let seen = try repository.seen()
      if let seen, !acceptsRewritten {
        guard let tip, try repository.comes(tip, from: seen) else {
          throw .rewritten(seen: seen, found: tip)
        }
        if outcome.attempts == 1, !isAnew, tip == seen, let state = keychain.stateName, state == note.shared {
          note.sharedAt = .now
          note.askedAt = note.sharedAt
          return outcome
        }
      }
      let files: SharedFiles?
      do throws(SharingFault) {
        files = try tip.flatMap { (tip) throws(SharingFault) in try self.files(in: tip, since: seen) }
      } catch .tooMuch where acceptsRewritten {
        files = nil
      }
      if let tip, files == nil, seen != nil, !acceptsRewritten { throw .keychainRemoved(commit: tip) }
      if isAnew, outcome.attempts == 1 {
        outcome.putAside = try takeAnew(files, trustsKey: acceptsRewritten)
      }
      let result: Reconciliation
      do throws(SharingFault) {
        result = try reconcile(files, isTaken: isAnew)
      } catch .unusable where acceptsRewritten, .untrustedKey where acceptsRewritten {
        // The repository's vault has a former key, or somebody else's: the local one replaces it.
        result = try reconcile(nil)
      } catch .untrustedKey(let detail, _) {
        throw .untrustedKey(detail: detail, putAside: outcome.putAside)
      } catch .notMember(true) where acceptsRewritten && mayReplace() {
        // Anybody who can write to the repository can put a vault there that no member opens.
        result = try reconcile(nil)
      }
      note.askedAt = .now
      outcome.received += result.received
      outcome.overridden += result.overridden
      for slot in result.slotsWithFormerKey {
        let member = [slot.label, slot.recipient].compactMap { $0 }.joined(separator: ", ")
        if !outcome.withFormerKey.contains(member) { outcome.withFormerKey.append(member) }
      }
      (note.overridden, note.withFormerKey) = (outcome.overridden, outcome.withFormerKey)
      outcome.tookKey = outcome.tookKey || result.tookKey
      outcome.mended += result.unreadable
      note.waiting = result.waiting
      if !result.slotsToDrop.isEmpty {
        // Somebody else has made a key, and it brings back slots that were removed here.
        if let tip { try repository.see(tip) }
        try SharingFault.ofKeychain { () throws(KeychainError) in
          try keychain.rotate(dropping: result.slotsToDrop, passphrase: { _, _ in nil }, announce: { _ in })
        }
        continue
      }
      let change: SharedRepository.Change
      switch result.publication {
      case .nothing:
        if let tip { try repository.see(tip) }
        note.shared = result.state
        note.sharedAt = .now
        return outcome
      case .change(let file): change = .added(file)
      case .whole(let file):
        change = .whole(file, slots: try SharingFault.ofKeychain(keychain.slotFiles))
      }
      let commit = try repository.commit(change, after: tip, message: Self.message(of: change))
      do throws(SharingFault) {
        if case .rejected(let lock) = try repository.push(commit) {
          locked = lock == nil ? 0 : tip == lockedTip ? locked + 1 : 1
          lockedTip = tip
          if let lock, locked == Self.maximumLocked { throw .locked(file: lock) }
          // Random, so that many refused ones don't all come back at once.
          usleep(UInt32.random(in: 10_000...(UInt32(min(outcome.attempts, 10)) * 60_000)))
          continue
        }
      } catch .refused(let said) {
        if let tip { try repository.see(tip) }
        outcome.refusal = said.isEmpty ? "it takes nothing from here" : said
        outcome.waiting = max(1, result.waiting)
        return outcome
      }
      try repository.see(commit)
      note.sentTo = branchInWords
      note.shared = result.state
      note.sharedAt = .now
      outcome.sent += result.waiting
      // The keychain notes that others have the key.
      if result.isKeyUnsent { continue }
      return outcome
    }
  }

  /// The messages reveal nothing about changes: the history may be read by people who can't open the keychain.
  private static func message(of change: SharedRepository.Change) -> String {
    switch change {
    case .added: "Change the keychain"
    case .whole: "Write the whole keychain"
    }
  }

  /// The keychain's files in a commit; `nil` if there are none.
  private func files(in tip: String, since seen: String?) throws(SharingFault) -> SharedFiles? {
    let present = try repository.files(in: tip)
    guard let whole = present.first(where: { $0.path == SharedRepository.wholeName }) else { return nil }
    let changes = present.filter { $0.path != SharedRepository.wholeName }
    var earlier: [SharedRepository.File] = []
    var trusted: String?
    if let seen {
      let former = try repository.files(in: seen)
      trusted = former.first { $0.path == SharedRepository.wholeName }?.object
      if seen != tip { earlier = former + (try repository.history(from: seen, to: tip)) }
      // The newest, as far as there is room for them.
      var (room, changes) = (Self.earlierLimit, Self.maximumEarlierChanges)
      earlier = earlier.reversed().filter { file in
        let isChange = file.path != SharedRepository.wholeName
        if file.size > room || isChange && changes == 0 { return false }
        room -= file.size
        if isChange { changes -= 1 }
        return true
      }.reversed()
    }
    var known = Set(present.map(\.object))
    let objects = earlier.map(\.object).filter { known.insert($0).inserted }
    let named = [whole.object] + (trusted.map { [$0] } ?? []) + changes.map(\.object) + objects
    var contents = try repository.contents(of: named)[...]
    let file = contents.removeFirst()
    let trustedFile = trusted == nil ? nil : contents.removeFirst()
    return SharedFiles(
      whole: file, changes: Array(contents.prefix(changes.count)),
      earlier: Array(contents.dropFirst(changes.count)), trusted: trustedFile)
  }

  /// - Parameters:
  ///   - isAgain: whether room was made for the repository's files.
  ///   - isTaken: whether the local keychain already came from the repository, whose present one must not replace it
  ///     unexamined.
  private func reconcile(
    _ files: SharedFiles?, isAgain: Bool = false, isTaken: Bool = false
  ) throws(SharingFault) -> Reconciliation {
    do throws(KeychainError) {
      if let files, !isTaken { try keychain.take(files.whole, from: place) }
      if let identity, !keychain.location.hasBeenMember { try keychain.noteIdentity(identity) }
      let result = try keychain.reconcile(with: files, at: place)
      keychain.location.noteInclusion()
      return result
    } catch {
      switch error {
      case .otherKey(place):
        keychain.location.noteExclusion()
        throw .notMember(wasBefore: keychain.location.hasBeenMember)
      case .noSlotOpens(keychain.location.vaultFile), .locked(keychain.location.vaultFile):
        if !isAgain, let files, try isLetInAgain(by: files.whole) {
          return try reconcile(files, isAgain: true)
        }
        throw .notMember(wasBefore: keychain.location.hasBeenMember)
      case .damaged(place, let detail):
        if error == .untrustedKey(of: place) { throw .untrustedKey(detail: detail, putAside: []) }
        throw .unusable(detail: detail)
      case .wrongIdentity(place): throw .otherKeychain
      default: throw .keychain(error)
      }
    }
  }

  /// Takes the keychain as this machine last saw it in the repository, so that anybody who has changed its key since
  /// must still prove to have had the former one.
  ///
  /// - Parameter trustsKey: whether to take it as it is now instead, without any proof.
  private func takeAnew(_ files: SharedFiles?, trustsKey: Bool) throws(SharingFault) -> [String] {
    guard let files else { throw .noKeychain }
    guard let identity else { throw .notMember(wasBefore: false) }
    let whole = trustsKey ? files.whole : files.trusted ?? files.whole
    do throws(KeychainError) {
      return try keychain.takeAnew(whole, openedBy: identity, from: place)
    } catch {
      switch error {
      case .otherKey(place): throw .notMember(wasBefore: keychain.location.hasBeenMember)
      case .damaged(place, let detail): throw .unusable(detail: detail)
      case .wrongIdentity(place): throw .otherKeychain
      default: throw .keychain(error)
      }
    }
  }

  /// Whether this machine's identity opens the repository's keychain, although nothing opens the local one.
  private func isLetInAgain(by whole: [UInt8]) throws(SharingFault) -> Bool {
    guard let identity else { return false }
    return try SharingFault.ofKeychain { () throws(KeychainError) in
      try keychain.makeRoom(for: whole, openedBy: identity, from: place)
    }
  }
}
