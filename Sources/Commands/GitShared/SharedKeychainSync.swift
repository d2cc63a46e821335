import Bytes
import EncryptedFile
import Glibc
import Keychain

/// Brings a keychain in step with the git repository that it is shared through.
struct SharedKeychainSync {
  /// What came of it.
  struct Outcome: Sendable {
    /// How many items others have changed.
    var received = 0
    /// How many changes that were made here others have overridden, since a person was told last.
    var overridden = 0
    /// Who was added with a former key, and has nothing of the present one, since a person was told last.
    var withFormerKey: [String] = []
    /// How many records were sent.
    var sent = 0
    /// How many records wait here, because the repository takes nothing from here.
    var waiting = 0
    /// Why it doesn't; `nil` if it took everything.
    var refusal: String?
    /// How often it was tried, because others were faster.
    var attempts = 0
    /// Whether somebody else has made a new key.
    var tookKey = false
    /// How many files in the repository couldn't be read, and were replaced.
    var mended = 0
    /// The folders that have what was here, if it was taken anew.
    var putAside: [String] = []

    /// What came of this, and then of another exchange: how that went, with what a person is told of both.
    func followed(by next: Self) -> Self {
      var both = next
      both.overridden += overridden
      both.withFormerKey = withFormerKey + next.withFormerKey.filter { !withFormerKey.contains($0) }
      return both
    }
  }

  let keychain: EncryptedFileKeychain
  let repository: SharedRepository
  /// The absolute path of the file with the member's identity; `nil` to leave it to the keychain.
  let identity: String?
  /// Asks whether what is here may take the place of what nothing here opens.
  var mayReplace: () -> Bool = { true }
  /// Whether a person is told what comes of it.
  var isTold = false
  /// How long another process is waited for that does the same, in seconds.
  var patience = 120

  /// The most changes that are read again which were in the branch since it was seen last, and are no longer. There are
  /// so many if nobody has exchanged here for long, and then they are in a whole vault by now.
  private static let maximumEarlierChanges = 200
  /// The most that is read of them, in bytes.
  private static let earlierLimit = 128 << 20
  /// The most attempts, if others are faster each time.
  private static let maximumAttempts = 60
  /// The most attempts for which one lock is in the way, while nobody changes anything.
  private static let maximumLocked = 15
  /// The remote and its branch, as ``SyncNote/sentTo`` has them.
  private var branchInWords: String { "\(repository.remote) \(repository.branch)" }
  /// How the repository is named in errors.
  private var place: String { "\(SharedRepository.wholeName) of \(repository.remote)" }

  init(_ keychain: EncryptedFileKeychain, _ repository: SharedRepository, identity: String?) {
    self.keychain = keychain
    self.repository = repository
    self.identity = identity
  }

  var stateFolder: String { keychain.location.stateFolder }

  /// Whether the keychain has changed since everything was in step.
  static func hasChanges(_ keychain: EncryptedFileKeychain) -> Bool {
    guard let state = keychain.stateName else { return false }
    return SyncNote(in: keychain.location.stateFolder).shared != state
  }

  /// Takes the right to do something that only one machine may do at a time, and whose result has to be sent
  /// afterwards.
  ///
  /// - Parameters: as for ``SharedRepository/takeLease(_:over:)``.
  /// - Throws: ``SharingFault``, also if the branch takes nothing from here.
  func takeLease(_ name: String, over former: String?) throws(SharingFault) -> SharedLease {
    let lease = try repository.takeLease(name, over: former)
    switch lease {
    case .held, .failed: break
    // Who refuses that may refuse everything at present.
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

  /// Checks that the branch takes what is sent from here.
  ///
  /// - Parameter isKnown: whether that is known if it ever has taken something.
  private func proveWritable(isKnown: Bool) throws(SharingFault) {
    if isKnown, SyncNote(in: stateFolder).sentTo == branchInWords { return }
    let turn = try turn(isQueued: false)
    defer { withExtendedLifetime(turn) {} }
    try repository.proveWritable()
    var note = SyncNote(in: stateFolder)
    note.sentTo = branchInWords
    note.write(in: stateFolder)
  }

  /// Whether the repository has a keychain. This machine then still has to take it.
  ///
  /// - Throws: ``SharingFault``.
  func hasKeychain() throws(SharingFault) -> Bool {
    try repository.make()
    guard let tip = try repository.fetch() else { return false }
    return try repository.files(in: tip).contains { $0.path == SharedRepository.wholeName }
  }

  /// Whether the repository has the keychain that is here, whatever its state.
  ///
  /// - Throws: ``SharingFault``.
  func hasSameKeychain() throws(SharingFault) -> Bool {
    guard let tip = try repository.fetch(),
      let whole = try repository.files(in: tip).first(where: { $0.path == SharedRepository.wholeName }),
      let file = try repository.contents(of: [whole.object]).first
    else { return false }
    do throws(KeychainError) {
      return try keychain.isSame(as: file, from: place)
    } catch {
      throw .keychain(error)
    }
  }

  /// Brings both in step.
  ///
  /// - Parameters:
  ///   - acceptsRewritten: whether to go on from the repository as it is, even if it doesn't come from what was seen
  ///     there. What it lacks is sent again.
  ///   - isAnew: whether what is here is put aside first, and the keychain taken as this machine has seen it last in
  ///     the repository; with `acceptsRewritten` as it is there now, whoever has made its key.
  ///   - isQueued: whether nothing is done if another process waits to do it already.
  /// - Throws: ``SharingFault``. What was received until then stays.
  func sync(
    acceptsRewritten: Bool = false, isAnew: Bool = false, isQueued: Bool = false
  ) throws(SharingFault) -> Outcome {
    guard let turn = try turn(isQueued: isQueued) else { return Outcome() }
    defer { withExtendedLifetime(turn) {} }
    var note = SyncNote(in: stateFolder)
    note.triedAt = .now
    do throws(SharingFault) {
      var outcome = try inStep(acceptsRewritten, isAnew, &note)
      // All that is here came, not only what was changed since.
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
        // What is there was made with a former key, or by somebody else: what is here takes its place.
        result = try reconcile(nil)
      } catch .untrustedKey(let detail, _) {
        throw .untrustedKey(detail: detail, putAside: outcome.putAside)
      } catch .notMember(true) where acceptsRewritten && mayReplace() {
        // Whoever may write to the repository can put a vault there that no member opens.
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
        // Somebody else has made a key, with which slots are back that were removed here.
        if let tip { try repository.see(tip) }
        try drop(result.slotsToDrop)
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
      case .whole(let file): change = .whole(file, slots: try slotFiles())
      }
      let commit = try repository.commit(change, after: tip, message: Self.message(of: change))
      do throws(SharingFault) {
        if case .rejected(let lock) = try repository.push(commit) {
          locked = lock == nil ? 0 : tip == lockedTip ? locked + 1 : 1
          lockedTip = tip
          if let lock, locked == Self.maximumLocked { throw .locked(file: lock) }
          // Random, so that many who were refused don't all come back at once.
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
      // That others have the key is noted in the keychain.
      if result.isKeyUnsent { continue }
      return outcome
    }
  }

  /// The messages say nothing about what was changed: the history may be read by people who can't open the keychain.
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
  ///   - isAgain: whether room was made for what the repository has.
  ///   - isTaken: whether what is here was taken from the repository already, and what it has now is not to take its place
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

  /// Takes the keychain as the repository had it when this machine saw it last, so that whoever has changed its key
  /// since still has to prove to have had the former one.
  ///
  /// - Parameter trustsKey: whether it is taken as it is now instead, and nobody has to prove anything.
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

  /// Whether this machine's identity opens what the repository has, although nothing opens what is here.
  private func isLetInAgain(by whole: [UInt8]) throws(SharingFault) -> Bool {
    guard let identity else { return false }
    do throws(KeychainError) {
      return try keychain.makeRoom(for: whole, openedBy: identity, from: place)
    } catch {
      throw .keychain(error)
    }
  }

  private func drop(_ slots: Set<String>) throws(SharingFault) {
    do throws(KeychainError) {
      try keychain.rotate(dropping: slots, passphrase: { _, _ in nil }, announce: { _ in })
    } catch {
      throw .keychain(error)
    }
  }

  private func slotFiles() throws(SharingFault) -> [(id: String, file: [UInt8])] {
    do throws(KeychainError) {
      return try keychain.slotFiles()
    } catch {
      throw .keychain(error)
    }
  }
}
