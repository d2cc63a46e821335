import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Staying unlocked")
struct StayingUnlockedTests {
  /// A vault with a passphrase, and an agent that keeps it unlocked.
  private let place = Place()
  private let vault: HandMadeVault
  private let agent: RunningAgent

  init() throws {
    place.makeFolders()
    vault = try HandMadeVault()
    agent = try RunningAgent(in: place.path + "/agent")
    try put(vault)
  }

  private func put(_ vault: HandMadeVault) throws {
    var vault = vault
    vault.stanzas = [try vault.vaultStanza(), try vault.slot("right")]
    try TestSupport.put(try vault.file(), into: place.vault)
  }

  /// A keychain, which the agent lives as long as, and the number of times it has asked.
  private func keychain(
    mode: UnlockCache.Mode? = .agent, isAsked: Bool = true, answer: String? = "right"
  ) -> (EncryptedFileKeychain, Collected<Int>) {
    let asked = Collected<Int>()
    let cache = mode.map { mode in
      var cache = agent.cache()
      cache.mode = mode
      return cache
    }
    let keychain = EncryptedFileKeychain(
      at: place.location,
      passphrase: { attempt throws(KeychainError) in
        asked.append(attempt)
        guard let answer else { throw .promptDismissed }
        return attempt == 1 ? Secret(answer) : nil
      }, respondent: { withExtendedLifetime(agent) { isAsked ? .person : .nobody } }, cache: cache)
    return (keychain, asked)
  }

  @Test("what a person was asked for is not asked for again, until it is locked")
  func askedOnce() throws {
    let (first, asked) = keychain()
    defer { _ = try? first.lock() }
    try expect(first.servers().count, is: 3)
    expect(asked.all, is: [1])
    let (second, askedAgain) = keychain()
    try second.add(servers: ["d.example"])
    try expect(second.servers().count, is: 4)
    expect(askedAgain.all, is: [])
    try expect(second.unlockState() != nil)
    try expect(second.lock(), is: .locked)
    try expect(second.unlockState(), is: nil)
    try expect(second.servers().count, is: 4)
    expect(askedAgain.all, is: [1])
  }

  @Test("where the vault is missing, locking says so and forgets its key nevertheless")
  func lockedWhileMissing() throws {
    let (first, _) = keychain()
    try expect(first.servers().count, is: 3)
    expect(agent.cache().state(of: vault.uuid) != nil)
    expect(rename(place.location.vaultFolder, place.path + "/away"), is: 0)
    let (second, _) = keychain()
    expect(failure { try second.lock() }, is: .missing(path: place.vault))
    expect(agent.cache().state(of: vault.uuid), is: nil)
  }

  @Test("a program that runs on sees that another one has locked the vault, and unlocked it again")
  func lockedByAnother() throws {
    let (running, asked) = keychain()
    defer { _ = try? running.lock() }
    let (silent, _) = keychain(answer: nil)
    let (other, _) = keychain()
    try expect(running.servers().count, is: 3)
    try expect(silent.servers().count, is: 3)
    try expect(other.lock(), is: .locked)
    for _ in 0..<2 {
      expect(failure { try silent.servers() }, is: .promptDismissed)
      expect(failure { try silent.add(servers: ["d.example"]) }, is: .promptDismissed)
    }
    try expect(running.add(servers: ["d.example"]) == ())
    expect(asked.all, is: [1, 1])
    try expect(silent.servers().count, is: 4)
    // Work that has begun is finished.
    try running.exclusively { () throws(KeychainError) in
      _ = try other.lock()
      try running.add(.internet("e.example"), "x")
    }
    expect(failure { try silent.servers() }, is: .promptDismissed)
    try expect(running.servers().count, is: 5)
    expect(asked.all, is: [1, 1, 1])
  }

  @Test("a vault that nothing keeps unlocked stays open to whoever has opened it")
  func openToOne() throws {
    let (alone, asked) = keychain(mode: UnlockCache.Mode.none)
    for _ in 0..<3 { try expect(alone.servers().count, is: 3) }
    expect(asked.all, is: [1])
  }

  @Test("one thread after the other uses what another one has opened")
  func threads() throws {
    let (opened, asked) = keychain()
    nonisolated(unsafe) let running = opened
    defer { _ = try? running.lock() }
    let outcomes = Collected<String>()
    for number in 0..<8 {
      concurrently(1) { _ in
        do {
          try running.add(.internet(ByteString("\(number).example")), .text("of \(number)"))
          let items = try running.items(matching: .all)
          let server = ByteString("\(max(0, number - 1)).example")
          let last = items.first { $0.key == Item.internet(server).key }
          outcomes.append("\(items.count) \(try last.map { try running.secret(of: $0) } ?? "none")")
        } catch { outcomes.append("\(error)") }
      }
    }
    expect(outcomes.all, is: (0..<8).map { "\(4 + $0) of \(max(0, $0 - 1))" })
    expect(asked.all, is: [1])
  }

  @Test("what was not asked for is not kept, and without a cache nothing is")
  func notKept() throws {
    let (given, _) = keychain(isAsked: false)
    try expect(given.servers().count, is: 3)
    try expect(given.unlockState(), is: nil)
    let (alone, _) = keychain(mode: nil)
    try expect(alone.servers().count, is: 3)
    try expect(given.unlockState(), is: nil)
    expect(failure { try alone.unlock(anew: true) } != nil)
  }

  @Test("a key that was kept before the vault got another is forgotten, and the passphrase asked for")
  func rotated() throws {
    let (before, _) = keychain()
    defer { _ = try? before.lock() }
    try expect(before.servers().count, is: 3)
    var rotated = try HandMadeVault(servers: ["new.example"])
    rotated.uuid = vault.uuid
    try put(rotated)
    // The former key proves the record of what was seen of the vault.
    unlink("\(place.location.stateFolder)/\(vault.uuid).seen")
    let (declined, _) = keychain(answer: nil)
    expect(failure { try declined.servers() }, is: .promptDismissed)
    try expect(declined.unlockState(), is: nil)
    let (after, asked) = keychain()
    // If another key wrote what was seen here, a person must confirm that this is right.
    try after.acceptRollback()
    try expect(after.servers(), is: ["new.example"])
    expect(asked.all, is: [1])
    try expect(keychain(answer: nil).0.servers(), is: ["new.example"])
    // Also by a program that still has the former key.
    try expect(before.servers(), is: ["new.example"])
  }

  @Test("an earlier state with a former key leaves the vault unlocked")
  func earlierStateOfFormerKey() throws {
    let (first, _) = keychain()
    defer { _ = try? first.lock() }
    try expect(first.servers().count, is: 3)
    var former = try HandMadeVault()
    former.uuid = vault.uuid
    former.stanzas = [try former.vaultStanza(), try former.slot("former")]
    let file = try former.file()
    let mac = try file.withUnsafeBytes { try Header(parsing: $0).mac }
    let folder = place.location.vaultFolder + "/generations"
    expect(mkdir(folder, 0o700), is: 0)
    try TestSupport.put(file, into: "\(folder)/6-\(Past.start(of: mac)).age")
    let (second, asked) = keychain(answer: nil)
    let generation = try #require(try second.generations().first)
    expect(failure { try second.verify(generation) }, is: .promptDismissed)
    expect(asked.all, is: [1])
    try expect(second.unlockState() != nil)
    try expect(second.servers().count, is: 3)
    expect(asked.all, is: [1])
  }

  @Test("the identity file comes first, and then nothing is to be unlocked")
  func identityFile() throws {
    try TestSupport.put(vault.identityText(), into: place.identityFile)
    let (keychain, asked) = self.keychain()
    try expect(keychain.servers().count, is: 3)
    try expect(keychain.unlock(anew: false), is: .notNeeded)
    try expect(keychain.unlockState(), is: nil)
    expect(asked.all, is: [])
  }

  @Test("unlocking says what came of it, and asks again only where it is to")
  func unlocking() throws {
    let (keychain, asked) = self.keychain(isAsked: false)
    defer { _ = try? keychain.lock() }
    guard case .kept(let state) = try keychain.unlock(anew: false) else {
      Issue.record("not kept")
      return
    }
    expect(28_000...28_800 ~= state.total)
    func unlocked(anew: Bool) throws -> Substring {
      "\(try keychain.unlock(anew: anew))".prefix { $0 != "(" }
    }
    try expect(unlocked(anew: false), is: "already")
    expect(asked.all, is: [1])
    try expect(unlocked(anew: true), is: "kept")
    expect(asked.all, is: [1, 1])
    let nowhere = Place()
    defer { withExtendedLifetime(nowhere) {} }
    let missing = EncryptedFileKeychain(at: nowhere.location, cache: agent.cache())
    try expect(missing.unlock(anew: false), is: .noVault)
  }
}
