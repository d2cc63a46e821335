import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Test("where the last change is of the same moment, the later addition goes first")
  func creationDecides() throws {
    var items: [Item] = []
    for (account, created) in [("a", 1), ("b", 3), ("c", 2)] as [(ByteString, Int64)] {
      var item = Item.internet(account: account)
      item.creationDate = Timestamp(seconds: created)
      item.modificationDate = Timestamp(seconds: 9)
      items.append(item)
    }
    try expect(ItemQuery.internet().ranked(items).map(\.key.account), is: ["b", "c", "a"])
  }

  @Test("an item without dates goes last")
  func noDates() throws {
    var dated = Item.internet(account: "a")
    dated.modificationDate = Timestamp(seconds: -5)
    let items = [Item.internet(account: "b"), dated]
    try expect(ItemQuery.internet().ranked(items).map(\.key.account), is: ["a", "b"])
  }

  @Test("ranking drops what does not answer")
  func rankedFilters() throws {
    try expect(ItemQuery.internet().ranked([.internet("other.example")]).isEmpty)
    try expect(ItemQuery.internet().ranked([.internet("other.example"), .internet()]), is: [.internet()])
  }
}
