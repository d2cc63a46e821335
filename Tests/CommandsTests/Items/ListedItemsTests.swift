import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("what a list shows for a text") struct ListedItemsTests {
  private static let named: [(service: ByteString, label: ByteString?)] = [
    ("npm", nil), ("registry", "the npm one"), ("other", nil),
  ]

  private static let items = named.map { service, label -> Item in
    var item = Item(.genericPassword(GenericPassword(service: service, account: nil)))
    item.label = label
    return item
  }

  /// The services of the items that are listed at once, and those that are listed in the end.
  private func listed(
    _ text: String, includingParts: Bool = true, among items: [Item] = Self.items
  ) throws -> (atOnce: [String], rest: [String]) {
    var listed = ListedItems(try PlaceFilter(text).meanings(includingParts: includingParts))
    let atOnce = items.filter { listed.takes($0) }
    return (atOnce.map(\.key.place), listed.rest.map(\.key.place))
  }

  @Test("a name comes before a part of one, although each item is seen once")
  func names() throws {
    expect(try listed("npm").atOnce, is: ["npm"])
    expect(try listed("npm").rest, is: [])
    expect(try listed("pm").rest, is: ["npm", "registry"])
    expect(try listed("pm", includingParts: false).rest, is: [])
    expect(try listed("nothing").rest, is: [])
  }

  @Test("a part of an account or of a remark counts where none has it in its name")
  func remarks() throws {
    var login = Item(InternetPassword(protocol: "https", server: "a.example", account: "Alice"))
    var noted = Self.items[2]
    noted.comment = "for the shop"
    let items = Self.items + [login, noted]
    expect(try listed("lic", among: items).rest, is: ["https://a.example"])
    expect(try listed("SHOP", among: items).rest, is: ["other"])
    expect(try listed("shop", includingParts: false, among: items).rest, is: [])
    login.label = "the shop"
    expect(try listed("shop", among: [login, noted]).rest, is: ["https://a.example"])
  }

  @Test("what a place has is listed as it is read, and nothing else is")
  func places() throws {
    let login = Item(InternetPassword(protocol: "https", server: "registry.example"))
    var called = Item(.genericPassword(GenericPassword(service: "registry.example", account: nil)))
    called.label = "registry.example"
    for items in [[login, called] + Self.items, Self.items + [called, login]] {
      let found = try listed("registry.example", among: items)
      expect(found.atOnce, is: ["https://registry.example"])
      expect(found.rest, is: [])
    }
  }

  @Test("a name without a dot is that of a place and of a service alike")
  func bareNames() throws {
    let login = Item(InternetPassword(protocol: "https", server: "npm"))
    let found = try listed("npm", among: Self.items + [login])
    expect(found.atOnce, is: ["npm", "https://npm"])
    expect(found.rest, is: [])
    expect(try listed("https://npm", among: Self.items + [login]).atOnce, is: ["https://npm"])
  }

  @Test("without a text, all are listed")
  func all() {
    var listed = ListedItems([])
    expect(Self.items.filter { listed.takes($0) }.count, is: 3)
    expect(listed.rest.isEmpty)
  }
}
