import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("pending changes") struct PendingChangesTests {
  private static func item(_ server: ByteString, _ reference: ByteString) -> Item {
    var item = Item.internet(server)
    item.reference = ItemReference(reference)
    return item
  }

  private static func change(_ before: Item?, _ after: Item?, _ secret: String? = nil)
    -> PendingChanges.Change
  {
    guard let secret else { return PendingChanges.Change(before: before, after: after, credential: nil) }
    return PendingChanges.Change(before: before, after: after, credential: .text(secret))
  }

  private let one = item("one.example", "1")
  private let two = item("two.example", "2")

  @Test("without changes the items are as they are")
  func none() {
    let pending = PendingChanges()
    expect(pending.applied(to: [one, two], matching: .all), is: [one, two])
    expect(pending[ItemReference("1")] == nil)
  }

  @Test("what is new comes first, the last first; what is changed moves up; what is deleted is gone")
  func order() {
    var pending = PendingChanges()
    let (three, four) = (Self.item("three.example", "3"), Self.item("four.example", "4"))
    pending.set(Self.change(nil, three, "x"), for: ItemReference("3"))
    pending.set(Self.change(nil, four, "x"), for: ItemReference("4"))
    expect(pending.applied(to: [one, two], matching: .all), is: [four, three, one, two])
    pending.set(Self.change(two, two, "y"), for: ItemReference("2"))
    pending.set(Self.change(one, nil), for: ItemReference("1"))
    expect(pending.applied(to: [one, two], matching: .all), is: [two, four, three])
  }

  @Test("only what answers the query is given, as it is after the change")
  func query() throws {
    var pending = PendingChanges()
    var moved = one
    moved.key = Item.internet("moved.example").key
    pending.set(Self.change(one, moved), for: ItemReference("1"))
    try expect(pending.applied(to: [one], matching: .internet("one.example")), is: [])
    try expect(pending.applied(to: [], matching: .internet("moved.example")), is: [moved])
  }

  @Test("what came and went is nothing to tell the service, and what was there before is")
  func comeAndGone() {
    var pending = PendingChanges()
    pending.set(Self.change(nil, one, "x"), for: ItemReference("1"))
    pending.set(Self.change(nil, nil), for: ItemReference("1"))
    expect(pending.changes.isEmpty)
    pending.set(Self.change(two, nil), for: ItemReference("2"))
    expect(pending.changes.count, is: 1)
    expect(pending[ItemReference("2")]?.after, is: nil)
  }

  @Test("a second change of an item takes the place of the first, and is sent last")
  func again() {
    var pending = PendingChanges()
    pending.set(Self.change(one, one, "x"), for: ItemReference("1"))
    pending.set(Self.change(two, two, "x"), for: ItemReference("2"))
    pending.set(Self.change(one, one, "y"), for: ItemReference("1"))
    expect(pending.changes.map(\.reference.bytes), is: ["2", "1"])
    expect(pending[ItemReference("1")]?.copyOfCredential()?.revealed.secret, is: "y")
    expect(pending[ItemReference("1")]?.body(as: .whole)?.revealed, is: Array("y".utf8))
    expect(Self.change(one, one).body(as: .whole)?.revealed, is: nil)
    expect(Self.change(one, one).copyOfCredential()?.revealed, is: nil)
  }
}
