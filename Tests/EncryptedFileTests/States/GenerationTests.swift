import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Generations")
struct GenerationTests {
  private let place = Place()

  private var numbers: [Int64] {
    get throws { try place.keychain().generations().map(\.number) }
  }

  /// Sets the dates of all generations, and of the vault, back by days.
  private func age(byDays days: Int) throws {
    for path in try place.keychain().generations().map(\.path) + [place.vault] {
      var status = stat()
      stat(path, &status)
      let time = timespec(tv_sec: status.st_mtim.tv_sec - days * 86_400, tv_nsec: 0)
      utimensat(AT_FDCWD, path, [time, time], 0)
    }
  }

  @Test("the last five are kept, and opened each gives what was there then")
  func lastFive() throws {
    let keychain = place.keychain()
    for number in 0..<9 { try keychain.add(servers: ["\(number).example"]) }
    try expect(numbers, is: [8, 7, 6, 5, 4])
    for generation in try keychain.generations() {
      let verified = try place.keychain().verify(generation)
      expect(verified.generation == generation.number && verified.count == Int(generation.number))
    }
    try expect(keychain.verify()?.generation, is: 9)
  }

  @Test("of earlier days the last one each is kept, for seven days")
  func daily() throws {
    let keychain = place.keychain()
    for day in 0..<12 {
      for _ in 0..<3 { try keychain.save(item("a.example"), Credential(password: "\(day) \(randomUUID())")) }
      try age(byDays: 1)
    }
    let days = try keychain.generations().map { $0.written.seconds / 86_400 }
    expect(Set(days).count, is: 7)
    expect(days.count, is: 5 + 7 - Set(days[..<5]).count)
    let kept = try numbers
    expect(Array(kept[..<5]), is: [35, 34, 33, 32, 31])
    expect(kept[5...].allSatisfy { $0 % 3 == 0 }, "of each day the last: \(kept)")
  }

  @Test("where there can be no links, a copy is kept")
  func copying() throws {
    try place.keychain().add(servers: ["a.example"])
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

  @Test("restoring makes the items what they were, and can itself be undone")
  func restoring() throws {
    let clock = SettableClock()
    let keychain = place.keychain(clock: clock.read)
    try keychain.add(servers: ["a.example", "b.example"])
    clock.advance(seconds: 1)
    try keychain.delete(try keychain.items(matching: query("a.example")))
    try keychain.save(item("b.example"), Credential(password: "new"), at: clock.now)
    try keychain.add(servers: ["c.example"])
    let first = try #require(try keychain.generations().last)
    expect(first.number, is: 1)
    clock.advance(seconds: 1)
    let outcome = try keychain.restore(first)
    expect(outcome, is: Restoration(count: 2, restored: 2, retired: 1))
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
    let b = try #require(try keychain.items(matching: query("b.example")).first)
    try expect(keychain.secret(of: b), is: "secret-b.example")
    expect(b.modificationDate, is: clock.now)
    try expect(keychain.summary()?.contents?.generation, is: 5)
    let before = try #require(try keychain.generations().first)
    _ = try keychain.restore(before)
    try expect(place.keychain().servers(), is: ["b.example", "c.example"])
    try expect(keychain.items(matching: query("b.example")).map { try keychain.secret(of: $0) }, is: ["new"])
  }

  @Test("a damaged vault is refused, the newest good generation is known, and put back leaves both files")
  func damaged() throws {
    let keychain = place.keychain()
    for number in 0..<4 { try keychain.add(servers: ["\(number).example"]) }
    var bytes = try contents(of: place.vault)
    bytes[bytes.count - 10] ^= 1
    try place.overwriteVault(bytes)
    let newest = try #require(try keychain.generations().first)
    try put([1, 2, 3], into: newest.path)
    guard case .damaged(place.vault, _) = failure({ try place.keychain().servers() }) else {
      Issue.record("a damaged vault is not refused")
      return
    }
    let good = try #require(place.keychain().newestGoodGeneration())
    expect(good.number, is: 2)
    let outcome = try place.keychain().restore(good)
    expect(outcome.count, is: 2)
    try expect(place.keychain().servers(), is: ["0.example", "1.example"])
    // The fourth generation was seen.
    try expect(place.keychain().summary()?.contents?.generation, is: 5)
    let kept = names(in: place.location.vaultFolder + "/generations")
    let unreadable = try #require(kept.first { $0.hasPrefix("unreadable-") })
    try expect(contents(of: place.location.vaultFolder + "/generations/" + unreadable), is: bytes)
  }

  /// A killed writer leaves the vault's file a second name among the generations, and cp writes into it.
  @Test("a file that has become another generation is none")
  func overwritten() throws {
    let keychain = place.keychain()
    for number in 0..<3 { try keychain.add(servers: ["\(number).example"]) }
    let generations = place.location.vaultFolder + "/generations/"
    let first = generations + (try #require(names(in: generations).first { $0.hasPrefix("1-") }))
    let snapshot = try #require(try keychain.newest())
    link(place.vault, generations + snapshot.generation.fileName)
    try put(try contents(of: first), into: place.vault)
    let third = try #require(try place.keychain().generations().first)
    expect(third.number, is: 3)
    let error = KeychainError.damaged(path: third.path, detail: "it is not the state that its name says")
    expect(failure { try place.keychain().verify(third) }, is: error)
    place.loseVault()
    expect(failure { try place.keychain().restore(third) }, is: error)
    expect(place.keychain().newestGoodGeneration()?.number, is: 2)
  }

  @Test("a vault that is gone is not an empty one, and comes back from a generation")
  func gone() throws {
    try place.keychain().add(servers: ["a.example"])
    try place.keychain().add(servers: ["b.example"])
    place.loseVault()
    expect(failure { try place.keychain().servers() }, is: .missing(path: place.vault))
    _ = try place.keychain().restore(try #require(place.keychain().newestGoodGeneration()))
    try expect(place.keychain().servers(), is: ["a.example"])
    try place.keychain().add(servers: ["c.example"])
    // This machine's last write still exists, but only as a copy.
    unlink(place.vault)
    _ = try place.keychain().restore(try #require(place.keychain().newestGoodGeneration()))
    try expect(place.keychain().servers(), is: ["a.example", "c.example"])
  }

  /// How a vault is made unreadable.
  enum Absence: CaseIterable {
    case gone, damaged, goneWithItsCopy
  }

  @Test(
    "what came after a state that replaces a vault that can't be read can be brought back",
    arguments: Absence.allCases)
  func restoringUnreadable(absence: Absence) throws {
    let clock = SettableClock()
    let keychain = place.keychain(clock: clock.read)
    try keychain.add(servers: ["a.example", "b.example"])
    try keychain.delete(try keychain.items(matching: query("b.example")))
    clock.advance(seconds: 1)
    try keychain.save(item("a.example"), Credential(password: "new"), at: clock.now)
    try keychain.add(servers: ["c.example"])
    try keychain.add(servers: ["d.example"])
    switch absence {
    case .gone: unlink(place.vault)
    case .damaged:
      var bytes = try contents(of: place.vault)
      bytes[bytes.count - 10] ^= 1
      try put(bytes, into: place.vault)
    case .goneWithItsCopy: place.loseVault()
    }
    let first = try #require(try keychain.generations().last)
    expect(first.number, is: 1)
    let hasLast = absence != .goneWithItsCopy
    let outcome = try place.keychain(clock: clock.read).restore(first)
    expect(outcome, is: Restoration(count: 2, restored: 2, retired: hasLast ? 2 : 1))
    try expect(keychain.servers(), is: ["a.example", "b.example"])
    let a = try #require(try keychain.items(matching: query("a.example")).first)
    try expect(keychain.secret(of: a), is: "secret-a.example")
    // The later states themselves go.
    for number in 0..<7 { try keychain.add(servers: ["e\(number).example"]) }
    let later = try keychain.retiredItems(matching: .all)
    expect(
      Set(later.filter { $0.reason == .deleted }.map(\.item.key)),
      is: Set([item("b.example"), item("c.example")].map(\.key) + (hasLast ? [item("d.example").key] : [])))
    // The most recent one comes first.
    let replaced = later.filter { $0.reason == .replaced }
    expect(replaced.map(\.item.key), is: [item("a.example").key, item("a.example").key])
    try keychain.undelete(replaced[0], replacing: true)
    for retired in later where retired.item.key == item("d.example").key { try keychain.undelete(retired) }
    let back = try #require(try keychain.items(matching: query("a.example")).first)
    try expect(keychain.secret(of: back), is: "new")
    try expect(keychain.servers().contains("d.example"), is: hasLast)
  }

  @Test("the last write is among the states only if the vault can't be read, and can be restored")
  func lastWrite() throws {
    for number in 0..<3 { try place.keychain().add(servers: ["\(number).example"]) }
    let good = try contents(of: place.vault)
    try expect(place.keychain().lastWritesOfUnreadable(), is: [])
    var bad = good
    bad[bad.count - 10] ^= 1
    try put(bad, into: place.vault)
    let last = try #require(try place.keychain().lastWritesOfUnreadable().first)
    expect(last.number == 3 && last.path == place.newestWrite)
    unlink(place.vault)
    try expect(place.keychain().lastWritesOfUnreadable(), is: [last])
    let outcome = try place.keychain().restore(last)
    expect(outcome, is: Restoration(count: 3, restored: 3, retired: 0))
    try expect(place.keychain().servers(), is: ["0.example", "1.example", "2.example"])
    try expect(place.keychain().lastWritesOfUnreadable(), is: [])
    try expect(place.keychain().generations().map(\.number), is: [3, 2, 1])
  }

  @Test("an earlier state that can't be removed is told, and the others are removed")
  func remaining() throws {
    let place = Place()
    for number in 0..<4 { try place.keychain().add(servers: ["h\(number).example"]) }
    let folder = place.location.vaultFolder + "/generations"
    // No user can unlink a folder, not even root.
    mkdir(folder + "/1-00000000.age", 0o700)
    // Only where something was written is the change said to be made.
    guard case .system("remove", _, _)? = failure({ try place.keychain().compact() }) else {
      Issue.record("all is removed, it says, or something is changed")
      return
    }
    expect(names(in: folder), is: ["1-00000000.age"])
    let keychain = place.keychain()
    try keychain.delete(keychain.items(matching: query("h0.example")))
    guard case .earlierStatesRemain(because: .system("remove", _, _))? = failure({ try keychain.compact() })
    else {
      Issue.record("all is removed, it says")
      return
    }
    expect(names(in: folder), is: ["1-00000000.age"])
    try expect(place.keychain().servers().count, is: 3)
    rmdir(folder + "/1-00000000.age")
    try place.keychain().compact()
    expect(names(in: folder), is: [])
  }
}

@Suite("An older state in the vault's place")
struct RollbackTests {
  private let place = Place()

  private func expectRefusal(seen: Int64?) throws {
    for _ in 0..<2 {
      #expect(throws: KeychainError.rolledBack(path: place.vault, generation: 1, seen: seen)) {
        try place.keychain().items(matching: query("a.example"))
      }
    }
    let before = try contents(of: place.vault)
    #expect(throws: KeychainError.rolledBack(path: place.vault, generation: 1, seen: seen)) {
      try place.keychain().add(servers: ["c.example"])
    }
    try expect(contents(of: place.vault), is: before)
  }

  @Test("it is refused until it is accepted")
  func older() throws {
    try place.keychain().add(servers: ["a.example"])
    let old = try contents(of: place.vault)
    try place.keychain().delete(try place.keychain().items(matching: .all))
    try put(old, into: place.vault)
    try expectRefusal(seen: 2)
    try place.keychain().acceptRollback()
    try expect(place.keychain().servers(), is: ["a.example"])
    try place.keychain().add(servers: ["b.example"])
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("what was seen last is named then, if a backup of the folder has replaced its copy, too")
  func lost() throws {
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let (old, copy) = (try contents(of: place.vault), try contents(of: place.newestWrite))
    try keychain.add(servers: ["b.example"])
    nonisolated(unsafe) var notices: [EncryptedFileKeychain.Notice] = []
    let accepting = place.keychain(onNotice: { notices.append($0) })
    // What is in order, or is kept, is not lost.
    try accepting.acceptRollback()
    expect(notices, is: [])
    try keychain.add(servers: ["c.example"])
    try put(old, into: place.vault)
    try put(copy, into: place.newestWrite)
    try accepting.acceptRollback()
    let kept = try place.keychain().generations()[0]
    expect(kept.number, is: 2)
    expect(notices, is: [.lost(write: 3, kept: kept)])
    _ = try place.keychain().restore(kept)
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("another one with the same number is refused, too")
  func sameNumber() throws {
    try place.keychain().add(servers: ["a.example"])
    let first = try contents(of: place.vault)
    try place.keychain().compact()
    try expect(place.keychain().summary()?.contents?.generation, is: 1)
    try place.keychain().add(servers: ["b.example"])
    let seen = try #require(names(in: place.location.stateFolder).first { $0.hasSuffix(".seen") })
    let path = place.location.stateFolder + "/" + seen
    let memory = try contents(of: path)
    try put(first, into: place.vault)
    unlink(path)
    try place.keychain().add(servers: ["c.example"])
    try put(memory, into: path)
    #expect(throws: KeychainError.rolledBack(path: place.vault, generation: 2, seen: 2)) {
      try place.keychain().servers()
    }
  }

  @Test("while somebody writes, a reader notes nothing: its note could come after the writer's")
  func readerBesideWriter() throws {
    try place.keychain().add(servers: ["a.example"])
    let seen = try #require(names(in: place.location.stateFolder).first { $0.hasSuffix(".seen") })
    let path = place.location.stateFolder + "/" + seen
    let first = try contents(of: path)
    try place.keychain().add(servers: ["b.example"])
    let second = try contents(of: path)
    // The state between a writer's renaming of the vault and its record.
    try put(first, into: path)
    do {
      let folder = try Folder(creating: place.location.vaultFolder)
      let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
      try expect(place.keychain().servers(), is: ["a.example", "b.example"])
      try expect(contents(of: path), is: first)
      withExtendedLifetime(lock) {}
    }
    // A writer killed there leaves no lock.
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
    try expect(contents(of: path), is: second)
  }

  @Test("what was noted with another key is refused, and what can't be read is as if it weren't there")
  func notes() throws {
    try place.keychain().add(servers: ["a.example"])
    let seen = try #require(names(in: place.location.stateFolder).first { $0.hasSuffix(".seen") })
    let path = place.location.stateFolder + "/" + seen
    var line = try contents(of: path)
    expect(line.starts(with: Array("1 ".utf8)) && line.last == 0x0a)
    for garbage in [[], [0, 0, 0], Array("1 2\n".utf8), Array(line.dropLast(1)), Array("x".utf8) + line] {
      try put(garbage, into: path)
      try expect(place.keychain().servers(), is: ["a.example"])
    }
    line = try contents(of: path)
    line[0] = UInt8(ascii: "0")
    try put(line, into: path)
    try expect(place.keychain().servers(), is: ["a.example"])
    line[0] = UInt8(ascii: "1")
    // The vault's place comes after the tag.
    line[try #require(line.firstIndex(of: 0x0a)) - 1] ^= 1
    try put(line, into: path)
    try expectRefusal(seen: nil)
  }

  @Test("a newer one from elsewhere is noted by whoever reads it first")
  func newer() throws {
    let other = Place()
    try place.keychain().add(servers: ["a.example"])
    let first = try contents(of: place.vault)
    other.makeFolders()
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try put(first, into: other.vault)
    try other.keychain().add(servers: ["b.example"])
    try put(try contents(of: other.vault), into: place.vault)
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
    try put(first, into: place.vault)
    try expectRefusal(seen: 2)
  }

  @Test("whoever reads while others write is never told of a rollback")
  func concurrent() throws {
    try place.keychain().add(servers: ["a.example"])
    let errors = Collected<String>()
    concurrently(6) { number in
      do {
        for round in 0..<40 {
          if number < 2 {
            try place.keychain().add(servers: ["\(number)-\(round).example"])
          } else {
            _ = try place.keychain().servers()
          }
        }
      } catch { errors.append("\(error)") }
    }
    expect(errors.all, is: [])
  }
}
