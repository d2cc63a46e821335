import Age
import EncryptedFile
import Glibc
import Keychain
import KeychainTesting
import TestSupport

/// A machine with a copy of the vault, and the model of its contents. The result of operations that every keychain has
/// is determined by the keychain in memory; for those that only a vault has, the model implements the rules of
/// llavero-vault(5).
final class Machine {
  let folder: String
  let location: VaultLocation
  let clock: SettableClock
  var keychain: EncryptedFileKeychain
  private(set) var memory: InMemoryKeychain
  var state = KnownState()
  /// The generation of the vault; 0 if there is none.
  var generation: Int64 = 0
  /// The contents of earlier generations, by their files, because a copy from elsewhere may have the same number.
  var earlier: [FileNumber: KnownState] = [:]
  /// The references of items in `memory`, by those of the vault.
  private var inMemory: [ItemReference: ItemReference] = [:]
  /// The time of the last write.
  var written = Timestamp(milliseconds: 0)
  /// The passphrases of slots, which are merged along with copies.
  let passphrases: Passphrases
  /// The generations that the vault descends from, and its own, by the MACs of their headers.
  var past: Set<[UInt8]> = []
  /// Whether these are all that the vault records.
  var knowsPast = true
  /// A number that differs after each change of the vault's key.
  var keyNumber = 0

  /// The passphrases of slots by their identifiers, shared by both machines.
  final class Passphrases {
    var known: [String: String] = [:]
    /// Slots of recipients that were restored from their copies, with a state of the vault that doesn't record the
    /// recipient.
    var ofUnknown: Set<String> = []
  }

  init(in folder: String, _ clock: SettableClock, _ passphrases: Passphrases) {
    self.folder = folder
    self.passphrases = passphrases
    self.clock = clock
    mkdir(folder, 0o700)
    location = VaultLocation(vaultFolder: folder + "/data", stateFolder: folder + "/state")
    keychain = EncryptedFileKeychain(at: location, clock: clock.read).withCheapPassphrases
    memory = InMemoryKeychain(clock: clock.read)
  }

  /// The vault opened again, as by the next process.
  func reopened() -> EncryptedFileKeychain {
    EncryptedFileKeychain(at: location, clock: clock.read).withCheapPassphrases
  }

  var now: Timestamp { clock.now }

  /// Fills `memory` with the items of the state.
  func rebuildMemory() throws {
    memory = InMemoryKeychain(clock: clock.read)
    inMemory = [:]
    let items = state.items.sorted { left, right in
      (left.value.revision, left.key.bytes.description) < (right.value.revision, right.key.bytes.description)
    }
    for (reference, known) in items {
      let added = try memory.add(keepingDatesOf: known.item, known.credential)
      inMemory[reference] = added.reference
    }
  }

  // MARK: Operations of every keychain

  /// Performs the same operation on the vault and in memory, which must both succeed or fail in the same way. `body`
  /// gets a function that maps an item of the vault to the keychain in question.
  func both(_ body: (any KeychainStore, (KnownItem) -> Item) throws(KeychainError) -> Void) throws {
    let vault = outcome { () throws(KeychainError) in try body(keychain) { $0.item } }
    if case .failed(.tooLarge("the keychain", _)) = vault, isFull { return }
    let inMemory = outcome { () throws(KeychainError) in
      try body(memory) { known in
        var item = known.item
        item.reference = known.item.reference.flatMap { self.inMemory[$0] } ?? ItemReference("gone")
        return item
      }
    }
    guard vault == inMemory else { throw Finding("the vault \(vault), in memory it \(inMemory)") }
    try follow()
  }

  /// Whether a write may be refused because of the size of the vault.
  private var isFull: Bool {
    state.items.values.reduce(0) { $0 + $1.size } + state.gone.reduce(0) { $0 + $1.was.size } > 40 << 20
  }

  enum Outcome: Equatable, CustomStringConvertible {
    case succeeded
    case failed(KeychainError)

    var description: String {
      switch self {
      case .succeeded: "succeeded"
      case .failed(let error): "failed: \(error)"
      }
    }
  }

  func outcome(_ body: () throws(KeychainError) -> Void) -> Outcome {
    do {
      try body()
      return .succeeded
    } catch {
      return .failed(error)
    }
  }

  /// Updates the state with the changes in memory.
  private func follow() throws {
    var isThere: Set<ItemReference> = []
    var references: [ItemReference: ItemReference] = [:]
    for (vault, memory) in inMemory { references[memory] = vault }
    var inVault: [Item.Key: ItemReference]?
    var new: [(Item, ItemReference)] = []
    for item in try memory.items(matching: .all).reversed() {
      guard let memoryReference = item.reference else { continue }
      if let reference = references[memoryReference], let known = state.items[reference] {
        isThere.insert(reference)
        var named = item
        named.reference = reference
        if named == known.item { continue }
        var changed = KnownItem(
          named, try memory.credential(of: item), revision: generation + 1, changed: known.changed)
        let date = changed.date
        if changed.item.key != known.item.key { changed.changed.key = date }
        if changed.attributes != known.attributes { changed.changed.attributes = date }
        if !changed.hasSecretOf(known) { changed.changed.secret = date }
        state.items[reference] = changed
        if known.isWorthKeeping(besides: changed, at: now) {
          state.retire(known, at: known.next(at: now), "replaced")
        }
      } else {
        if inVault == nil {
          inVault = [:]
          for item in try keychain.items(matching: .all) { inVault?[item.key.primaryKey] = item.reference }
        }
        guard let reference = inVault?[item.key.primaryKey] else {
          throw Finding("\(item.name) is not in the vault")
        }
        new.append((item, reference))
        isThere.insert(reference)
      }
    }
    for (reference, known) in state.items where !isThere.contains(reference) {
      state.items[reference] = nil
      inMemory[reference] = nil
      state.retire(known, at: known.next(at: now), "deleted")
    }
    for (item, reference) in new {
      var named = item
      named.reference = reference
      let known = KnownItem(
        named, try memory.credential(of: item), revision: generation + 1,
        changed: .init(all: item.modificationDate ?? now))
      state.items[reference] = known
      inMemory[reference] = item.reference
    }
  }

  /// Performs operations that end with a single write, if they have changed anything.
  func step(_ body: () throws -> Void) throws {
    let before = state
    try body()
    try settle(before)
  }

  /// Compares the vault's generation with the expected one.
  func settle(_ before: KnownState, mayWriteAnyway: Bool = false) throws {
    let written = try reopened().summary()?.contents?.generation ?? 0
    if state != before {
      guard written > generation else { throw Finding("a change was not written") }
      state.settle(at: min(now, self.written))
    } else if written != generation {
      guard mayWriteAnyway else { throw Finding("something was written without a change") }
      state.settle(at: min(now, self.written))
    }
    if written != generation { self.written = now }
    generation = written
    if generation > 0 { past.insert(try headerMAC(of: location.vaultFile)) }
    guard let file = FileNumber(location.vaultFile, generation) else { return }
    earlier[file] = state
    if earlier.count > 30, let oldest = earlier.keys.min(by: { $0.generation < $1.generation }) {
      earlier[oldest] = nil
    }
  }

  // MARK: Operations of a vault

  func undelete(_ choices: inout Choices) throws {
    let known = state.gone.filter(\.hasSecret)
    guard !known.isEmpty else { return }
    let some = known[choices.index(known.count)]
    let replacing = choices.chance(2)
    let (retired, chosen) = try entry(some, &choices)
    let key = chosen.was.item.key.primaryKey
    let twin = state.items.values.first { $0.item.key.primaryKey == key }
    let expected: Outcome = twin != nil && !replacing ? .failed(.duplicateItem) : .succeeded
    var undeleted: Item?
    let vault = outcome { () throws(KeychainError) in
      undeleted = try keychain.undelete(retired, replacing: replacing)
    }
    guard vault == expected else { throw Finding("undelete \(vault), and should have \(expected)") }
    guard let undeleted, let reference = undeleted.reference else { return }
    state.gone.removeAll { $0 == chosen }
    if let twin, let reference = twin.item.reference {
      var changed = twin
      changed.confidential = chosen.was.confidential
      changed.item.modificationDate = twin.next(at: now)
      changed.revision = generation + 1
      if !changed.hasSecretOf(twin) { changed.changed.secret = changed.date }
      state.items[reference] = changed
      if twin.isWorthKeeping(besides: changed, at: now) {
        state.retire(twin, at: twin.next(at: now), "replaced")
      }
    } else {
      var back = chosen.was
      let own = back.item.reference
      let others = state.gone.filter { $0.was.item.reference == own }.map { max($0.retired, $0.was.date) }
      let present = own.flatMap { state.items[$0]?.date }
      let latest = (others + [chosen.retired, present].compactMap { $0 }).max() ?? chosen.retired
      let date = max(back.next(at: now), Timestamp(milliseconds: latest.milliseconds + 1))
      back.item.modificationDate = date
      back.changed = .init(all: date)
      back.revision = generation + 1
      if let own = back.item.reference, state.items[own] == nil {
        guard own == reference else { throw Finding("what was brought back has another reference") }
      }
      back.item.reference = reference
      state.items[reference] = back
    }
    try rebuildMemory()
  }

  /// The vault's entry for something that is gone, and the model's; others may differ from it only in the secret.
  private func entry(_ gone: GoneItem, _ choices: inout Choices) throws -> (RetiredItem, GoneItem) {
    var alike = state.gone.filter {
      $0.hasSecret && $0.was.item == gone.was.item && $0.retired == gone.retired && $0.why == gone.why
    }
    let listed = try keychain.retiredItems(matching: .all).filter {
      $0.item == gone.was.item && $0.retired == gone.retired && $0.reason.rawValue == gone.why
    }
    guard listed.count == alike.count else { throw Finding("\(gone.was.item.name) can't be brought back") }
    if listed.count == 1 { return (listed[0], gone) }
    // Two may have the same secret, too, and differ in their revision alone, of which an entry doesn't tell. But lines are
    // in order, in which the revision comes before all else that may differ, and the last of a moment is listed first.
    alike.sort { "\($1.was.revision),".utf8.lexicographicallyPrecedes("\($0.was.revision),".utf8) }
    let number = choices.index(listed.count)
    var chosen = gone
    for (index, retired) in listed.enumerated() {
      let back = try broughtBackForNow(retired)
      guard let match = alike.firstIndex(where: { back.hasSecretOf($0.was) }) else {
        throw Finding("\(gone.was.item.name) comes back with the secret of another state")
      }
      let found = alike.remove(at: match)
      if index == number { chosen = found }
    }
    return (listed[number], chosen)
  }

  /// The item that would be restored, which is undone.
  private func broughtBackForNow(_ retired: RetiredItem) throws -> KnownItem {
    var back: KnownItem?
    do throws(KeychainError) {
      try keychain.exclusively { () throws(KeychainError) in
        let item = try keychain.undelete(retired, replacing: true)
        back = KnownItem(
          item, try keychain.credential(of: item), revision: 0, changed: .init(all: now))
        throw .promptDismissed
      }
    } catch {
      guard error == .promptDismissed else { throw error }
    }
    guard let back else { throw Finding("\(retired.item.name) can't be brought back") }
    return back
  }

  func restore(_ choices: inout Choices) throws {
    let kept = try keychain.generations().compactMap { generation in
      FileNumber(generation.path, generation.number).flatMap { earlier[$0] }.map { (generation, $0) }
    }
    guard !kept.isEmpty else { return }
    let (chosen, then) = kept[choices.index(kept.count)]
    _ = try keychain.restore(chosen)
    putBack(then)
    try rebuildMemory()
  }

  /// Replaces the items of the state by those of an earlier one.
  func putBack(_ then: KnownState) {
    var retirements: [(KnownItem, String)] = []
    var returning: [KnownItem] = []
    for (reference, known) in state.items {
      if let former = then.items[reference], former == known { continue }
      retirements.append((known, then.items[reference] == nil ? "deleted" : "replaced"))
    }
    for (reference, former) in then.items where state.items[reference] != former {
      var back = former
      var date = former.next(at: now)
      if let present = state.items[reference] { date = max(date, present.next(at: now)) }
      for gone in state.gone where gone.was.item.reference == reference {
        date = max(date, Timestamp(milliseconds: max(gone.retired, gone.was.date).milliseconds + 1))
      }
      back.item.modificationDate = date
      back.changed = .init(all: date)
      back.revision = generation + 1
      returning.append(back)
    }
    for (known, why) in retirements {
      if let reference = known.item.reference { state.items[reference] = nil }
      state.retire(known, at: known.next(at: now), why)
    }
    for known in returning { if let reference = known.item.reference { state.items[reference] = known } }
  }

  func compact() throws {
    guard generation > 0 else { return }
    try keychain.compact()
    // The marks that keep a copy from restoring deleted items stay.
    let limit = now.milliseconds - 180 * KnownState.day
    state.replaceGone { $0.why == "deleted" && $0.retired.milliseconds >= limit ? $0.mark : nil }
    earlier = [:]
  }
}

extension KnownItem {
  /// The date of what replaces the item at `now`: later than its own, whatever the clock shows.
  func next(at now: Timestamp) -> Timestamp { max(now, Timestamp(milliseconds: date.milliseconds + 1)) }

  /// The approximate size in bytes.
  var size: Int {
    500 + confidential.secret.bytes.count + (confidential.refreshToken?.bytes.count ?? 0)
      + (item.comment?.bytes.count ?? 0)
      + (item.label?.bytes.count ?? 0)
      + (item.itemDescription?.bytes.count ?? 0) + (item.generic?.bytes.count ?? 0)
      + ((item.key.account?.bytes.count ?? 0))
  }
}

/// The identity of a generation's file, which keeps its inode number when it becomes an earlier generation. Another
/// machine's state of the same number may be written into the same file, so the header's MAC counts, too.
struct FileNumber: Hashable {
  let generation: Int64
  private let inode: UInt64
  private let mac: [UInt8]

  /// Returns `nil` if there is no such file, or its header can't be read.
  init?(_ path: String, _ generation: Int64) {
    var status = stat()
    guard stat(path, &status) == 0,
      let header = try? contents(of: path).withUnsafeBytes({ try Header(parsing: $0) })
    else { return nil }
    self.generation = generation
    inode = UInt64(status.st_ino)
    mac = header.mac
  }
}
