import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Generations")
struct GenerationTests {
  static let states = [
    Scenario(
      "the last five are kept, and opened each gives what was there then",
      """
      1 stores 0 1 2 3 4 5 6 7 8; 1 numbers = 8 7 6 5 4; 1 verifies 8 = count: 8 generation: 8
      1 verifies 7 = count: 7 generation: 7; 1 verifies 6 = count: 6 generation: 6; 1 verifies 5 = count: 5 generation: 5
      1 verifies 4 = count: 4 generation: 4; 1 verifies now = count: 9 generation: 9
      """),
    Scenario(
      "restoring makes the items what they were, and can itself be undone",
      """
      1 adds a b; 1 deletes a; 1 sets b=new; 1 adds c; later 1; 1 restores 1 = count: 2 restored: 2 retired: 1
      1 has a b; 1 holds b = b=secret-b.example; 1 changed b = now; 1 number = 5; 1 restores 4; 1 has b c
      1 holds b = b=new
      """),
    // The fourth generation was seen.
    Scenario(
      "a damaged vault is refused, the newest good generation is known, and put back leaves both files",
      """
      1 stores 0 1 2 3; 1 saves vault v; 1 overwrites v^-10; 1 writes generations/3-* [1,2,3]
      1 count ! damaged vault …; 1 good = 2; 1 restores good = count: 2 …; 1 has 0 1; 1 number = 5
      1 is generations/unreadable-* v^-10
      """),
    // A killed writer leaves the vault's file a second name among the generations, and cp writes into it.
    Scenario(
      "a file that has become another generation is none",
      """
      1 stores 0 1 2; 1 links; 1 writes vault generations/1-*
      1 verifies 3 ! damaged generations/3-* detail: it is not the state that its name says; 1 loses
      1 restores 3 ! damaged generations/3-* detail: it is not the state that its name says; 1 good = 2
      """),
    // This machine's last write still exists, but only as a copy.
    Scenario(
      "a vault that is gone is not an empty one, and comes back from a generation",
      """
      1 stores a b; 1 loses; 1 count ! missing vault; 1 restores good; 1 has a; 1 adds c; 1 removes vault
      1 restores good; 1 has a c
      """),
    // The later states themselves go.
    Scenario(
      "what came after a state that replaces a vault that can't be read can be brought back",
      """
      1 adds a b; 1 deletes b; 1 sets a=new; 1 stores c d; {1 removes vault|1 writes vault 1/vault^-10}
      1 restores 1 = count: 2 restored: 2 retired: 2; 1 has a b; 1 holds a = a=secret-a.example
      1 stores e0 e1 e2 e3 e4 e5 e6
      1 retired = a replaced, a replaced, b deleted, c deleted, d deleted; 1 undeletes a replaced; 1 undeletes d deleted
      1 holds a = a=new; 1 finds d = 1
      """),
    Scenario(
      "so can what came before the last write, if that is gone, too",
      """
      1 adds a b; 1 deletes b; 1 sets a=new; 1 stores c d; 1 loses; 1 restores 1 = count: 2 restored: 2 retired: 1
      1 has a b; 1 holds a = a=secret-a.example; 1 stores e0 e1 e2 e3 e4 e5 e6; 1 retired = a replaced, a replaced, b deleted, c deleted
      1 undeletes a replaced; 1 holds a = a=new; 1 finds d = 0
      """),
    Scenario(
      "the last write is among the states only if the vault can't be read, and can be restored",
      """
      1 stores 0 1 2; 1 written = ; 1 writes vault 1/vault^-10; 1 written = 3 newest; 1 removes vault
      1 written = 3 newest; 1 restores written = count: 3 restored: 3 retired: 0; 1 has 0 1 2; 1 written = 
      1 numbers = 3 2 1
      """),
    // No user can unlink a folder, not even root. Only where something was written is the change said to be made.
    Scenario(
      "an earlier state that can't be removed is told, and the others are removed",
      """
      1 stores 0 1 2 3; 1 makes generations/1-00000000.age; 1 compacts ! system operation: remove …
      1 lists generations = 1-*; 1 deletes 0; 1 compacts ! earlierStatesRemain system operation: remove …
      1 lists generations = 1-*; 1 count = 3; 1 removes generations/1-00000000.age; 1 compacts; 1 lists generations = 
      """),
    Scenario(
      "what somebody else has put among the earlier states stays, and is in nobody's way",
      """
      1 stores 0 1 2 3; 1 makes generations/photos; 1 plants notes.txt .notes.swp 2-mybackup.age unmerged-notes.age\
       unreadable-notes.age
      1 numbers = 3 2 1; 1 compacts; 1 lists generations = \(foreign); 1 stores 4 5 6 7 8 9 10 11
      1 lists generations = .notes.swp 10-* 11-* 2-mybackup.age 7-* 8-* 9-* notes.txt photos unmerged-notes.age\
       unreadable-notes.age
      1 rotates; 1 lists generations = \(foreign); 1 adds last
      1 lists generations = .notes.swp 13-* 2-mybackup.age notes.txt photos unmerged-notes.age unreadable-notes.age
      1 unmerged = 
      """),
    Scenario(
      "where another vault was copied over one, its own states are put back, and not the other one's",
      """
      1 stores a0 a1 a2; 2 stores b0 b1 b2 b3 b4; 2 brings 1; 1 moves 2/newest newest
      {1 moves 2/vault vault; 1 count ! wrongIdentity identity; 1 salvages surely = count: 2 recovered: 0 base: 2
      1 is generations/unreadable-* 1/generations/unreadable-*
      |1 removes vault; 1 count ! missing vault; 1 salvages surely = count: 2 recovered: 0 base: 2
      1 lacks generations/unreadable-*}
      1 has a0 a1
      """),
  ]

  private static let foreign =
    ".notes.swp 2-mybackup.age notes.txt photos unmerged-notes.age unreadable-notes.age"

  @Test("of which", arguments: states) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("a synchronizing program's copies of earlier states go with these")
  func copies() throws {
    let place = Place()
    let keychain = place.keychain()
    for number in 0..<3 { try keychain.add(servers: ["\(number).example"]) }
    let folder = place.location.vaultFolder + "/generations"
    for name in names(in: folder) {
      let stem = folder + "/" + name.dropLast(".age".count)
      for copy in [stem + ".sync-conflict-20261127-101112-ABCDEFG.age", stem + " (1).age", stem + ".age~"] {
        try put(contents(of: folder + "/" + name), into: copy)
      }
    }
    try put([1], into: folder + "/unmerged-0123abcd.sync-conflict-20261127-101112-ABCDEFG.age")
    try keychain.compact()
    expect(names(in: folder), is: [])
  }

  @Test("of earlier days the last one each is kept, for seven days")
  func daily() throws {
    let place = Place()
    let keychain = place.keychain()
    for day in 0..<12 {
      for _ in 0..<3 { try keychain.save(item("a.example"), Credential(password: "\(day) \(randomUUID())")) }
      for path in try keychain.generations().map(\.path) + [place.vault] {
        var status = stat()
        stat(path, &status)
        let dayBefore = timespec(tv_sec: status.st_mtim.tv_sec - 86_400, tv_nsec: 0)
        utimensat(AT_FDCWD, path, [dayBefore, dayBefore], 0)
      }
    }
    let days = try keychain.generations().map { $0.written.seconds / 86_400 }
    expect(Set(days).count, is: 7)
    expect(days.count, is: 5 + 7 - Set(days[..<5]).count)
    let kept = try keychain.generations().map(\.number)
    expect(Array(kept[..<5]), is: [35, 34, 33, 32, 31])
    expect(kept[5...].allSatisfy { $0 % 3 == 0 }, "of each day the last: \(kept)")
  }

  @Test("where there can be no links, a copy is kept")
  func copying() throws {
    let place = try Place.filled()
    // A test can't reach the limit of the link count, but it can use another file system.
    let folder = place.location.vaultFolder + "/generations"
    var template = Array("/dev/shm/llavero-generations-XXXXXX".utf8CString)
    let elsewhere = String(cString: mkdtemp(&template))
    defer { removeAll(elsewhere) }
    symlink(elsewhere, folder)
    try place.keychain().add(servers: ["b.example"])
    let generation = try #require(try place.keychain().generations().first)
    expect(generation.number, is: 1)
    try expect(place.keychain().verify(generation).count, is: 1)
  }
}

@Suite("An older state, or another vault, in the vault's place")
struct RollbackTests {
  /// Refused twice by a reader, and by a writer, who leaves it as it is.
  private static func refused(seen: String) -> String {
    let error = "rolledBack vault generation: 1 seen: \(seen)"
    return "1 finds a ! \(error); 1 finds a ! \(error); 1 saves vault v; 1 adds c ! \(error); 1 is vault v"
  }

  static let rollbacks = [
    Scenario(
      "it is refused until it is accepted",
      """
      1 adds a; 1 saves vault old; 1 deletes a; 1 writes vault old; \(refused(seen: "2")); 1 accepts; 1 has a; 1 adds b
      1 has a b
      """),
    // What is in order, or is kept, is not lost.
    Scenario(
      "what was seen last is named then, if a backup of the folder has replaced its copy, too",
      """
      1 adds a; 1 saves vault old; 1 saves newest copied; 1 adds b; told mark; 1 accepts; told new = nothing; 1 adds c
      1 writes vault old; 1 writes newest copied; 1 accepts; told new = lost write: 3 kept: Generation number: 2 …
      1 restores 2; 1 has a b
      """),
    Scenario(
      "another one with the same number is refused, too",
      """
      1 adds a; 1 saves vault first; 1 compacts; 1 number = 1; 1 adds b; 1 saves seen note; 1 writes vault first
      1 removes seen; 1 adds c; 1 writes seen note; 1 count ! rolledBack vault generation: 2 seen: 2
      """),
    // It is the state between a writer's renaming of the vault and its record. A writer killed there leaves no lock.
    Scenario(
      "while somebody writes, a reader notes nothing: its note could come after the writer's",
      """
      1 adds a; 1 saves seen first; 1 adds b; 1 saves seen second; 1 writes seen first; 1 locks; 1 has a b
      1 is seen first; 1 unlocks; 1 has a b; 1 is seen second
      """),
    // The vault's place comes after the tag.
    Scenario(
      "what was noted with another key is refused, and what can't be read is as if it weren't there",
      """
      1 adds a; 1 saves seen note; 1 writes seen {[]|[0,0,0]|[49,32,50,10]|note<1|[120]+note|note^0}; 1 has a
      1 writes seen note~^-2; \(refused(seen: "nil"))
      """),
    Scenario(
      "a newer one from elsewhere is noted by whoever reads it first",
      """
      1 adds a; 1 saves vault first; 2 follows; 2 adds b; 1 writes vault 2/vault; 1 has a b; 1 writes vault first
      \(refused(seen: "2"))
      """),
    Scenario(
      "a program that runs on uses another vault that was put there, once it is accepted",
      """
      1' adds a; 2 adds b; 1' has a; \(exchange); {1|1'} count ! replaced vault former: newest
      {1|1'} adds c ! replaced vault former: newest; 1 accepts; 1' has b; 1' holds b = b=secret-b.example
      """),
    // A sync program brings its earlier states too. The original vault can be restored from there.
    Scenario(
      "the earlier states of a vault are put aside when another one in its place is accepted",
      """
      1 stores a0 a1 a2; 2 stores b0 b1 b2 b3 b4 b5 b6 b7 b8; 1 saves newest last; 2 brings 1; \(exchange)
      1 count ! replaced vault former: newest; told mark; 1 accepts; told new = formerPutAside former-*
      1 lists former-* = 1-* 2-* newest; 1 is former-*/newest last; 1 stores c0 c1 c2 c3 c4 c5 c6 c7 c8; 1 count = 18
      1 lists former-* = 1-* 2-* newest
      """),
    Scenario(
      "the last write of a former vault that is kept nowhere is named, with its last state that is",
      """
      1 stores a0 a1 a2; 2 adds b; \(exchange); 1 removes newest; told mark; 1 accepts
      told new = formerPutAside former-*, formerLost write: 3 kept: former-*/2-*
      """),
  ]

  private static let exchange = "1 moves 2/identity identity; 1 moves 2/vault vault"

  @Test("of which", arguments: rollbacks) func play(scenario: Scenario) throws { try scenario.run() }
}
