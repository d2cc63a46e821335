import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Members who have the same commit of a shared vault, and nothing to send", .timeLimit(.minutes(60)))
struct ConvergingTests {
  private let clock = SettableClock()
  private let shared = SharedPlace()

  /// Members of a new vault.
  private func members(_ count: Int) throws -> [SharingMember] {
    let members = (0..<count).map { _ in SharingMember(clock.read) }
    try shared.share(with: members)
    return members
  }

  /// Two members add the same login, the second one a second later; that one counts, and the first member doesn't know.
  /// Returns the item that has lost.
  @discardableResult
  private func twice(_ one: SharingMember, _ two: SharingMember) throws -> Item {
    clock.advance(seconds: 1)
    let first = try one.keychain().add(.internet(account: "a"), .text("first"))
    clock.advance(seconds: 1)
    try two.keychain().add(.internet(account: "a"), .text("second"))
    for member in [one, two] { try member.sync(shared) }
    try expect(two.logins(), is: ["a second"])
    clock.advance(seconds: 1)
    return first
  }

  /// All members come to these logins, and so does somebody who is let in then.
  private func expectLogins(_ logins: [String], of members: [SharingMember]) throws {
    for _ in 0..<3 {
      for member in members { try member.sync(shared) }
    }
    let late = SharingMember(clock.read)
    try late.writeIdentity()
    try members[0].keychain().addRecipient(late.recipient, identity: nil)
    try members[0].sync(shared)
    try late.join(shared)
    try late.sync(shared)
    for member in members + [late] { try expect(member.logins(), is: logins) }
    try expect(late.stored(), is: members[0].stored())
  }

  @Test("have the same items, whatever they did before", arguments: 1...(isLongForm ? 24 : 3))
  func model(seed: UInt64) throws {
    let model = try ConvergingModel(seed: seed)
    try model.run(steps: 50)
    try model.check()
  }

  @Test("have one of two items that were the same login, also if it was renamed; the other one can come back")
  func renamed() throws {
    let members = try members(2)
    let first = try twice(members[0], members[1])
    try members[1].rename("a", to: "b")
    try members[1].sync(shared)
    // It is counted as what went and what came.
    try expect(members[0].sync(shared).received, is: 2)
    try expectLogins(["b second"], of: members)
    let keychain = members[0].keychain()
    let former = try #require(try keychain.retiredItems(matching: .all).first { $0.item == first })
    try keychain.undelete(former)
    try expectLogins(["a first", "b second"], of: members)
  }

  @Test("have none of them if it was deleted")
  func deleted() throws {
    let members = try members(2)
    try twice(members[0], members[1])
    try members[1].keychain().delete([try #require(try members[1].item("a"))])
    try members[1].sync(shared)
    try expectLogins([], of: members)
    try expect(members[0].retiredSecrets(), is: ["first", "second"])
  }

  @Test("have both if somebody has changed the other one without knowing that it had lost")
  func changedMeanwhile() throws {
    let members = try members(3)
    clock.advance(seconds: 1)
    try members[0].keychain().add(.internet(account: "a"), .text("first"))
    try members[0].sync(shared)
    try members[2].sync(shared)
    clock.advance(seconds: 1)
    try members[1].keychain().add(.internet(account: "a"), .text("second"))
    try members[1].sync(shared)
    clock.advance(seconds: 1)
    var item = try #require(try members[2].item("a"))
    item.comment = "still used"
    try members[2].keychain().update(item)
    clock.advance(seconds: 1)
    try members[1].rename("a", to: "b")
    try members[1].sync(shared)
    try expectLogins(["a first", "b second"], of: members)
  }

  @Test("have what was brought back, also if a clock that was set back had dated what went out of use")
  func broughtBack() throws {
    let members = try members(2)
    let keychain = members[0].keychain()
    try keychain.delete([try keychain.add(.internet(account: "a"), .text("first"))])
    try members[0].sync(shared)
    try keychain.undelete(try #require(try keychain.retiredItems(matching: .all).first))
    clock.advance(seconds: 1)
    try members[1].keychain().add(.internet(account: "a"), .text("second"))
    clock.advance(seconds: -3600)
    try keychain.add(.internet(account: "c"), .text("x"))
    try members[1].keychain().add(.internet(account: "d"), .text("y"))
    for member in members { try member.sync(shared) }
    try members[1].rename("a", to: "b")
    for member in members.reversed() { try member.sync(shared) }
    let deleted = try #require(
      try members[0].keychain().retiredItems(matching: .all).first { $0.reason == .deleted })
    try members[0].keychain().undelete(deleted)
    try expectLogins(["a first", "b second", "c x", "d y"], of: members)
  }
}
