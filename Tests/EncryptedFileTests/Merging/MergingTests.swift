import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Merging")
struct MergingTests {
  static let requested = [
    Scenario(
      "compacting merges a copy that waits first, and forgets what that replaced only when it is asked again",
      """
      1 sets a=set-here; 2 sets a=set-there; 2 beside 1; 1 compacts ! mergedInstead; 1 holds a = a=set-there
      1 text set-here set-there = set-here set-there; 1 compacts = records: 2 generations: 3; 1 text set-here = 
      """),
    Scenario(
      "it is told how many items came, and how many went because they were deleted there",
      """
      1 adds c; 2 follows; 2 sets a d; 2 deletes b; 1 sets c e
      1 merges 2/vault = count: 4 added: 2 deleted: 1 undecided: 0; 1 has a c d e
      1 merges 2/vault = count: 4 added: 0 deleted: 0 undecided: 0
      """),
    Scenario(
      "an older copy, of which all was replaced since, changes nothing, once and again",
      """
      1 saves vault older; 1 sets a=new; 1 writes @copy.age older; 1 saves vault now; 1 merges @copy.age; 1 is vault now
      1 merges @copy.age; 1 is vault now; 1 retired a = a replaced; 1 holds a = a=new
      """),
    // With the other key beside its own it is merged.
    Scenario(
      "a copy that was rotated elsewhere is said to have another key, by the name that was given",
      """
      2 rotates; 2 sets c; 1 writes @copy.age 2/vault; 1 writes @ours.age 1/vault; 1 marks
      1 merges @copy.age ! otherKey @copy.age; 1 mergesFiles - @ours.age @copy.age ! otherKey @copy.age
      1 mergesFiles - @copy.age @ours.age ! otherKey @copy.age; 1 same
      1 writes identity 1/identity+2/identity; 1 mergesFiles - @ours.age @copy.age; 1 merges @copy.age = count: 3 …
      1 has a b c
      """),
    Scenario(
      "the three-file form merges into the keychain itself as the other form does",
      """
      2 sets c; 1 sets d; 1 saves vault before; 1 mergesFiles - vault 2/vault; 1 has a b c d; 1 states before = 1
      """),
  ]

  static let copies = [
    Scenario(
      "where they can't be merged just now, finding nothing is an error, and what is found is an answer",
      """
      2 sets c; 2 beside 1; 1 locks; 1' finds c ! copyLeftOut copy busy lock seconds: 1; 1' finds a = 1
      1' finds c ! copyLeftOut copy busy lock seconds: 1; 1 unlocks; 1 finds c = 1; 1' finds c = 1; 1' finds d = 0
      """),
    Scenario(
      "a person's own backup is left alone, and so is another vault's file",
      """
      2 sets c; 2 beside 1 old-vault.conflict.age; 2 beside 1 vault-backup.age; 2 beside 1 vault.age.conflict
      2 beside 1 vault.confl.age; 2 beside 1 vault.confli; 3 adds x
      1 writes vault.conflict-of-another.age 3/vault; 1 writes vault.conflict-garbage.age [1,2,3]; 1 has a b
      1 lists = lock newest old-vault.conflict.age vault vault-backup.age vault.age.conflict vault.confl.age\
       vault.confli vault.conflict-garbage.age vault.conflict-of-another.age
      told = created, created, unmerged vault.conflict-garbage.age damaged vault.conflict-garbage.age detail: it is not\
       an age file, unmerged vault.conflict-of-another.age wrongIdentity vault.conflict-of-another.age
      """),
    Scenario(
      "where the vault itself was put aside for an older copy, that is no rollback",
      """
      1 sets c*5; 2 sets d; 1 saves vault own; 1 writes vault 2/vault; 1 writes copy own; 1 has a b c d; 1 number = 7
      """),
    Scenario(
      "of a secret that was changed in both places the newer one wins, and the other is kept",
      """
      2 sets a=older; 1 sets a=newer; 2 beside 1; 1 holds = a=newer b=secret-b.example
      1 retired = a merged, a replaced; 1 undeletes a merged; 1 holds a = a=older
      """),
    Scenario(
      "a deletion wins over what was there before it, and loses to what was changed after it",
      """
      1 adds c; 2 follows; 1 sets b=before; 2 deletes a b c; 1 sets c=after; 2 beside 1; 1 holds = c=after
      1 retired a = a deleted; 1 retired b = b deleted, b deleted; 1 secrets b = before secret-b.example
      """),
    Scenario(
      "a deletion is known however often the item was made and deleted again since",
      """
      1 sets x; 1 saves vault copy; 1 deletes x; \((0..<30).map { _ in "1 sets x; 1 deletes x; " }.joined())
      1 writes copy copy; 1 has a b
      """),
    Scenario(
      "what was brought back stays, though an older copy has it deleted",
      """
      1 deletes a; 2 writes vault 1/vault; later 1; 1 undeletes a deleted; 2 sets x; 2 beside 1; 1 has a b x
      """),
    Scenario(
      "one login that was stored in both places becomes one item",
      "2 sets n=first; 1 sets n=second; 2 beside 1; 1 holds n = n=second; 1 retired = n merged"),
  ]

  @Test("it", arguments: requested + copies)
  func play(scenario: Scenario) throws { try scenario.run(after: twoMachines) }

  @Test(
    "a sync program's copy is merged by whoever opens the vault next, and put away",
    arguments: [
      "vault.sync-conflict-20261121-083000-ABCDEFG.age", "vault (alice's conflicted copy 2026-11-21).age",
      "vault (conflicted copy 2026-11-21 083000).age", "vault_conflict-20261121-083000.age",
      "vault (laptop in Konflikt stehende Kopie 2026-11-21).age",
      "vault (copia en conflicto de alice 2026-11-21).age", "vault (Case Conflict).age",
    ])
  func names(name: String) throws {
    try Scenario(
      name,
      """
      1 sets c; 2 sets d; 2 beside 1 NAME; 1 opens NAME; 1' finds d = 1; 1' has a b c d
      told = created, merged copies: 1; 1 lists = generations lock newest vault; 1 numbers = 2 2 1; 1 number = 3
      """
    ).run(after: twoMachines, files: ["NAME": name])
  }

  @Test("the three-file form replaces its file, and what has another name of that stays as it was")
  func replacedFile() throws {
    let place = try Place.filled()
    let (ours, second) = (place.path + "/ours.age", place.path + "/second.age")
    let before = try contents(of: place.vault)
    try put(before, into: ours)
    expect(link(ours, second) == 0 && chmod(ours, 0o640) == 0)
    try place.keychain().add(servers: ["b.example"])
    try place.keychain().mergeFiles(base: nil, ours: ours, theirs: place.vault)
    try expect(contents(of: second), is: before)
    try expect(contents(of: ours) != before)
    try expect(FileFacts(ours).mode & 0o7777, is: 0o640)
    expect(TestSupport.names(in: place.path).filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test("a copy that was rotated elsewhere opens by its own passphrase, in both forms")
  func rotatedWithPassphrase() throws {
    try Scenario(
      "rotated",
      """
      1 vault right; 2 follows; 1(right) adds d; 2(right) rotates 0123456789abcdef=right; 2(right) adds e
      1 writes @ours.age 1/vault; 1 writes @theirs.age 2/vault
      1(wrong) mergesFiles - @ours.age @theirs.age ! wrongPassphrase @ours.age
      1 mergesFiles - @ours.age @theirs.age ! locked @ours.age; 1(right) mergesFiles - @ours.age @theirs.age
      1(right) merges @ours.age = count: 5 …; 1(right) merges @theirs.age = count: 5 …
      """
    ).run()
  }

  @Test("what a process left that was killed while it merged is removed, and nothing that is in use")
  func scratchFolders() throws {
    let place = try Place.filled()
    let state = place.location.stateFolder
    let scratch = ["0123456789abcdef", "0123456789abcde0", "0123456789abcde1", "tool"].map {
      state + "/merge-" + $0
    }
    for folder in scratch {
      mkdir(folder, 0o700)
      try put([1], into: folder + "/vault.age")
      mkdir(folder + "/generations", 0o700)
      try put([1], into: folder + "/generations/1-00000000.age")
    }
    let held = try FileLock("merging", in: try Folder(creating: scratch[2]), patience: 0) {}
    // The second one is young, and the third in use.
    let hours = timespec(tv_sec: time(nil) - 7200, tv_nsec: 0)
    for index in [0, 2, 3] { utimensat(AT_FDCWD, scratch[index], [hours, hours], 0) }
    _ = try place.keychain().merge(copyAt: place.newestWrite)
    expect(!exists(scratch[0]))
    expect(scratch[1...].allSatisfy { exists($0 + "/generations/1-00000000.age") })
    expect(TestSupport.names(in: state).count { $0.hasPrefix("merge-") }, is: 3)
    withExtendedLifetime(held) {}
  }

  @Test("a copy that came between a writer's reading and its replacing is not lost")
  func between() throws {
    let (place, other) = (Place(), Place())
    try place.keychain().add(servers: ["a.example"])
    other.makeFolders()
    try put(try contents(of: place.vault), into: other.vault)
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try other.keychain().add(servers: ["d.example"])
    let keychain = place.keychain()
    try keychain.exclusively { () throws(KeychainError) in
      try keychain.add(item("c.example"), Credential(password: "c"))
      // As a sync program does: a new file in the vault's place.
      rename(other.vault, place.vault)
    }
    try expect(place.keychain().servers(), is: ["a.example", "c.example", "d.example"])
  }

  @Test(
    "both places come to the same items whichever merges, and no secret is dropped",
    arguments: 0..<(isLongForm ? 24 : 6) as Range<UInt64>)
  func property(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let machines = Scene("seed \(seed)", files: [:])
    func play(_ step: String) throws -> String {
      try machines.perform(step.split(separator: " ").map { String($0) })
    }
    _ = try play("1 adds 0 1 2 3")
    _ = try play("2 joins")
    _ = try play("later 10")
    var newest: Set<String> = []
    for machine in 1...2 {
      for step in 0..<numbers.number(in: 1..<12) {
        let server = numbers.number(in: 0..<6)
        let isDeletion = numbers.number(in: 0..<4) == 0
        _ = try play(
          "\(machine) " + (isDeletion ? "deletes \(server)" : "sets \(server)=\(seed)-\(machine)-\(step)"))
        // Sometimes at the same time as in the other place.
        if numbers.number(in: 0..<3) == 0 { _ = try play("later -1") }
      }
      newest.formUnion(try play("\(machine) holds").split(separator: " ").map { String($0) })
    }
    for step in ["1 saves vault one", "1 saves 2/vault two", "1 writes copy two", "2 writes copy one"] {
      _ = try play(step)
    }
    let (one, two) = (try play("1 holds"), try play("2 holds"))
    expect(one, is: two)
    try expect(play("1 retired"), is: play("2 retired"))

    // Everything that was in use at either place is in use, or can be restored.
    var kept = Set(one.split(separator: " ").map { String($0) })
    for server in 0..<6 {
      for secret in try play("1 secrets \(server)").split(separator: " ") {
        kept.insert("\(server)=\(secret)")
      }
    }
    expect(kept.isSuperset(of: newest), "lost: \(newest.subtracting(kept))")

    // Merging again changes nothing.
    _ = try play("2 writes copy two")
    try expect(play("2 holds"), is: two)
  }
}

@Suite("Salvaging")
struct SalvagingTests {
  static let salvaged = [
    Scenario(
      "what can still be read of a large damaged vault is there, the rest comes from the last good generation",
      """
      1 fills 1500; 1 adds late-a zlate; 1 salvages ! duplicateItem; 1 overwrites 1/vault^300000
      1 salvages = count: 1502 recovered: 1274 base: 1; 1 count = 1502; 1 finds late-a = 1; 1 finds zlate = 1
      1 number = 3; 1 retired = 
      """),
    Scenario(
      "without a good generation, what can still be read is there alone",
      "1 fills 1500; 1 overwrites 1/vault<200000; 1 salvages = count: 679 recovered: 679 base: nil; 1 count = 679"
    ),
    Scenario(
      "a vault whose recipient was altered gives way to the last good generation",
      """
      1 stores a b; 1 overwrites 1/vault^40:letter; 1 count ! wrongIdentity identity
      1 salvages = count: 1 recovered: 0 base: 1; 1 has a
      """),
    Scenario(
      "the only state of a vault is there again after one byte was changed where all headers are alike",
      """
      1 adds a b; 1 uuid; 1 saves vault v
      1 overwrites v^{0|3|20|21|22|27|31|75|119|120|125|135}:{1|32|128}; 1 count ! …
      1 salvages = count: 2 recovered: 2 base: nil; 1 has a b; 1 uuid = same
      """),
    Scenario(
      "so is one that a passphrase opens, and no other passphrase does",
      """
      1 creates right; 1(right) adds a; 1 overwrites 1/vault^{3|27|125}; 1 removes generations; 1 saves vault v
      1(wrong) salvages ! …; 1 is vault v; 1(right) salvages = count: 1 recovered: 1 base: nil; 1(right) has a
      1(wrong) count ! …
      """),
    Scenario(
      "with another vault's identity nothing gives way",
      "1 stores a b; 2 stores a b; 1 writes identity 2/identity; 1 marks; 1 salvages ! wrongIdentity identity; 1 same"
    ),
    Scenario(
      "a small vault that is damaged gives nothing by itself",
      "1 adds a; 1 overwrites 1/vault^; 1 saves vault v; 1 salvages ! damaged vault …; 1 is vault v"),
    Scenario(
      "a former file that could not be removed is forgotten with the earlier states, and another's is left alone",
      """
      1 adds a; 1 writes .vault.age.0123456789abcdef.tmp 1/vault; 1 writes .vault.age.Ab12.tmp 1/vault; 1 compacts
      1 lists = .vault.age.Ab12.tmp generations lock newest vault
      """),
  ]

  @Test("of it", arguments: salvaged) func playSalvaged(scenario: Scenario) throws { try scenario.run() }
}

@Suite("A file that takes the place of another")
struct ReplacedFileTests {
  private let place = Place()

  private func path(_ name: String) -> String { place.location.vaultFolder + "/" + name }

  /// Puts `old` into `vault.age`, replaces that by `new`, and runs something just before. Then these files are there.
  private func replace(
    isPutBack: Bool = false, _ files: [String: String], fault: KeychainError? = nil,
    _ meanwhile: () throws -> Void
  ) throws {
    place.makeFolders()
    try put(Array("old".utf8), into: path("vault.age"))
    let folder = try Folder(creating: place.location.vaultFolder)
    let expected = try folder.status(of: "vault.age")
    var failure: (any Error)?
    let error = TestSupport.failure {
      try Array("new".utf8).withUnsafeBytes { bytes in
        _ = try folder.replace("vault.age", replaced: (expected, "copy.age", isPutBack)) {
          writeFully($0, bytes)
        } verify: { _ in
          do { try meanwhile() } catch { failure = error }
        }
      }
    }
    if let failure { throw failure }
    expect(error, is: fault)
    let found = names(in: place.location.vaultFolder).map { ($0, text((try? contents(of: path($0))) ?? [])) }
    expect(Dictionary(uniqueKeysWithValues: found), is: files)
    for name in files.keys { unlink(path(name)) }
  }

  private func theirs() throws {
    try put(Array("theirs".utf8), into: path("theirs"))
    rename(path("theirs"), path("vault.age"))
  }

  @Test(
    "what was seen goes, what nobody has seen becomes a copy, once, or gets its place back, and none is none")
  func replacing() throws {
    try replace(["vault.age": "new"]) {}
    try replace(["vault.age": "new"]) { unlink(path("vault.age")) }
    try replace(["vault.age": "new", "copy.age": "theirs"]) { try theirs() }
    try replace(["vault.age": "new", "copy.age": "theirs"]) {
      try theirs()
      link(path("vault.age"), path("copy.age"))
    }
    try replace(isPutBack: true, ["vault.age": "theirs"], fault: .slot(.changedMeanwhile)) { try theirs() }
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
}
