import Age
import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// Two machines with copies of one vault, one of which is in use.
struct Machines {
  let folder: String
  let clock: SettableClock
  var current: Machine
  private var other: Machine?
  /// The state that both descend from.
  private var base: (file: String, state: KnownState)?
  private var count = 1

  init(in folder: String, _ clock: SettableClock) {
    (self.folder, self.clock) = (folder, clock)
    current = Machine(in: folder + "/0", clock, Machine.Passphrases())
  }

  mutating func perform(_ step: Step, scale: Int) throws {
    var choices = Choices(step.entropy, scale: scale)
    switch step.kind {
    case .fork: try fork()
    case .merge, .mergeConflictCopy, .mergeFiles, .replaceUnseen, .killExchange:
      clock.now.milliseconds += 1 + Int64(choices.index(1000))
      try merge(step.kind, &choices)
    case .swapMachines:
      guard let other else { return }
      self.other = current
      current = other
    case .damage: try damage(&choices)
    default: try current.perform(step, scale: scale)
    }
  }

  /// Copies the vault to another machine.
  private mutating func fork() throws {
    guard current.generation > 0 else { return }
    let copy = Machine(in: folder + "/\(count)", clock, current.passphrases)
    if let other { removeAll(other.folder) }
    mkdir(copy.location.vaultFolder, 0o700)
    mkdir(copy.location.stateFolder, 0o700)
    try put(try contents(of: current.location.vaultFile), into: copy.location.vaultFile)
    try put(try contents(of: current.location.identityFile), into: copy.location.identityFile)
    copy.become(current)
    other = copy
    count += 1
    try keepBase(of: copy)
  }

  private mutating func keepBase(of machine: Machine) throws {
    let file = folder + "/base.age"
    try put(try contents(of: machine.location.vaultFile), into: file)
    base = (file, machine.state)
  }

  /// Merges the other machine's copy.
  private mutating func merge(_ kind: Step.Kind, _ choices: inout Choices) throws {
    guard let other, let base, current.generation > 0, other.generation > 0 else { return }
    if current.keyNumber != other.keyNumber {
      if kind == .replaceUnseen || kind == .killExchange { return }
      let outcome = current.outcome { () throws(KeychainError) in
        try current.reopened().merge(copyAt: other.location.vaultFile)
      }
      guard case .failed = outcome else { throw Finding("a copy with another key was merged") }
      self.other = nil
      return
    }
    // Then a fixed order of their lines decides, which the model doesn't know.
    if current.state.isEven(with: other.state) { return }
    // cp and scp write into the file that is there; sync programs replace it.
    let bring = choices.chance(2) ? put(_:into:) : { try replace($1, with: $0) }
    if kind == .replaceUnseen || kind == .killExchange, try isKnown(other, kind, bring) { return }
    let before = current.state
    let usesBase = kind == .mergeFiles || kind == .merge && choices.chance(3)
    var expected = current.state
    let date = max(current.written, other.written)
    expected.merge(
      other.state, base: usesBase ? base.state : nil, losersRetireAt: date)
    if !usesBase {
      // Merging in the other place would have the same result.
      var reverse = other.state
      reverse.merge(current.state, base: nil, losersRetireAt: date)
      guard reverse.items == expected.items else { throw Finding("the rules of merging are not symmetrical") }
    }
    let ours = try contents(of: current.location.vaultFile)
    switch kind {
    case .merge:
      try current.keychain.merge(copyAt: other.location.vaultFile, base: usesBase ? base.file : nil)
    case .mergeConflictCopy:
      let copy = current.location.vaultFolder + "/vault.sync-conflict-20261121-123456-\(count)ABCDEF.age"
      try put(try contents(of: other.location.vaultFile), into: copy)
      _ = try current.reopened().items(matching: .all)
      if access(copy, F_OK) == 0 { throw Finding("a conflict copy was not merged") }
    case .replaceUnseen:
      try bring(try contents(of: other.location.vaultFile), current.location.vaultFile)
      current.written = other.written
      _ = try current.reopened().items(matching: .all)
    case .killExchange:
      let exchanged = current.location.vaultFolder + "/.vault.age.0123456789abcdef.out.tmp"
      try put(try contents(of: other.location.vaultFile), into: exchanged)
      try current.reopened().exclusively { () throws(KeychainError) in }
      if access(exchanged, F_OK) == 0 { throw Finding("what was exchanged was not merged") }
    default:
      let file = folder + "/ours.age"
      try put(ours, into: file)
      try current.keychain.mergeFiles(base: base.file, ours: file, theirs: other.location.vaultFile)
      try put(try contents(of: file), into: current.location.vaultFile)
    }
    // If there is nothing to write, nothing is recorded.
    if try contents(of: current.location.vaultFile) == ours { current.knowsPast = false }
    current.keychain = current.reopened()
    current.state = expected
    current.past.formUnion(other.past)
    if !other.knowsPast { current.knowsPast = false }
    try current.settle(before, mayWriteAnyway: true)
    try current.rebuildMemory()
    try keepBase(of: other)
  }

  /// Handles the cases in which a sync program replaces the vault with the other machine's file and nothing is merged,
  /// because one descends from the other. Returns whether it was such a case, or one that can't be determined.
  private func isKnown(
    _ other: Machine, _ kind: Step.Kind, _ bring: ([UInt8], String) throws -> Void
  ) throws -> Bool {
    if !current.knowsPast || !other.knowsPast { return true }
    // The history doesn't go back further than these generations.
    if abs(current.generation - other.generation) > 14 { return true }
    let vault = current.location.vaultFile
    let own = try contents(of: vault)
    let theirs = try contents(of: other.location.vaultFile)
    if current.past.contains(try headerMAC(of: other.location.vaultFile)) {
      if own == theirs { return true }
      if kind == .killExchange {
        let exchanged = current.location.vaultFolder + "/.vault.age.0123456789abcdef.out.tmp"
        try put(theirs, into: exchanged)
        try current.reopened().exclusively { () throws(KeychainError) in }
        guard access(exchanged, F_OK) != 0, try contents(of: vault) == own else {
          throw Finding("an earlier generation was merged")
        }
        return true
      }
      try bring(theirs, vault)
      let reading = current.outcome { () throws(KeychainError) in
        _ = try current.reopened().items(matching: .all)
      }
      guard case .failed(.rolledBack) = reading else { throw Finding("an earlier generation was taken") }
      try replace(vault, with: own)
      return true
    }
    if kind == .replaceUnseen, other.past.contains(try headerMAC(of: vault)) {
      try bring(theirs, vault)
      _ = try current.reopened().items(matching: .all)
      guard try contents(of: vault) == theirs else { throw Finding("it was merged into what comes from it") }
      current.become(other)
      return true
    }
    // A machine that has written nothing has nothing to lose.
    return kind == .replaceUnseen && !current.hasNewestWrite
  }

  /// A damaged vault is an error, and is never empty or overwritten.
  private func damage(_ choices: inout Choices) throws {
    guard current.generation > 0 else { return }
    let good = try contents(of: current.location.vaultFile)
    var bad = good
    switch choices.index(3) {
    case 0: bad.removeLast(1 + choices.index(bad.count))
    default: bad[choices.index(bad.count)] ^= 1 << UInt8(choices.index(8))
    }
    try put(bad, into: current.location.vaultFile)
    let vault = current.reopened()
    let reading = current.outcome { () throws(KeychainError) in _ = try vault.verify() }
    let key = choices.key()
    let writing = current.outcome { () throws(KeychainError) in
      try vault.add(Item(key), Credential(password: ""))
    }
    guard reading != .succeeded, writing != .succeeded else {
      throw Finding("a damaged vault: reading \(reading), writing \(writing)")
    }
    guard try contents(of: current.location.vaultFile) == bad else {
      throw Finding("a damaged vault was written over")
    }
    try put(good, into: current.location.vaultFile)
    current.keychain = current.reopened()
  }
}

extension Machine {
  /// Takes over what another machine knows.
  func become(_ other: Machine) {
    state = other.state
    generation = other.generation
    written = other.written
    keyNumber = other.keyNumber
    past = other.past
    knowsPast = other.knowsPast
    keychain = reopened()
    do { try rebuildMemory() } catch { preconditionFailure("\(error)") }
  }
}

extension Machine {
  /// The copy of the machine's last write.
  var newestWrite: String {
    location.vaultFolder + "/" + location.newestWriteName
  }

  /// Whether the machine has written the vault's file itself.
  var hasNewestWrite: Bool {
    guard let vault = try? contents(of: location.vaultFile), let newest = try? contents(of: newestWrite)
    else {
      return false
    }
    return vault == newest
  }
}

/// The MAC of a vault's header.
func headerMAC(of path: String) throws -> [UInt8] {
  try contents(of: path).withUnsafeBytes { try Header(parsing: $0) }.mac
}

/// Replaces a file with a new one with these bytes, as sync programs do.
func replace(_ path: String, with bytes: [UInt8]) throws {
  try put(bytes, into: path + ".incoming")
  rename(path + ".incoming", path)
}
