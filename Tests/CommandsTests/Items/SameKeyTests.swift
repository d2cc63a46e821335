import Bytes
import Expectations
import Keychain
import TestSupport
import Testing

@testable import Commands

@Suite("items with the same key") struct SameKeyTests {
  private func item(
    _ reference: ByteString, in keychain: String? = nil, label: ByteString? = nil, account: ByteString? = nil
  ) -> Item {
    var item = Item.generic("db", account: account)
    item.reference = ItemReference(reference)
    item.keychain = keychain
    item.label = label
    return item
  }

  @Test("an earlier keychain shadows a later one, and no item its neighbour")
  func shadows() {
    let (one, two) = (item("1", in: "own"), item("2", in: "own"))
    let later = item("3", in: "team")
    let other = item("4", in: "team", account: "ro")
    expect([one, later, two, one, other].withoutShadowed, is: [one, two, other])
    expect([one, two].haveTwins)
    expect(![one, other].haveTwins)
    expect([item("1"), item("2")].withoutShadowed.count, is: 2)
  }

  @Test("a label is shown where nothing else tells items apart")
  func names() {
    let items = [
      item("1", label: "app db"), item("2"), item("3", label: "x", account: "ro"),
      item("4", account: ""),
    ]
    expect(items.namesApart, is: ["app db (db)", "db", "db (ro)", "db (-)"])
  }

  @Test("an empty account also names an item without one")
  func accounts() {
    for (held, asked, isOf) in [
      (nil, nil, true), (nil, "", true), ("", "", true), ("a", "", false), ("a", "a", true),
      (nil, "a", false),
    ] as [(ByteString?, String?, Bool)] {
      expect(item("1", account: held).key.isOf(account: asked), is: isOf)
    }
  }
}
