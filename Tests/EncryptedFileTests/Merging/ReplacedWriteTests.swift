import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

/// Two machines with one vault, and a program that brings the second one's file to the first, without a conflict copy.
private final class Pair {
  let one: Place
  let two = Place()
  let clock = SettableClock()
  let notices = Notices()

  init(_ one: Place = Place()) throws {
    self.one = one
    try keychain(one).add(servers: ["a.example", "b.example"])
    two.makeFolders()
    try put(try contents(of: one.identityFile), into: two.identityFile)
    try bring(one, to: two)
    _ = try two.keychain().servers()
    clock.advance(seconds: 10)
  }

  func keychain(_ place: Place) -> EncryptedFileKeychain {
    place.keychain(onNotice: notices.append, clock: clock.read)
  }

  func set(_ server: String, _ password: String, at place: Place) throws {
    clock.advance(seconds: 1)
    try keychain(place).save(item(server), Credential(password: password), at: clock.now)
  }

  func delete(_ server: String, at place: Place) throws {
    clock.advance(seconds: 1)
    let keychain = keychain(place)
    try keychain.delete(try keychain.items(matching: query(server)))
  }

  /// Puts the contents of the vault at one place into the vault of another: a new file, as sync programs make it, or
  /// the file that is there, as cp and scp do.
  func bring(_ from: Place, to: Place, inPlace: Bool = false) throws {
    let bytes = try contents(of: from.vault)
    if inPlace { try put(bytes, into: to.vault) } else { try replace(to.vault, with: bytes) }
  }

  func replace(_ file: String, with bytes: [UInt8]) throws {
    try put(bytes, into: file + ".incoming")
    rename(file + ".incoming", file)
  }

  func has(_ servers: [String], at place: Place) throws {
    try expect(keychain(place).servers(), is: servers.map { $0 + ".example" })
  }
}

private final class Notices: @unchecked Sendable {
  private(set) var all: [EncryptedFileKeychain.Notice] = []
  func append(_ notice: EncryptedFileKeychain.Notice) { all.append(notice) }
}

@Suite("A write that a sync program replaces unseen")
struct ReplacedWriteTests {
  @Test(
    "is merged at the next look, whichever of both numbers is higher, and once", arguments: 0...2,
    [(0, false), (1, false), (2, false), (0, true), (1, true), (2, true)])
  func merged(further: Int, there: (writes: Int, inPlace: Bool)) throws {
    let pair = try Pair()
    for number in 0..<further { try pair.set("a.example", "one \(number)", at: pair.one) }
    try pair.set("c.example", "c", at: pair.one)
    for number in 0..<there.writes { try pair.set("b.example", "two \(number)", at: pair.two) }
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one, inPlace: there.inPlace)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    expect(pair.notices.all, is: [.created(pair.one.location), .merged(copies: 1)])
    // Nothing is merged again, and the other machine accepts the result as it is.
    let before = try pair.one.everything()
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    try expect(pair.one.everything(), is: before)
    try pair.delete("c.example", at: pair.one)
    try pair.has(["a", "b", "d"], at: pair.one)
    try pair.bring(pair.one, to: pair.two)
    try pair.has(["a", "b", "d"], at: pair.two)
    expect(pair.notices.all.count, is: 2)
  }

  @Test("is merged also where the sync program brings the other machine's last write with it")
  func everythingComes() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    let folders = (pair.two.location.vaultFolder + "/", pair.one.location.vaultFolder + "/")
    for name in names(in: folders.0) where name.hasPrefix(".vault") {
      try pair.replace(folders.1 + name, with: try contents(of: folders.0 + name))
    }
    try pair.bring(pair.two, to: pair.one)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    // Nobody needs a copy of a write that is in the vault.
    try pair.set("e.example", "e", at: pair.one)
    expect(!names(in: folders.1).contains(pair.two.newestWriteName))
  }

  @Test("is merged by the next use where the writer that took it in was killed before it had its place")
  func killedWhileMerging() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    let theirs = try contents(of: pair.one.vault)
    let seen = try #require(names(in: pair.one.location.stateFolder).first { $0.hasSuffix(".seen") })
    let note = try contents(of: pair.one.location.stateFolder + "/" + seen)
    try pair.set("e.example", "e", at: pair.one)
    // The state that is left: there is only the copy of the file, and the generation seen is unchanged.
    try pair.replace(pair.one.vault, with: theirs)
    try pair.replace(pair.one.location.stateFolder + "/" + seen, with: note)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
  }

  @Test("what follows an older state that was accepted is the newest, for keeping and for salvaging")
  func numbersAfterAccepting() throws {
    for isGone in [true, false] {
      let pair = try Pair()
      let older = try contents(of: pair.one.vault)
      for number in 0..<10 { try pair.set("c.example", "\(number)", at: pair.one) }
      try pair.bring(pair.one, to: pair.two)
      try pair.has(["a", "b", "c"], at: pair.two)
      try pair.replace(pair.one.vault, with: older)
      try pair.keychain(pair.one).acceptRollback()
      try pair.has(["a", "b"], at: pair.one)
      for server in ["d", "e", "f", "g"] { try pair.set(server + ".example", server, at: pair.one) }
      let number = try #require(try pair.keychain(pair.one).newest()).generation.number
      let kept = try pair.keychain(pair.one).generations().prefix(4).map(\.number)
      expect(kept, is: (1...4).map { number - $0 })
      // Whoever has seen the newer states takes it as it is.
      try pair.bring(pair.one, to: pair.two)
      try pair.has(["a", "b", "d", "e", "f", "g"], at: pair.two)
      if isGone {
        unlink(pair.one.vault)
      } else {
        try pair.one.overwriteVault([1])
      }
      _ = try pair.keychain(pair.one).salvage()
      try pair.has(["a", "b", "d", "e", "f"] + (isGone ? ["g"] : []), at: pair.one)
    }
  }

  @Test("is not numbered by a file that anybody can put among the earlier states")
  func forgedNumbers() throws {
    for number in [Int64.max, Int64.max - 1, 1 << 40] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      let before = try #require(try pair.keychain(pair.one).newest()).generation.number
      try put([1], into: pair.one.location.vaultFolder + "/generations/\(number)-01234567.age")
      try pair.set("d.example", "d", at: pair.one)
      try expect(#require(try pair.keychain(pair.one).newest()).generation.number, is: before + 1)
      try pair.replace(pair.one.vault, with: [1])
      _ = try pair.keychain(pair.one).salvage()
      let after = try #require(try pair.keychain(pair.one).newest()).generation.number
      expect(before + 2...before + 4 ~= after)
      try pair.has(["a", "b", "c", "d"], at: pair.one)
    }
  }

  @Test("is taken in by salvaging, where it is in the folder and not in the state that is put back")
  func salvagingTakesAll() throws {
    for isGone in [true, false] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      try pair.set("d.example", "d", at: pair.two)
      let name = pair.two.newestWriteName
      try put(
        try contents(of: pair.two.location.vaultFolder + "/" + name),
        into: pair.one.location.vaultFolder + "/" + name)
      if isGone { unlink(pair.one.vault) } else { try pair.replace(pair.one.vault, with: [1]) }
      _ = try pair.keychain(pair.one).salvage()
      try pair.has(["a", "b", "c", "d"], at: pair.one)
    }
  }

  /// The other machine's generation has no room for its own predecessor among those that it comes from.
  @Test("is merged where the other machine had missed more writes than are noted")
  func farBehind() throws {
    let pair = try Pair()
    for number in 0..<40 { try pair.set("b.example", "one \(number)", at: pair.one) }
    _ = try pair.keychain(pair.two).merge(copyAt: pair.one.vault)
    try pair.set("c.example", "c", at: pair.one)
    try pair.bring(pair.two, to: pair.one)
    try pair.has(["a", "b", "c"], at: pair.one)
    expect(pair.notices.all.last, is: .merged(copies: 1))
  }

  @Test("is merged also where compacting had nothing to write")
  func compacted() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    let written = try contents(of: pair.one.vault)
    _ = try pair.keychain(pair.one).compact()
    try expect(contents(of: pair.one.vault), is: written)
    try expect(contents(of: pair.one.newestWrite), is: written)
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one, inPlace: true)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
  }

  @Test("is no way to bring an older state back unnoticed")
  func forged() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    let fork = try contents(of: pair.one.vault)
    try pair.set("d.example", "d", at: pair.two)
    let other = try contents(of: pair.two.vault)
    try put(other, into: pair.one.location.vaultFolder + "/vault (conflicted copy 2026-11-21).age")
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    for number in 0..<3 { try pair.set("a.example", "new \(number)", at: pair.one) }
    try pair.replace(pair.one.vault, with: other)
    // Whatever name it arrives under.
    for name in [pair.one.newestWrite, pair.one.location.vaultFolder + "/.vault.age.newest-0123456789abcdef"]
    {
      try pair.replace(name, with: fork)
      guard case .rolledBack = failure({ try pair.keychain(pair.one).servers() }) else {
        Issue.record("an older state was taken")
        return
      }
    }
  }

  @Test("is merged by the next change, also where a person has accepted what came")
  func change() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    for server in ["d.example", "e.example"] { try pair.set(server, "two", at: pair.two) }
    try pair.bring(pair.two, to: pair.one)
    try pair.keychain(pair.one).acceptRollback()
    try pair.set("f.example", "f", at: pair.one)
    try pair.has(["a", "b", "c", "d", "e", "f"], at: pair.one)
  }

  @Test("comes back where nothing else is left of the vault")
  func aloneIsLeft() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    unlink(place.vault)
    for name in names(in: place.location.stateFolder) where name.hasSuffix(".seen") {
      unlink(place.location.stateFolder + "/" + name)
    }
    expect(failure { try place.keychain().servers() }, is: .missing(path: place.vault))
    _ = try place.keychain().salvage()
    try expect(place.keychain().servers(), is: ["a.example"])
  }

  /// The first write of a new vault is copied, too.
  @Test("comes back where damage was written into the vault", arguments: [false, true])
  func overwritten(isFirst: Bool) throws {
    let pair = try Pair()
    if !isFirst { try pair.set("c.example", "c", at: pair.one) }
    let written = try contents(of: pair.one.vault)
    try expect(contents(of: pair.one.newestWrite), is: written)
    // Nothing is written if nothing was brought.
    let before = try pair.one.everything()
    try pair.keychain(pair.one).exclusively { () throws(KeychainError) in }
    try expect(pair.one.everything(), is: before)
    var bytes = written
    bytes[bytes.count - 1] ^= 1
    try put(bytes, into: pair.one.vault)
    try expect(pair.keychain(pair.one).salvage().base?.number, is: isFirst ? 1 : 2)
    try pair.has(isFirst ? ["a", "b"] : ["a", "b", "c"], at: pair.one)
  }

  @Test("needs no copy that a power failure has left empty")
  func emptyCopy() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try put([], into: pair.one.newestWrite)
    try pair.set("d.example", "d", at: pair.one)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    expect(unmerged(pair.one) == [] && pair.notices.all == [.created(pair.one.location)])
  }

  private func unmerged(_ place: Place) -> [String] {
    names(in: place.location.vaultFolder + "/generations").filter { $0.hasPrefix("unmerged-") }
  }

  private func setAside(_ pair: Pair) throws -> String {
    let name = try #require(unmerged(pair.one).first)
    expect(unmerged(pair.one).count, is: 1)
    let path = pair.one.location.vaultFolder + "/generations/" + name
    expect(pair.notices.all.last, is: .setAside(path: path))
    return path
  }

  @Test("is kept and told where a person has accepted the older state that came into its place")
  func keptAfterAccepting() throws {
    let pair = try Pair()
    let older = try contents(of: pair.one.vault)
    try pair.set("c.example", "c", at: pair.one)
    try pair.replace(pair.one.vault, with: older)
    try pair.keychain(pair.one).acceptRollback()
    try pair.set("d.example", "d", at: pair.one)
    try pair.has(["a", "b", "d"], at: pair.one)
    let path = try setAside(pair)
    for number in 0..<8 { try pair.set("e.example", "\(number)", at: pair.one) }
    // Operations that would discard it, or its key, are refused until it is merged.
    expect(failure { try pair.keychain(pair.one).compact() }, is: .unmerged(path: path))
    expect(
      failure {
        try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
      }, is: .unmerged(path: path))
    try pair.keychain(pair.one).merge(copyAt: path)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
    try pair.keychain(pair.one).compact()
    expect(unmerged(pair.one).isEmpty)
  }

  @Test("keeps the vault's key and the states where nobody noted it, and an older state came into its place")
  func unnoted() throws {
    let pair = try Pair()
    try pair.set("a.example", "again", at: pair.one)
    let (older, memory) = (try contents(of: pair.one.vault), try seen(pair.one))
    try pair.set("c.example", "c", at: pair.one)
    try put(memory.contents, into: memory.path)
    try put(older, into: pair.one.vault)
    expect(failure { try rotate(pair) }, is: .unmerged(path: pair.one.newestWrite))
    expect(failure { try pair.keychain(pair.one).compact() }, is: .unmerged(path: pair.one.newestWrite))
    try pair.keychain(pair.one).merge(copyAt: pair.one.newestWrite)
    try rotate(pair)
    try pair.keychain(pair.one).compact()
    try pair.has(["a", "b", "c"], at: pair.one)
  }

  @Test("is kept for a month from then on, however old it is, and until it is taken in")
  func old() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    for number in 0..<40 { try pair.set("d.example", "\(number)", at: pair.two) }
    let longAgo = timespec(tv_sec: time(nil) - 31 * 86_400, tv_nsec: 0)
    utimensat(AT_FDCWD, pair.one.vault, [longAgo, longAgo], 0)
    try pair.bring(pair.two, to: pair.one)
    for number in 0..<3 { try pair.set("e.example", "\(number)", at: pair.one) }
    let path = try #require(unmerged(pair.one).first)
    try pair.keychain(pair.one).merge(copyAt: pair.one.location.vaultFolder + "/generations/" + path)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
    expect(unmerged(pair.one).isEmpty)
    try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
  }

  @Test("is an error, and not less than was stored, where it can't be merged")
  func notMergeable() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    let folder = try Folder(creating: pair.one.location.vaultFolder)
    let held = try FileLock("lock", in: folder, patience: 0) {}
    guard
      case .busy = failure({ try pair.one.keychain(patience: 1, clock: pair.clock.read).servers() })
    else {
      Issue.record("answered from the other machine's file alone")
      return
    }
    withExtendedLifetime(held) {}
  }

  @Test("is put back also where others could read it")
  func readableByOthers() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    unlink(pair.one.vault)
    chmod(pair.one.newestWrite, 0o644)
    _ = try pair.keychain(pair.one).salvage { _ in true }
    try pair.has(["a", "b", "c"], at: pair.one)
  }

  @Test("has a name of its own on machines whose homes and numbers are alike")
  func machines() throws {
    let pair = try Pair()
    for place in [pair.one, pair.two] { try pair.set("c.example", "c", at: place) }
    let two = VaultLocation(
      vaultFolder: pair.one.location.vaultFolder, stateFolder: pair.two.location.stateFolder)
    expect(pair.one.newestWriteName != two.newestWriteName)
  }

  @Test("is merged at once where what came into its place is accepted")
  func mergedWhenAccepted() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    try pair.keychain(pair.one).acceptRollback()
    try pair.has(["a", "b", "c", "d"], at: pair.one)
  }

  @Test("is merged also where others could read it", arguments: [false, true])
  func openToOthers(hasOtherName: Bool) throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    for server in ["d.example", "e.example"] { try pair.set(server, "two", at: pair.two) }
    try pair.bring(pair.two, to: pair.one)
    let path = hasOtherName ? renamed(pair) : pair.one.newestWrite
    chmod(path, 0o644)
    try rotate(pair)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
  }

  @Test("is kept and told where another key opens it, under whatever name", arguments: [false, true])
  func otherKey(hasOtherName: Bool) throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    let formerKey = try contents(of: pair.one.identityFile)
    let path = hasOtherName ? renamed(pair) : pair.one.newestWrite
    let write = try contents(of: path)
    try pair.keychain(pair.two).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    try pair.bring(pair.two, to: pair.one)
    try put(try contents(of: pair.two.identityFile), into: pair.one.identityFile)
    try pair.keychain(pair.one).acceptRollback()
    try pair.set("d.example", "d", at: pair.one)
    let kept = try setAside(pair)
    try expect(contents(of: kept), is: write)
    try put(try contents(of: pair.one.identityFile) + formerKey, into: pair.one.identityFile)
    try pair.keychain(pair.one).merge(copyAt: kept)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
  }

  @Test("that is damaged is no earlier state like those that were taken in")
  func damaged() throws {
    let pair = try Pair()
    for number in 0..<20 {
      try pair.set("s\(number).example", String(repeating: "\(number % 10)", count: 30_000), at: pair.one)
    }
    try pair.bring(pair.one, to: pair.two)
    _ = try pair.keychain(pair.two).servers()
    try pair.set("c.example", "c", at: pair.one)
    for number in 0..<2 { try pair.set("d.example", "\(number)", at: pair.two) }
    try pair.bring(pair.two, to: pair.one)
    var bytes = try contents(of: pair.one.newestWrite)
    bytes[300_000] ^= 1
    try pair.replace(pair.one.newestWrite, with: bytes)
    for number in 0..<7 { try pair.set("e.example", "\(number)", at: pair.one) }
    let name = try #require(unmerged(pair.one).first)
    try expect(contents(of: pair.one.location.vaultFolder + "/generations/" + name), is: bytes)
    expect(unmerged(pair.one).count, is: 1)
  }

  @Test("is merged by whoever comes next, where accepting what came into its place has failed")
  func failedAccepting() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    for number in 0..<2 { try pair.set("d.example", "\(number)", at: pair.two) }
    try pair.bring(pair.two, to: pair.one)
    // No generation can be kept if their folder is a file.
    let generations = pair.one.location.vaultFolder + "/generations"
    removeAll(generations)
    try put([], into: generations)
    expect(failure { try pair.keychain(pair.one).acceptRollback() } != nil)
    unlink(generations)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
  }

  @Test("is put back first where the vault is gone, under whatever name, and kept where an earlier state is")
  func putBackUnderOtherName() throws {
    for restores in [false, true] {
      let pair = try Pair()
      for server in ["c.example", "d.example"] { try pair.set(server, "one", at: pair.one) }
      let write = try contents(of: renamed(pair))
      unlink(pair.one.vault)
      if restores {
        let earlier = try #require(try pair.keychain(pair.one).generations().first)
        _ = try pair.keychain(pair.one).restore(earlier) { _ in true }
        try pair.has(["a", "b", "c"], at: pair.one)
        try pair.set("e.example", "e", at: pair.one)
        let kept = try pair.keychain(pair.one).generations().filter { try contents(of: $0.path) == write }
        expect(kept.count, is: 1)
      } else {
        _ = try pair.keychain(pair.one).salvage { _ in true }
        try pair.has(["a", "b", "c", "d"], at: pair.one)
      }
    }
  }

  @Test("of this machine under a former name goes once the vault comes from it")
  func formerName() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    let path = renamed(pair)
    for number in 0..<40 { try pair.set("d.example", "\(number)", at: pair.one) }
    expect(access(path, F_OK) != 0)
    try pair.keychain(pair.one).compact()
  }

  @Test("is kept and told where so much came into its place that it can't be told what that comes from")
  func muchElsewhere() throws {
    let pair = try Pair()
    for number in 0..<40 { try pair.set("d.example", "\(number)", at: pair.two) }
    try pair.set("c.example", "c", at: pair.one)
    try pair.bring(pair.two, to: pair.one)
    try pair.has(["a", "b", "d"], at: pair.one)
    expect(pair.notices.all.last, is: .undecided(path: pair.one.newestWrite))
    try pair.set("e.example", "e", at: pair.one)
    let path = try setAside(pair)
    for number in 0..<8 { try pair.set("e.example", "\(number)", at: pair.one) }
    try pair.keychain(pair.one).merge(copyAt: path)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
  }

  /// Gives the first machine's last write the name it would have if the folder had moved, or the machine's name were
  /// lost.
  private func renamed(_ pair: Pair) -> String {
    let other = pair.one.location.vaultFolder + "/.vault.age.newest-0123456789abcdef"
    expect(Glibc.rename(pair.one.newestWrite, other), is: 0)
    return other
  }

  private func rotate(_ pair: Pair) throws {
    try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
  }

  @Test("is merged also where it has another name than this machine would give it now")
  func otherName() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    let other = renamed(pair)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    expect(pair.notices.all.last, is: .merged(copies: 1))
    try rotate(pair)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    expect(access(other, F_OK) != 0)
  }

  @Test("several are merged at once, each once, also where one comes from another")
  func severalNames() throws {
    let pair = try Pair()
    var digits = 0
    for server in ["c", "d", "e"] {
      try pair.set(server + ".example", server, at: pair.one)
      let write = try contents(of: pair.one.newestWrite)
      try pair.replace(
        pair.one.location.vaultFolder + "/.vault.age.newest-000000000000000\(digits)", with: write)
      digits += 1
    }
    try pair.set("f.example", "f", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    try pair.has(["a", "b", "c", "d", "e", "f"], at: pair.one)
    let before = try pair.one.everything()
    try pair.has(["a", "b", "c", "d", "e", "f"], at: pair.one)
    try expect(pair.one.everything(), is: before)
    try pair.set("c.example", "c again", at: pair.one)
    expect(pair.notices.all.count, is: 2)
    try rotate(pair)
    expect(
      names(in: pair.one.location.vaultFolder).filter { $0.hasPrefix(".vault") },
      is: [pair.one.newestWriteName]
    )
  }

  @Test(
    "keeps the vault's key from being changed, where it can't be told whether it was taken in, until it is",
    arguments: [false, true])
  func undecided(hasOtherName: Bool) throws {
    let pair = try Pair()
    for number in 0..<40 { try pair.set("d.example", "\(number)", at: pair.two) }
    try pair.set("c.example", "c", at: pair.one)
    try pair.bring(pair.two, to: pair.one)
    let path = hasOtherName ? renamed(pair) : pair.one.newestWrite
    expect(failure { try rotate(pair) }, is: .unmerged(path: path))
    expect(failure { try pair.keychain(pair.one).compact() }, is: .unmerged(path: path))
    try pair.keychain(pair.one).merge(copyAt: path)
    try rotate(pair)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
  }

  @Test("a copy that can't be merged keeps the vault's key from being changed")
  func unmergedCopy() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.two)
    let copy = pair.one.location.vaultFolder + "/vault.sync-conflict-20261121-123456-ABCDEFG.age"
    let elsewhere = pair.one.path + "/copy.age"
    try put(try contents(of: pair.two.vault), into: elsewhere)
    symlink(elsewhere, copy)
    expect(
      failure {
        try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
      }, is: .unmerged(path: copy))
    unlink(copy)
    rename(elsewhere, copy)
    try pair.has(["a", "b", "c"], at: pair.one)
  }

  @Test("what comes from it is taken as it is, whatever it has forgotten")
  func descendant() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("c.example", "newer", at: pair.one)
    try pair.bring(pair.one, to: pair.two)
    try pair.set("c.example", "newest", at: pair.two)
    try pair.delete("b.example", at: pair.two)
    try pair.keychain(pair.two).compact()
    try pair.bring(pair.two, to: pair.one)
    let vault = try contents(of: pair.one.vault)
    try pair.has(["a", "c"], at: pair.one)
    try expect(contents(of: pair.one.vault), is: vault)
    try pair.set("e.example", "e", at: pair.one)
    try pair.has(["a", "c", "e"], at: pair.one)
    try expect(pair.keychain(pair.one).retiredItems(matching: query("c.example")).isEmpty)
    expect(pair.notices.all.count, is: 1)
  }

  @Test("an earlier state that a person has put back and accepted stays")
  func accepted() throws {
    let pair = try Pair()
    let earlier = try contents(of: pair.one.vault)
    try pair.set("c.example", "c", at: pair.one)
    try pair.delete("a.example", at: pair.one)
    try pair.replace(pair.one.vault, with: earlier)
    expect(
      failure { try pair.keychain(pair.one).servers() },
      is: .rolledBack(path: pair.one.vault, generation: 1, seen: 3))
    try pair.keychain(pair.one).acceptRollback()
    try pair.set("d.example", "d", at: pair.one)
    try pair.has(["a", "b", "d"], at: pair.one)
  }

  @Test("that may not be in what came is named until it is merged")
  func named() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    for number in 0..<45 { try pair.set("d.example", "\(number)", at: pair.two) }
    try pair.bring(pair.two, to: pair.one)
    try pair.has(["a", "b", "d"], at: pair.one)
    let write = UnmergedFile(kind: .lastWrite, path: pair.one.newestWrite, problem: nil)
    for _ in 0..<2 { try expect(pair.keychain(pair.one).unmergedFiles(), is: [write]) }
    try pair.set("e.example", "e", at: pair.one)
    let folder = pair.one.location.vaultFolder + "/generations/"
    let kept = folder + (try #require(names(in: folder).first { $0.hasPrefix("unmerged-") }))
    try expect(
      pair.keychain(pair.one).unmergedFiles(), is: [UnmergedFile(kind: .lastWrite, path: kept, problem: nil)])
    try pair.keychain(pair.one).merge(copyAt: kept)
    try expect(pair.keychain(pair.one).unmergedFiles(), is: [])
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
  }

  @Test("a restored state stays, where it was put into the place of a damaged vault, on either machine")
  func restored() throws {
    let pair = try Pair()
    try pair.bring(pair.one, to: pair.two)
    try pair.set("c.example", "c", at: pair.two)
    try pair.bring(pair.two, to: pair.one)
    try pair.set("d.example", "d", at: pair.one)
    try pair.replace(pair.one.vault, with: [1])
    let keychain = pair.keychain(pair.one)
    let first = try #require(try keychain.generations().last)
    expect(first.number, is: 2)
    _ = try keychain.restore(first)
    try pair.set("e.example", "e", at: pair.one)
    try pair.has(["a", "b", "c", "e"], at: pair.one)
    try pair.bring(pair.one, to: pair.two)
    try pair.set("f.example", "f", at: pair.two)
    try pair.has(["a", "b", "c", "e", "f"], at: pair.two)
  }

  @Test("of one that was replaced by what is no vault, salvaging makes use; and restoring keeps it")
  func salvaged() throws {
    for isGone in [false, true] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      if isGone { unlink(pair.one.vault) } else { try pair.replace(pair.one.vault, with: [1]) }
      let keychain = pair.keychain(pair.one)
      if isGone {
        _ = try keychain.restore(try #require(try keychain.generations().first))
        try pair.has(["a", "b"], at: pair.one)
        try expect(keychain.generations().map(\.number), is: [2, 1])
        _ = try keychain.restore(try #require(try keychain.generations().first))
      } else {
        _ = try keychain.salvage()
      }
      try pair.has(["a", "b", "c"], at: pair.one)
    }
  }
}

@Suite("A writer that was killed while it exchanged files")
struct KilledExchangeTests {
  private func files(_ place: Place) -> [String] {
    [place.newestWriteName, "generations", "lock", "vault.age"]
  }

  private func exchanged(_ place: Place) -> String {
    place.location.vaultFolder + "/.vault.age.0123456789abcdef.out.tmp"
  }

  private func setAge(_ path: String, seconds: Int) {
    let moment = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
    utimensat(AT_FDCWD, path, [moment, moment], 0)
  }

  @Test("what a sync program had put there is merged by the next change, however old it is")
  func theirs() throws {
    let pair = try Pair()
    try pair.set("c.example", "c", at: pair.one)
    try pair.set("d.example", "d", at: pair.two)
    let file = exchanged(pair.one)
    try put(try contents(of: pair.two.vault), into: file)
    chmod(file, 0o644)
    setAge(file, seconds: 7200)
    try pair.set("e.example", "e", at: pair.one)
    try pair.has(["a", "b", "c", "d", "e"], at: pair.one)
    expect(names(in: pair.one.location.vaultFolder), is: files(pair.one))
    try expect(pair.keychain(pair.one).generations().count, is: 3)
  }

  @Test("the file that it began with goes, and its own that never came into place is kept aside")
  func own() throws {
    for isDone in [true, false] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      let before = try contents(of: pair.one.vault)
      let seen = try seen(pair.one)
      try pair.set("d.example", "d", at: pair.one)
      let after = try contents(of: pair.one.vault)
      try put(isDone ? before : after, into: exchanged(pair.one))
      if !isDone {
        try pair.replace(pair.one.vault, with: before)
        try put(seen.contents, into: seen.path)
      }
      try pair.set("e.example", "e", at: pair.one)
      try pair.has(isDone ? ["a", "b", "c", "d", "e"] : ["a", "b", "c", "e"], at: pair.one)
      expect(names(in: pair.one.location.vaultFolder), is: files(pair.one))
      let kept = pair.notices.all.compactMap { notice in
        if case .unfinished(let path) = notice { path } else { nil }
      }
      expect(kept.count, is: isDone ? 0 : 1)
      for path in kept { try expect(contents(of: path), is: after) }
      expect(pair.notices.all.count, is: 1 + kept.count)
    }
  }

  @Test(
    "of a change of what opens the vault that was broken off, only items are merged",
    arguments: [true, false])
  func slots(isRemoval: Bool) throws {
    let pair = try Pair()
    let keychain = pair.keychain(pair.one)
    let id = try keychain.addRecoveryCode { _ in }
    let before = try contents(of: pair.one.vault)
    let seen = try seen(pair.one)
    if isRemoval { try keychain.removeSlot(id) } else { _ = try keychain.addRecoveryCode { _ in } }
    let copy = pair.one.location.vaultFolder + "/" + pair.one.newestWriteName
    try expect(contents(of: copy), is: contents(of: pair.one.vault))
    try pair.replace(pair.one.vault, with: before)
    try put(seen.contents, into: seen.path)
    try pair.set("c.example", "c", at: pair.one)
    let unmerged = try pair.keychain(pair.one).unmergedFiles()
    let path = try #require(unmerged.first).path
    expect(unmerged, is: [UnmergedFile(kind: .unfinishedWrite, path: path, problem: nil)])
    expect(pair.notices.all.last, is: .unfinished(path: path))
    try pair.keychain(pair.one).merge(copyAt: path)
    expect(pair.notices.all.last, is: .slotsLeft(path: path))
    let slots = try #require(try pair.keychain(pair.one).slots()).map(\.id)
    expect(slots.filter { $0 != SlotSummary.identityFileID }, is: [id])
    try expect(pair.keychain(pair.one).unmergedFiles(), is: [])
    try pair.has(["a", "b", "c"], at: pair.one)
  }

  @Test("of a removal of earlier states that was broken off does not prevent the next one, only a new key")
  func brokenOffCompaction() throws {
    let pair = try Pair()
    try pair.set("a.example", "again", at: pair.one)
    let (before, seen) = (try contents(of: pair.one.vault), try seen(pair.one))
    try pair.keychain(pair.one).compact()
    try pair.replace(pair.one.vault, with: before)
    try put(seen.contents, into: seen.path)
    expect(
      failure {
        try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
      }, is: .unmerged(path: pair.one.newestWrite))
    let notices = pair.notices.all
    try pair.keychain(pair.one).compact()
    expect(pair.notices.all, is: notices)
    expect(names(in: pair.one.location.vaultFolder + "/generations"), is: [])
    try expect(pair.keychain(pair.one).unmergedFiles(), is: [])
    try pair.has(["a", "b"], at: pair.one)
    try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
  }

  @Test("of a change that was broken off prevents the removal of earlier states")
  func brokenOffChange() throws {
    for isDeletion in [true, false] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      let (before, seen) = (try contents(of: pair.one.vault), try seen(pair.one))
      if isDeletion {
        let keychain = pair.keychain(pair.one)
        try keychain.delete(try keychain.items(matching: .all).filter { $0.key.name.contains("c.example") })
      } else {
        try pair.set("c.example", "changed", at: pair.one)
      }
      try pair.replace(pair.one.vault, with: before)
      try put(seen.contents, into: seen.path)
      expect(failure { try pair.keychain(pair.one).compact() }, is: .unmerged(path: pair.one.newestWrite))
    }
  }

  /// What is out of use there may be nowhere else.
  @Test("of a merge that was broken off prevents the removal of earlier states, also with the same items")
  func brokenOffMerge() throws {
    let pair = try Pair()
    try pair.set("a.example", "two", at: pair.two)
    try pair.set("a.example", "one", at: pair.one)
    let (before, seen) = (try contents(of: pair.one.vault), try seen(pair.one))
    try pair.bring(pair.two, to: pair.one)
    try pair.keychain(pair.one).exclusively { () throws(KeychainError) in }
    try expect(contents(of: pair.one.newestWrite), is: contents(of: pair.one.vault))
    try pair.replace(pair.one.vault, with: before)
    try put(seen.contents, into: seen.path)
    expect(failure { try pair.keychain(pair.one).compact() }, is: .unmerged(path: pair.one.newestWrite))
  }

  @Test("so it is where another machine's file has come meanwhile, and where the copy itself is merged")
  func slotsOfOvertaken() throws {
    for isOvertaken in [true, false] {
      let pair = try Pair()
      let keychain = pair.keychain(pair.one)
      let id = try keychain.addRecoveryCode { _ in }
      let before = try contents(of: pair.one.vault)
      try pair.bring(pair.one, to: pair.two)
      let seen = try seen(pair.one)
      try keychain.removeSlot(id)
      try put(seen.contents, into: seen.path)
      let copy = pair.one.location.vaultFolder + "/" + pair.one.newestWriteName
      if isOvertaken {
        try pair.set("d.example", "d", at: pair.two)
        try pair.bring(pair.two, to: pair.one)
        try pair.has(["a", "b", "d"], at: pair.one)
      } else {
        try pair.replace(pair.one.vault, with: before)
        try pair.keychain(pair.one).merge(copyAt: copy)
      }
      expect(pair.notices.all.contains(.slotsLeft(path: copy)))
      let slots = try #require(try pair.keychain(pair.one).slots()).map(\.id)
      expect(slots.filter { $0 != SlotSummary.identityFileID }, is: [id])
    }
  }

  @Test("what merging has changed in what opens the vault is told, by whichever way it came")
  func slotsAreTold() throws {
    for isCopy in [true, false] {
      let pair = try Pair()
      let id = try pair.keychain(pair.two).addRecoveryCode { _ in }
      let copy = pair.one.location.vaultFolder + "/vault.sync-conflict-20261121-083000-ABCDEFG.age"
      try put(try contents(of: pair.two.vault), into: isCopy ? copy : pair.one.path + "/other.age")
      if isCopy {
        try pair.has(["a", "b"], at: pair.one)
      } else {
        try pair.keychain(pair.one).merge(copyAt: pair.one.path + "/other.age")
      }
      let added = SlotChanges(added: [.recovery])
      expect(pair.notices.all.contains(.slotsMerged(added)))
      try pair.keychain(pair.two).removeSlot(id)
      try put(try contents(of: pair.two.vault), into: isCopy ? copy : pair.one.path + "/other.age")
      if isCopy {
        try pair.has(["a", "b"], at: pair.one)
      } else {
        try pair.keychain(pair.one).merge(copyAt: pair.one.path + "/other.age")
      }
      expect(pair.notices.all.contains(.slotsMerged(SlotChanges(removed: [.recovery]))))
      // Nothing is told twice.
      let count = pair.notices.all.count
      try pair.keychain(pair.one).merge(copyAt: pair.two.vault)
      expect(pair.notices.all.count, is: count)
    }
  }

  @Test("what another key opens stays as a conflict copy, and is told")
  func otherKey() throws {
    let pair = try Pair()
    try pair.set("d.example", "d", at: pair.two)
    try pair.keychain(pair.two).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    let theirs = try contents(of: pair.two.vault)
    try put(theirs, into: exchanged(pair.one))
    try pair.set("c.example", "c", at: pair.one)
    try pair.has(["a", "b", "c"], at: pair.one)
    let left = names(in: pair.one.location.vaultFolder).filter { $0.hasPrefix("vault.conflict-") }
    expect(left.count == 1 && !exists(exchanged(pair.one)))
    let path = pair.one.location.vaultFolder + "/" + (left.first ?? "")
    try expect(contents(of: path), is: theirs)
    expect(pair.notices.all.contains(.unmerged(path: path, .otherKey(path: path))))
    // Merged by hand with their key, it is an earlier state and no copy any more.
    let keys = try contents(of: pair.one.identityFile) + contents(of: pair.two.identityFile)
    try put(keys, into: pair.one.identityFile)
    try pair.keychain(pair.one).merge(copyAt: path)
    try pair.has(["a", "b", "c", "d"], at: pair.one)
    expect(!exists(path))
    try pair.keychain(pair.one).compact()
  }

  @Test(
    "a change of the key that was killed leaves nothing that the former key opens, and no copy of its own")
  func rotation() throws {
    for isDone in [true, false] {
      let pair = try Pair()
      try pair.set("c.example", "c", at: pair.one)
      let before = try contents(of: pair.one.vault)
      let copy = pair.one.location.vaultFolder + "/" + pair.one.newestWriteName
      let copied = try contents(of: copy)
      let (seen, identity) = (try seen(pair.one), try contents(of: pair.one.identityFile))
      try pair.keychain(pair.one).rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
      try put(isDone ? before : try contents(of: pair.one.vault), into: exchanged(pair.one))
      if !isDone {
        try pair.replace(pair.one.vault, with: before)
        // It is copied once it is in place.
        try put(copied, into: copy)
        // Both are recorded while the key is being changed.
        let line = try #require(seen.contents.firstIndex(of: 0x0a))
        try put(seen.contents[...line] + (try contents(of: seen.path)), into: seen.path)
        rename(pair.one.identityFile, pair.one.newIdentityFile)
        try put(identity, into: pair.one.identityFile)
      }
      try pair.set("e.example", "e", at: pair.one)
      try pair.has(["a", "b", "c", "e"], at: pair.one)
      expect(names(in: pair.one.location.vaultFolder), is: files(pair.one))
      expect(pair.notices.all.count, is: 1)
    }
  }
}

/// The note of what was seen last on a machine.
private func seen(_ place: Place) throws -> (path: String, contents: [UInt8]) {
  let name = try #require(names(in: place.location.stateFolder).first { $0.hasSuffix(".seen") })
  let path = place.location.stateFolder + "/" + name
  return (path, try contents(of: path))
}
