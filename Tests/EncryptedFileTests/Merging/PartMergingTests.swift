import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Two machines with one vault, and a copy of the state that both descend from.
private final class Fork {
  let (one, two) = (Place(), Place())
  let clock = SettableClock()
  let base: String

  init(_ server: String = "a.example", dated date: Timestamp? = nil) throws {
    base = one.path + "/base.age"
    var item = EncryptedFileTests.item(server)
    (item.creationDate, item.modificationDate) = (date, date)
    try one.keychain(clock: clock.read).add(keepingDatesOf: item, Credential(password: "first"))
    two.makeFolders()
    try put(try contents(of: one.identityFile), into: two.identityFile)
    try put(try contents(of: one.vault), into: two.vault)
    try put(try contents(of: one.vault), into: base)
    clock.advance(seconds: 10)
  }

  func keychain(_ place: Place) -> EncryptedFileKeychain { place.keychain(clock: clock.read) }

  /// Changes the only item.
  func change(at place: Place, _ password: String? = nil, _ edit: (inout Item) -> Void = { _ in }) throws {
    clock.advance(seconds: 1)
    let keychain = keychain(place)
    var item = try #require(try keychain.items(matching: .all).first)
    edit(&item)
    if let password {
      try keychain.update(item, Credential(password: password))
    } else {
      try keychain.update(item)
    }
  }

  /// Changes what the only item's one-time codes are made of.
  func changeCode(at place: Place, to url: String) throws {
    clock.advance(seconds: 1)
    let keychain = keychain(place)
    let item = try #require(try keychain.items(matching: .all).first)
    var credential = try keychain.credential(of: item)
    credential.further.oneTimeCode = Secret(url)
    try keychain.update(item, credential)
  }

  /// What the only item's one-time codes are made of.
  func code(at place: Place) throws -> String? {
    let item = try #require(try keychain(place).items(matching: .all).first)
    switch try keychain(place).credential(of: item).further.oneTimeCode {
    case .none: return nil
    case .some(let url): return url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Advances the clock, or sets it back.
  func setClock(days: Int64) { clock.advance(seconds: days * 86_400) }

  /// Merges in both places, and returns the result.
  func merged(base: String? = nil) throws -> (Item, password: String) {
    let copies = (try contents(of: one.vault), try contents(of: two.vault))
    var results: [(Item, String)] = []
    for (place, other) in [(one, copies.1), (two, copies.0)] {
      let copy = place.path + "/copy.age"
      try put(other, into: copy)
      try keychain(place).merge(copyAt: copy, base: base)
      let item = try #require(try keychain(place).items(matching: .all).first)
      try expect(keychain(place).items(matching: .all).count, is: 1)
      results.append((item, try keychain(place).secret(of: item)))
    }
    expect(results[0].0 == results[1].0 && results[0].1 == results[1].1, "both places come to the same")
    return results[0]
  }
}

@Suite("The parts of an item in two copies")
struct PartMergingTests {
  @Test("a comment that was changed later does not put the old secret back", arguments: [false, true])
  func commentAfterSecret(withBase: Bool) throws {
    let fork = try Fork()
    try fork.change(at: fork.two, "second")
    try fork.change(at: fork.one) { $0.comment = "a remark" }
    let (item, password) = try fork.merged(base: withBase ? fork.base : nil)
    expect(password == "second" && item.comment == "a remark")
  }

  @Test("a one-time code stays, though the secret was changed later elsewhere", arguments: [false, true])
  func secretAfterCode(withBase: Bool) throws {
    let fork = try Fork()
    try fork.changeCode(at: fork.one, to: "otpauth://totp/?secret=GEZDGNBV")
    try fork.change(at: fork.two, "second")
    let (_, password) = try fork.merged(base: withBase ? fork.base : nil)
    expect(password, is: "second")
    try expect(fork.code(at: fork.one), is: "otpauth://totp/?secret=GEZDGNBV")
    try expect(fork.code(at: fork.two), is: fork.code(at: fork.one))
  }

  @Test("a one-time code that was removed later stays removed", arguments: [false, true])
  func removedCode(withBase: Bool) throws {
    let fork = try Fork()
    try fork.change(at: fork.one, "second")
    try fork.changeCode(at: fork.two, to: "otpauth://totp/?secret=GEZDGNBV")
    try fork.changeCode(at: fork.two, to: "")
    let (_, password) = try fork.merged(base: withBase ? fork.base : nil)
    expect(password, is: "second")
    try expect(fork.code(at: fork.one) == nil && fork.code(at: fork.two) == nil)
  }

  @Test("a new name stays, though the secret was changed later elsewhere", arguments: [false, true])
  func secretAfterRename(withBase: Bool) throws {
    let fork = try Fork()
    try fork.change(at: fork.one) { $0.key = EncryptedFileTests.item("b.example").key }
    try fork.change(at: fork.two, "second")
    let (item, password) = try fork.merged(base: withBase ? fork.base : nil)
    expect(item.key == EncryptedFileTests.item("b.example").key && password == "second")
  }

  @Test("with the base known, a clock that is behind loses nothing")
  func slowClock() throws {
    let fork = try Fork()
    try fork.change(at: fork.one) { $0.comment = "a remark" }
    fork.setClock(days: -3)
    try fork.change(at: fork.two, "second")
    let (item, password) = try fork.merged(base: fork.base)
    expect(item.comment == "a remark" && password == "second")
    // Nor later, when the copy arrives without the base.
    let (_, again) = try fork.merged()
    expect(again, is: "second")
  }

  @Test("where both have another secret, the later one is in use, the other can be had back, and it is said")
  func undecided() throws {
    let fork = try Fork()
    try fork.change(at: fork.two, "theirs")
    try fork.change(at: fork.one, "ours")
    let outcome = try fork.keychain(fork.one).merge(copyAt: fork.two.vault, base: fork.base)
    expect(outcome.undecided, is: 1)
    let keychain = fork.keychain(fork.one)
    try expect(keychain.secret(of: keychain.items(matching: .all)[0]), is: "ours")
    let lost = try #require(try keychain.retiredItems(matching: .all).first { $0.reason == .merged })
    try keychain.undelete(lost, replacing: true)
    try expect(keychain.secret(of: keychain.items(matching: .all)[0]), is: "theirs")
  }

  @Test("what one has deleted and the other left alone is deleted, whatever the dates")
  func deletionWithBase() throws {
    let fork = try Fork()
    fork.setClock(days: -30)
    let keychain = fork.keychain(fork.two)
    try keychain.delete(try keychain.items(matching: .all))
    try fork.keychain(fork.one).merge(copyAt: fork.two.vault, base: fork.base)
    try expect(fork.keychain(fork.one).items(matching: .all).isEmpty)
  }

  @Test("a base that is none, as git's empty file, counts as not known")
  func noBase() throws {
    let fork = try Fork()
    try put([], into: fork.base)
    try fork.change(at: fork.two, "second")
    let (_, password) = try fork.merged(base: fork.base)
    expect(password, is: "second")
  }

  @Test("git's merge of three files uses the base")
  func threeFiles() throws {
    let fork = try Fork()
    try fork.change(at: fork.one) { $0.comment = "a remark" }
    fork.setClock(days: -3)
    try fork.change(at: fork.two, "second")
    let ours = fork.one.path + "/ours.age"
    try put(try contents(of: fork.one.vault), into: ours)
    try fork.keychain(fork.one).mergeFiles(base: fork.base, ours: ours, theirs: fork.two.vault)
    try put(try contents(of: ours), into: fork.one.vault)
    let item = try #require(try fork.keychain(fork.one).items(matching: .all).first)
    try expect(fork.keychain(fork.one).secret(of: item) == "second" && item.comment == "a remark")
  }

  @Test("states that differ in their secret alone come back each with its own")
  func twinStates() throws {
    let fork = try Fork()
    for secrets in [["one's", "two's"], ["both's", "both's"]] {
      fork.clock.advance(seconds: 1)
      for (place, secret) in zip([fork.one, fork.two], secrets) {
        let keychain = fork.keychain(place)
        let item = try #require(try keychain.items(matching: .all).first)
        try keychain.update(item, Credential(password: secret))
      }
    }
    _ = try fork.merged()
    let keychain = fork.keychain(fork.one)
    let all = try keychain.retiredItems(matching: .all)
    let twins = all.filter { state in all.count { $0.item == state.item && $0.retired == state.retired } == 2
    }
    expect(twins.count, is: 2)
    var secrets: Set<String> = []
    for twin in twins {
      // Undone each time, so that the other one can be restored in its place.
      #expect(throws: KeychainError.promptDismissed) {
        try keychain.exclusively { () throws(KeychainError) in
          let credential = try keychain.credential(of: try keychain.undelete(twin, replacing: true))
          secrets.insert(credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
          throw .promptDismissed
        }
      }
    }
    expect(secrets, is: ["one's", "two's"])
  }
}

@Suite("Dates in the future")
struct FutureDateTests {
  @Test("a change is later than the state before it, which a clock that was ahead had dated")
  func change() throws {
    let fork = try Fork(dated: Timestamp(milliseconds: SettableClock.start.milliseconds + 90 * 86_400_000))
    try fork.change(at: fork.two, "second")
    try expect(fork.merged().password, is: "second")
  }

  @Test("so is a deletion")
  func deletion() throws {
    let fork = try Fork(dated: Timestamp(milliseconds: SettableClock.start.milliseconds + 90 * 86_400_000))
    let keychain = fork.keychain(fork.two)
    try keychain.delete(try keychain.items(matching: .all))
    try fork.keychain(fork.one).merge(copyAt: fork.two.vault)
    try expect(fork.keychain(fork.one).items(matching: .all).isEmpty)
  }
}

@Suite("Marks of deletions")
struct DeletionMarkTests {
  @Test("stay when the history is forgotten, so that a copy brings nothing back")
  func compacting() throws {
    let fork = try Fork()
    let keychain = fork.keychain(fork.one)
    try keychain.delete(try keychain.items(matching: .all))
    try expect(keychain.compact().records, is: 1)
    try expect(keychain.retiredItems(matching: .all).isEmpty)
    expect(!(try fork.one.plaintext()).contains(subsequence: Array("first".utf8)))
    try keychain.merge(copyAt: fork.two.vault)
    try expect(fork.keychain(fork.one).items(matching: .all).isEmpty)
    // The copy may have had another secret than the one forgotten here, so it can be restored for a while.
    try expect(fork.keychain(fork.one).retiredItems(matching: .all).count, is: 1)
    try expect(fork.keychain(fork.one).compact().records, is: 1)
    try expect(fork.keychain(fork.one).verify()?.retiredCount, is: 1)
  }

  @Test("a copy that still has the item, merged after a month, leaves one mark and not two of the same")
  func twice() throws {
    let fork = try Fork()
    let keychain = fork.keychain(fork.one)
    try keychain.delete(try keychain.items(matching: .all))
    fork.setClock(days: 31)
    try keychain.add(item("b.example"), Credential(password: "b"))
    try keychain.merge(copyAt: fork.two.vault)
    try expect(fork.keychain(fork.one).servers(), is: ["b.example"])
    try expect(fork.keychain(fork.one).verify()?.retiredCount, is: 1)
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: subsequence) }
  }
}
