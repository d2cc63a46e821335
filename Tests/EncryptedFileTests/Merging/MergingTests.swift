import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

/// Two machines with one vault, each with its own copy of the vault's folder.
private final class Pair {
  let one = Place()
  let two = Place()
  let clock = SettableClock()

  init(servers: [String] = ["a.example", "b.example"]) throws {
    try one.keychain(clock: clock.read).add(servers: servers)
    two.makeFolders()
    try put(try contents(of: one.identityFile), into: two.identityFile)
    try put(try contents(of: one.vault), into: two.vault)
    _ = try two.keychain().servers()
    clock.advance(seconds: 10)
  }

  func keychain(_ place: Place) -> EncryptedFileKeychain { place.keychain(clock: clock.read) }

  func set(_ server: String, _ password: String, at place: Place) throws {
    clock.advance(seconds: 1)
    try keychain(place).save(item(server), Credential(password: password), at: clock.now)
  }

  func delete(_ server: String, at place: Place) throws {
    clock.advance(seconds: 1)
    let keychain = keychain(place)
    try keychain.delete(try keychain.items(matching: query(server)))
  }

  /// Puts a copy of one place's vault beside the other's, as a sync program does.
  func sync(_ from: Place, beside to: Place, as name: String = ConflictName.syncthing) throws {
    try put(try contents(of: from.vault), into: to.location.vaultFolder + "/" + name)
  }
}

private enum ConflictName {
  static let syncthing = "vault.sync-conflict-20261121-083000-ABCDEFG.age"
  static let all = [
    syncthing, "vault (alice's conflicted copy 2026-11-21).age",
    "vault (conflicted copy 2026-11-21 083000).age", "vault_conflict-20261121-083000.age",
    "vault (laptop in Konflikt stehende Kopie 2026-11-21).age",
    "vault (copia en conflicto de alice 2026-11-21).age", "vault (Case Conflict).age",
  ]
}

/// The state of a keychain: `SERVER SECRET` for items in use, and for those out of use.
private func state(_ place: Place) throws -> (inUse: [String], retired: [String]) {
  let keychain = place.keychain()
  let inUse = try keychain.items(matching: .all).map { "\($0.key.place) \(try keychain.secret(of: $0))" }
  let retired = try keychain.retiredItems(matching: .all).map { "\($0.item.key.place) \($0.reason)" }
  return (inUse.sorted(), retired.sorted())
}

@Suite("A copy that is merged on request")
struct RequestedMergeTests {
  @Test("compacting merges one that waits first, and forgets what that replaced only when it is asked again")
  func compacting() throws {
    let pair = try Pair()
    try pair.set("a.example", "set-here", at: pair.one)
    try pair.set("a.example", "set-there", at: pair.two)
    try pair.sync(pair.two, beside: pair.one)
    expect(failure { try pair.keychain(pair.one).compact() }, is: .mergedInstead)
    try expect(state(pair.one).inUse.contains { $0.contains("a.example") && $0.hasSuffix("set-there") })
    let merged = text(try pair.one.plaintext())
    expect(merged.contains("set-here") && merged.contains("set-there"))
    try expect(pair.keychain(pair.one).compact().records > 0)
    expect(!text(try pair.one.plaintext()).contains("set-here"))
  }

  @Test("it is told how many items came, and how many went because they were deleted there")
  func outcome() throws {
    let pair = try Pair(servers: ["a.example", "b.example", "c.example"])
    try pair.set("a.example", "newer there", at: pair.two)
    try pair.set("d.example", "new there", at: pair.two)
    try pair.delete("b.example", at: pair.two)
    try pair.set("c.example", "newer here", at: pair.one)
    try pair.set("e.example", "new here", at: pair.one)
    let outcome = try pair.keychain(pair.one).merge(copyAt: pair.two.vault)
    expect(outcome, is: MergeOutcome(count: 4, added: 2, deleted: 1, undecided: 0))
    try expect(pair.keychain(pair.one).servers(), is: ["a.example", "c.example", "d.example", "e.example"])
    let again = try pair.keychain(pair.one).merge(copyAt: pair.two.vault)
    expect(again, is: MergeOutcome(count: 4, added: 0, deleted: 0, undecided: 0))
  }

  @Test("a copy that was rotated elsewhere is said to have another key, by the name that was given")
  func rotatedElsewhere() throws {
    let pair = try Pair()
    try pair.keychain(pair.two).rotate(dropping: []) { _, _ in
      nil
    } announce: { _ in
    }
    try pair.set("c.example", "c", at: pair.two)
    let copy = pair.one.path + "/copy.age"
    try put(try contents(of: pair.two.vault), into: copy)
    let ours = pair.one.path + "/ours.age"
    try put(try contents(of: pair.one.vault), into: ours)
    let before = try pair.one.everything()
    let error = KeychainError.otherKey(path: copy)
    expect(failure { try pair.keychain(pair.one).merge(copyAt: copy) }, is: error)
    expect(failure { try pair.keychain(pair.one).mergeFiles(base: nil, ours: ours, theirs: copy) }, is: error)
    expect(failure { try pair.keychain(pair.one).mergeFiles(base: nil, ours: copy, theirs: ours) }, is: error)
    try expect(pair.one.everything(), is: before)
    // With the other key beside its own it is merged.
    let keys = try contents(of: pair.one.identityFile) + contents(of: pair.two.identityFile)
    try put(keys, into: pair.one.identityFile)
    try pair.keychain(pair.one).mergeFiles(base: nil, ours: ours, theirs: copy)
    try expect(pair.keychain(pair.one).merge(copyAt: copy).count, is: 3)
    try expect(pair.one.keychain().servers(), is: ["a.example", "b.example", "c.example"])
  }

  @Test("the three-file form replaces its file, and what has another name of that stays as it was")
  func replacedFile() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.two)
    try pair.set("d.example", "d", at: pair.one)
    let (ours, second) = (pair.one.path + "/ours.age", pair.one.path + "/second.age")
    let before = try contents(of: pair.one.vault)
    try put(before, into: ours)
    expect(link(ours, second) == 0 && chmod(ours, 0o640) == 0)
    try pair.keychain(pair.one).mergeFiles(base: nil, ours: ours, theirs: pair.two.vault)
    try expect(contents(of: second), is: before)
    try expect(contents(of: ours) != before)
    var status = stat()
    expect(stat(ours, &status) == 0 && status.st_mode & 0o7777 == 0o640)
    expect(names(in: pair.one.path).filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test("the three-file form merges into the keychain itself as the other form does")
  func ownFile() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.two)
    try pair.set("d.example", "d", at: pair.one)
    let before = try contents(of: pair.one.vault)
    try pair.keychain(pair.one).mergeFiles(base: nil, ours: pair.one.vault, theirs: pair.two.vault)
    try expect(pair.one.keychain().servers(), is: ["a.example", "b.example", "c.example", "d.example"])
    let kept = try #require(try pair.one.keychain().generations().first)
    try expect(contents(of: kept.path), is: before)
  }

  @Test("a copy that was rotated elsewhere opens by its own passphrase, in both forms")
  func rotatedWithPassphrase() throws {
    let place = Place()
    place.makeFolders()
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza(), try vault.slot("right")]
    try put(try vault.file(), into: place.vault)
    let (ours, theirs) = (place.path + "/ours.age", place.path + "/theirs.age")
    let other = Place()
    other.makeFolders()
    try put(try contents(of: place.vault), into: other.vault)
    try place.keychain(passphrase: "right").add(servers: ["d.example"])
    let keychain = other.keychain(passphrase: "right")
    try keychain.rotate(dropping: []) { _, attempt in
      attempt == 1 ? Secret("right") : nil
    } announce: { _ in
    }
    try keychain.add(servers: ["e.example"])
    try put(try contents(of: place.vault), into: ours)
    try put(try contents(of: other.vault), into: theirs)
    expect(
      failure { try place.keychain(passphrase: "wrong").mergeFiles(base: nil, ours: ours, theirs: theirs) },
      is: .wrongPassphrase(path: ours))
    expect(
      failure { try place.keychain().mergeFiles(base: nil, ours: ours, theirs: theirs) },
      is: .locked(path: ours))
    try place.keychain(passphrase: "right").mergeFiles(base: nil, ours: ours, theirs: theirs)
    try expect(place.keychain(passphrase: "right").merge(copyAt: ours).count, is: 5)
    try expect(place.keychain(passphrase: "right").merge(copyAt: theirs).count, is: 5)
  }

  @Test("what a process left that was killed while it merged is removed, and nothing that is in use")
  func scratchFolders() throws {
    let pair = try Pair()
    let state = pair.one.location.stateFolder
    let (stale, young, inUse) = (
      state + "/merge-0123456789abcdef", state + "/merge-0123456789abcde0", state + "/merge-0123456789abcde1"
    )
    let other = state + "/merge-tool"
    for folder in [stale, young, inUse, other] {
      mkdir(folder, 0o700)
      try put([1], into: folder + "/vault.age")
      mkdir(folder + "/generations", 0o700)
      try put([1], into: folder + "/generations/1-00000000.age")
    }
    let held = try FileLock("merging", in: try Folder(creating: inUse), patience: 0) {}
    let hours = [
      timespec(tv_sec: time(nil) - 7200, tv_nsec: 0), timespec(tv_sec: time(nil) - 7200, tv_nsec: 0),
    ]
    for folder in [stale, inUse, other] { utimensat(AT_FDCWD, folder, hours, 0) }
    _ = try pair.keychain(pair.one).merge(copyAt: pair.two.vault)
    expect(!exists(stale))
    expect([young, inUse, other].allSatisfy { exists($0 + "/generations/1-00000000.age") })
    expect(TestSupport.names(in: state).count { $0.hasPrefix("merge-") }, is: 3)
    withExtendedLifetime(held) {}
  }
}

@Suite("Copies that a sync program puts beside the vault")
struct ConflictCopyTests {
  @Test("are merged by whoever opens the vault next, and put away", arguments: ConflictName.all)
  func names(name: String) throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    try pair.sync(pair.two, beside: pair.one, as: name)
    chmod(pair.one.location.vaultFolder + "/" + name, 0o644)
    let notices = Collected<EncryptedFileKeychain.Notice>()
    let keychain = pair.one.keychain(onNotice: { notices.append($0) })
    try expect(keychain.items(matching: query("d.example")).count, is: 1)
    try expect(keychain.servers(), is: ["a.example", "b.example", "c.example", "d.example"])
    expect(notices.all, is: [.merged(copies: 1)])
    expect(
      TestSupport.names(in: pair.one.location.vaultFolder),
      is: [pair.one.newestWriteName, "generations", "lock", "vault.age"])
    try expect(keychain.generations().count, is: 3)
    try expect(keychain.summary()?.contents?.generation, is: 3)
  }

  @Test("where they can't be merged just now, finding nothing is an error, and what is found is an answer")
  func notJustNow() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.two)
    try pair.sync(pair.two, beside: pair.one)
    let path = pair.one.location.vaultFolder
    let keychain = pair.keychain(pair.one)
    do {
      let folder = try Folder(creating: path)
      let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
      defer { withExtendedLifetime(lock) {} }
      let error = KeychainError.copyLeftOut(
        path: path + "/vault.sync-conflict-20261121-083000-ABCDEFG.age",
        because: .busy(path: path + "/" + VaultLocation.lockName, seconds: 1))
      expect(failure { try keychain.items(matching: query("c.example")) }, is: error)
      try expect(keychain.items(matching: query("a.example")).count, is: 1)
      expect(failure { try keychain.items(matching: query("c.example")) }, is: error)
    }
    // Once somebody has merged them, it has an answer, too.
    try expect(pair.keychain(pair.one).items(matching: query("c.example")).count, is: 1)
    try expect(keychain.items(matching: query("c.example")).count, is: 1)
    try expect(keychain.items(matching: query("d.example")).isEmpty)
  }

  @Test("a person's own backup is left alone, and so is another vault's file")
  func others() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.two)
    let backups = [
      "old-vault.conflict.age", "vault-backup.age", "vault.age.conflict", "vault.confl.age", "vault.confli",
    ]
    for name in backups { try pair.sync(pair.two, beside: pair.one, as: name) }
    let folder = pair.one.location.vaultFolder
    let stranger = Place()
    try stranger.keychain().add(servers: ["x.example"])
    try put(try contents(of: stranger.vault), into: folder + "/vault.conflict-of-another.age")
    try put([1, 2, 3], into: folder + "/vault.conflict-garbage.age")
    let notices = Collected<EncryptedFileKeychain.Notice>()
    let keychain = pair.one.keychain(onNotice: { notices.append($0) })
    try expect(keychain.servers(), is: ["a.example", "b.example"])
    expect(
      TestSupport.names(in: folder),
      is: (backups + [
        pair.one.newestWriteName, "lock", "vault.age", "vault.conflict-garbage.age",
        "vault.conflict-of-another.age",
      ]).sorted())
    expect(
      notices.all,
      is: [
        .unmerged(
          path: folder + "/vault.conflict-garbage.age",
          .damaged(path: folder + "/vault.conflict-garbage.age", detail: "it is not an age file")),
        .unmerged(
          path: folder + "/vault.conflict-of-another.age",
          .wrongIdentity(path: folder + "/vault.conflict-of-another.age")),
      ])
  }

  @Test("where the vault itself was put aside for an older copy, that is no rollback")
  func setAside() throws {
    let pair = try Pair()
    for number in 0..<5 { try pair.set("c.example", "\(number)", at: pair.one) }
    try pair.set("d.example", "d", at: pair.two)
    // The other machine's file has won, although it has a lower number.
    let own = try contents(of: pair.one.vault)
    try put(try contents(of: pair.two.vault), into: pair.one.vault)
    try put(own, into: pair.one.location.vaultFolder + "/" + ConflictName.syncthing)
    try expect(pair.keychain(pair.one).servers(), is: ["a.example", "b.example", "c.example", "d.example"])
    try expect(pair.keychain(pair.one).summary()?.contents?.generation, is: 7)
  }

  @Test("a copy that came between a writer's reading and its replacing is not lost")
  func between() throws {
    let pair = try Pair()
    try pair.set("d.example", "d", at: pair.two)
    let theirs = try contents(of: pair.two.vault)
    let place = pair.one
    let keychain = pair.keychain(place)
    try keychain.exclusively { () throws(KeychainError) in
      try keychain.add(item("c.example"), Credential(password: "c"))
      // As a sync program does: a new file in the vault's place.
      try? put(theirs, into: place.vault + ".tmp")
      rename(place.vault + ".tmp", place.vault)
    }
    try expect(pair.keychain(place).servers(), is: ["a.example", "b.example", "c.example", "d.example"])
  }
}

@Suite("Merging")
struct MergingTests {
  @Test("of a secret that was changed in both places the newer one wins, and the other is kept")
  func newest() throws {
    let pair = try Pair()
    try pair.set("a.example", "older", at: pair.two)
    try pair.set("a.example", "newer", at: pair.one)
    try pair.sync(pair.two, beside: pair.one)
    let state = try state(pair.one)
    expect(state.inUse, is: ["https://a.example newer", "https://b.example secret-b.example"])
    expect(
      state.retired, is: ["https://a.example merged", "https://a.example replaced"],
      "each place had replaced the first one, at another time")
    let keychain = pair.keychain(pair.one)
    let lost = try #require(
      try keychain.retiredItems(matching: query("a.example")).first { $0.reason == .merged })
    try keychain.undelete(lost, replacing: true)
    try expect(keychain.secret(of: keychain.items(matching: query("a.example"))[0]), is: "older")
  }

  @Test("a deletion wins over what was there before it, and loses to what was changed after it")
  func deletions() throws {
    let pair = try Pair(servers: ["a.example", "b.example", "c.example"])
    try pair.set("b.example", "before", at: pair.one)
    for server in ["a.example", "b.example", "c.example"] { try pair.delete(server, at: pair.two) }
    try pair.set("c.example", "after", at: pair.one)
    try pair.sync(pair.two, beside: pair.one)
    try expect(state(pair.one).inUse, is: ["https://c.example after"])
    let keychain = pair.keychain(pair.one)
    for server in ["a.example", "b.example"] {
      try expect(keychain.retiredItems(matching: query(server)).contains { $0.reason == .deleted })
    }
    let b = try keychain.retiredItems(matching: query("b.example"))
    var secrets: Set<String> = []
    for retired in b {
      secrets.insert(try keychain.secret(of: try keychain.undelete(retired, replacing: true)))
    }
    expect(secrets.isSuperset(of: ["before", "secret-b.example"]))
  }

  @Test("a deletion is known however often the item was made and deleted again since")
  func deletedOften() throws {
    let pair = try Pair()
    try pair.set("x.example", "revoked", at: pair.one)
    try pair.sync(pair.one, beside: pair.two)
    let copy = try contents(of: pair.one.vault)
    try pair.delete("x.example", at: pair.one)
    for number in 0..<30 {
      try pair.set("x.example", "\(number)", at: pair.one)
      try pair.delete("x.example", at: pair.one)
    }
    try put(copy, into: pair.one.location.vaultFolder + "/" + ConflictName.syncthing)
    try expect(pair.keychain(pair.one).servers(), is: ["a.example", "b.example"])
  }

  @Test("what was brought back stays, though an older copy has it deleted")
  func undeleted() throws {
    let pair = try Pair()
    try pair.delete("a.example", at: pair.one)
    try put(try contents(of: pair.one.vault), into: pair.two.vault)
    let keychain = pair.keychain(pair.one)
    pair.clock.advance(seconds: 1)
    try keychain.undelete(try #require(try keychain.retiredItems(matching: query("a.example")).first))
    try pair.set("x.example", "x", at: pair.two)
    try pair.sync(pair.two, beside: pair.one)
    try expect(pair.keychain(pair.one).servers(), is: ["a.example", "b.example", "x.example"])
  }

  @Test("one login that was stored in both places becomes one item")
  func twins() throws {
    let pair = try Pair()
    try pair.set("n.example", "first", at: pair.two)
    try pair.set("n.example", "second", at: pair.one)
    try pair.sync(pair.two, beside: pair.one)
    let state = try state(pair.one)
    expect(state.inUse.filter { $0.contains("n.example") }, is: ["https://n.example second"])
    expect(state.retired, is: ["https://n.example merged"])
  }

  @Test(
    "both places come to the same items whichever merges, and no secret is dropped",
    arguments: 0..<(isLongForm ? 24 : 6) as Range<UInt64>)
  func property(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let servers = (0..<6).map { "\($0).example" }
    let pair = try Pair(servers: Array(servers[..<4]))
    var newest: Set<String> = []
    for place in [pair.one, pair.two] {
      for step in 0..<numbers.number(in: 1..<12) {
        let server = numbers.pick(servers)
        if numbers.number(in: 0..<4) == 0 {
          try pair.delete(server, at: place)
        } else {
          try pair.set(server, "\(seed)-\(place === pair.one ? 1 : 2)-\(step)", at: place)
        }
        // Sometimes at the same time as in the other place.
        if numbers.number(in: 0..<3) == 0 { pair.clock.advance(seconds: -1) }
      }
      newest.formUnion(try state(place).inUse)
    }
    let copies = try [contents(of: pair.one.vault), contents(of: pair.two.vault)]
    try put(copies[1], into: pair.one.location.vaultFolder + "/" + ConflictName.syncthing)
    try put(copies[0], into: pair.two.location.vaultFolder + "/" + ConflictName.syncthing)
    let (one, two) = (try state(pair.one), try state(pair.two))
    expect(one.inUse, is: two.inUse)
    expect(one.retired, is: two.retired)

    // Everything that was in use at either place is in use, or can be restored.
    var kept = Set(one.inUse)
    let keychain = pair.keychain(pair.one)
    for retired in try keychain.retiredItems(matching: .all) {
      let item = try keychain.undelete(retired, replacing: true)
      kept.insert("\(item.key.place) \(try keychain.secret(of: item))")
    }
    expect(kept.isSuperset(of: newest), "lost: \(newest.subtracting(kept))")

    // Merging again changes nothing.
    try put(copies[1], into: pair.two.location.vaultFolder + "/" + ConflictName.syncthing)
    try expect(state(pair.two).inUse, is: two.inUse)
  }
}

@Suite("Salvaging")
struct SalvagingTests {
  @Test(
    "what can still be read of a large damaged vault is there, the rest comes from the last good generation")
  func large() throws {
    let place = Place()
    let servers = (0..<1500).map { "host\($0).example" }
    try place.keychain().add(servers: servers)
    try place.keychain().add(servers: ["late-a.example", "zlate.example"])
    expect(failure { try place.keychain().salvage() }, is: .duplicateItem, "nothing is wrong with it")
    var bytes = try contents(of: place.vault)
    bytes[300_000] ^= 1
    try place.overwriteVault(bytes)
    let salvage = try place.keychain().salvage()
    expect(salvage.count == 1502 && salvage.base?.number == 1)
    expect(salvage.recovered < 1502 && salvage.recovered > 1000)
    try expect(place.keychain().servers(), is: (servers + ["late-a.example", "zlate.example"]).sorted())
    try expect(place.keychain().summary()?.contents?.generation, is: 3)
    try expect(place.keychain().retiredItems(matching: .all).isEmpty)
  }

  @Test("without a good generation, what can still be read is there alone")
  func alone() throws {
    let place = Place()
    try place.keychain().add(servers: (0..<1500).map { "host\($0).example" })
    var bytes = try contents(of: place.vault)
    bytes.removeLast(200_000)
    try place.overwriteVault(bytes)
    let salvage = try place.keychain().salvage()
    expect(salvage.base == nil && salvage.count == salvage.recovered && salvage.count > 500)
    try expect(place.keychain().servers().count, is: salvage.count)
  }

  @Test("a vault whose recipient was altered gives way to the last good generation")
  func recipient() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    try place.keychain().add(servers: ["b.example"])
    var bytes = try contents(of: place.vault)
    // In the ephemeral share of the first stanza.
    bytes[40] = bytes[40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    try place.overwriteVault(bytes)
    expect(failure { try place.keychain().servers() }, is: .wrongIdentity(path: place.identityFile))
    let salvage = try place.keychain().salvage()
    expect(salvage.base?.number == 1 && salvage.recovered == 0)
    try expect(place.keychain().servers(), is: ["a.example"])
  }

  @Test(
    "the only state of a vault is there again after one byte was changed where all headers are alike",
    arguments: [0, 3, 20, 21, 22, 27, 31, 75, 119, 120, 125, 135])
  func constants(of offset: Int) throws {
    for flipped in [1, 0x20, 0x80] as [UInt8] {
      let place = Place()
      try place.keychain().add(servers: ["a.example", "b.example"])
      let uuid = try place.keychain().summary()?.uuid
      var bytes = try contents(of: place.vault)
      bytes[offset] ^= flipped
      try place.overwriteVault(bytes)
      #expect(throws: KeychainError.self) { try place.keychain().servers() }
      let salvage = try place.keychain().salvage()
      expect(salvage.recovered == 2 && salvage.count == 2 && salvage.base == nil)
      try expect(place.keychain().servers(), is: ["a.example", "b.example"])
      try expect(place.keychain().summary()?.uuid, is: uuid)
    }
  }

  @Test("so is one that a passphrase opens, and no other passphrase does", arguments: [3, 27, 125])
  func constantsWithSlot(of offset: Int) throws {
    let place = Place()
    try place.keychain().create(.passphrase(Secret("right")))
    try place.keychain(passphrase: "right").add(servers: ["a.example"])
    var bytes = try contents(of: place.vault)
    bytes[offset] ^= 1
    try place.overwriteVault(bytes)
    removeAll(place.location.vaultFolder + "/generations")
    let before = try contents(of: place.vault)
    #expect(throws: KeychainError.self) { try place.keychain(passphrase: "wrong").salvage() }
    try expect(contents(of: place.vault), is: before)
    let salvage = try place.keychain(passphrase: "right").salvage()
    expect(salvage.recovered == 1 && salvage.base == nil)
    try expect(place.keychain(passphrase: "right").servers(), is: ["a.example"])
    #expect(throws: KeychainError.self) { try place.keychain(passphrase: "wrong").servers() }
  }

  @Test("with another vault's identity nothing gives way")
  func foreignIdentity() throws {
    let (place, other) = (Place(), Place())
    for place in [place, other] {
      try place.keychain().add(servers: ["a.example"])
      try place.keychain().add(servers: ["b.example"])
    }
    try put(try contents(of: other.identityFile), into: place.identityFile)
    let before = try place.everything()
    expect(failure { try place.keychain().salvage() }, is: .wrongIdentity(path: place.identityFile))
    try expect(place.everything(), is: before)
  }

  @Test("a small vault that is damaged gives nothing by itself")
  func small() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    var bytes = try contents(of: place.vault)
    bytes[bytes.count - 1] ^= 1
    let damaged = bytes
    try place.overwriteVault(bytes)
    guard case .damaged? = failure({ try place.keychain().salvage() }) else {
      Issue.record("something was made of nothing")
      return
    }
    try expect(contents(of: place.vault), is: damaged)
  }
}

@Suite("A file that takes the place of another")
struct ReplacedFileTests {
  private let place = Place()

  private func path(_ name: String) -> String { place.location.vaultFolder + "/" + name }

  /// Replaces `vault.age`, and runs something just before.
  private func replace(
    _ expected: FileStatus, isPutBack: Bool = false, _ meanwhile: () throws -> Void
  ) throws {
    let folder = try Folder(creating: place.location.vaultFolder)
    var failure: (any Error)?
    try Array("new".utf8).withUnsafeBytes { bytes in
      _ = try folder.replace("vault.age", replaced: (expected, "copy.age", isPutBack)) {
        writeFully($0, bytes)
      } verify: { _ in
        do { try meanwhile() } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  private func status() throws -> FileStatus {
    try Folder(creating: place.location.vaultFolder).status(of: "vault.age")
  }

  @Test("the file that was seen is gone, and nothing else is there")
  func seen() throws {
    place.makeFolders()
    try put(Array("old".utf8), into: path("vault.age"))
    try replace(try status()) {}
    try expect(contents(of: path("vault.age")), is: Array("new".utf8))
    expect(names(in: place.location.vaultFolder), is: ["vault.age"])
  }

  @Test("one that nobody has seen gets its place back where nothing else can be done with it")
  func putBack() throws {
    place.makeFolders()
    try put(Array("old".utf8), into: path("vault.age"))
    let expected = try status()
    #expect(throws: KeychainError.slot(.changedMeanwhile)) {
      try replace(expected, isPutBack: true) {
        try put(Array("other".utf8), into: path("other"))
        rename(path("other"), path("vault.age"))
      }
    }
    try expect(contents(of: path("vault.age")), is: Array("other".utf8))
    expect(names(in: place.location.vaultFolder), is: ["vault.age"])
  }

  @Test("one that nobody has seen becomes a copy, once")
  func unseen() throws {
    place.makeFolders()
    try put(Array("old".utf8), into: path("vault.age"))
    let seen = try status()
    for isLinked in [false, true] {
      try replace(seen) {
        try put(Array("theirs".utf8), into: path("theirs"))
        rename(path("theirs"), path("vault.age"))
        if isLinked { link(path("vault.age"), path("copy.age")) }
      }
      try expect(contents(of: path("vault.age")), is: Array("new".utf8))
      try expect(contents(of: path("copy.age")), is: Array("theirs".utf8))
      expect(names(in: place.location.vaultFolder).sorted(), is: ["copy.age", "vault.age"])
      unlink(path("copy.age"))
    }
  }

  @Test(
    "a former file that could not be removed is forgotten with the earlier states, and another's is left alone"
  )
  func leftBehind() throws {
    try place.keychain().add(servers: ["a.example"])
    let (own, others) = (path(".vault.age.0123456789abcdef.tmp"), path(".vault.age.Ab12.tmp"))
    for left in [own, others] { try put(try contents(of: path("vault.age")), into: left) }
    try place.keychain().compact()
    expect(access(own, F_OK) != 0)
    expect(access(others, F_OK), is: 0)
  }

  @Test("a folder that is moved away in the middle of a change takes the change with it, and that is told")
  func movedAway() throws {
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let folder = place.location.vaultFolder
    let moved = folder + ".moved"
    let error = failure {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.save(item("b.example"), Credential(password: "b"), at: .now)
        rename(folder, moved)
      }
    }
    expect(error, is: .missing(path: folder + "/vault.age"))
    expect(access(folder, F_OK) != 0, "nothing is made in its place")
    expect(names(in: moved).contains("generations"))
    rename(moved, folder)
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("where the file is gone meanwhile, the new one comes all the same")
  func gone() throws {
    place.makeFolders()
    try put(Array("old".utf8), into: path("vault.age"))
    try replace(try status()) { unlink(path("vault.age")) }
    try expect(contents(of: path("vault.age")), is: Array("new".utf8))
    expect(names(in: place.location.vaultFolder), is: ["vault.age"])
  }
}
