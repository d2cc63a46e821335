import Expectations
import Keychain
import Testing

@Suite("the table of attributes") struct ItemAttributeTests {
  private static let all = Array(Item.Attribute.all)

  private static let empty: [Item] = [
    Item(InternetPassword(protocol: "", server: nil)), Item(GenericPassword(service: "")),
    Item(.cryptographic(CryptographicItem(.key, [:]))),
    Item(.secretService(SecretServiceItem(.item, name: ""))),
  ]

  private static func value(of attribute: Item.Attribute) -> ByteString {
    switch attribute.form {
    case .text: "a value"
    case .port: "8443"
    case .mark: "1"
    }
  }

  @Test("each item has the attributes of its class, and setting one changes no other", arguments: all)
  func values(attribute: Item.Attribute) {
    for empty in Self.empty {
      var item = empty
      let isOfOthers = attribute == .accessGroup || attribute == .isSynchronizable
      let has = attribute.isOf(item.key.itemClass) && !(isOfOthers && item.key.secretServiceItem != nil)
      item[attribute] = Self.value(of: attribute)
      expect(item[attribute], is: has ? Self.value(of: attribute) : nil)
      for other in Self.all where other != attribute { expect(item[other], is: empty[other]) }
      item[attribute] = nil
      expect(item, is: empty)
    }
  }

  @Test("the table has all of them")
  func count() {
    expect(Item.Attribute(rawValue: UInt8(Self.all.count)), is: nil)
  }

  @Test("each is found by its names, which no other has")
  func names() {
    expect(Self.all.map { Int($0.rawValue) }, is: Array(Self.all.indices))
    for attribute in Self.all {
      let name = attribute.jsonName
      expect(
        Item.Attribute(
          jsonName: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)),
        is: attribute)
      if let option = attribute.option { expect(Item.Attribute(option: option), is: attribute) }
      if let tag = attribute.tag { expect(Item.Attribute(tag: tag), is: attribute) }
    }
    let names = Self.all.compactMap(\.secretServiceName)
    expect(Set(names).count, is: names.count)
    expect(Item.Attribute(tag: "gena"), is: nil)
    expect(Item.Attribute(option: "new-server"), is: nil)
  }

  @Test("a primary key is made of its attributes, and lacks none")
  func keys() {
    for itemClass in ItemClass.allCases {
      let key = Item.Key(itemClass) { Self.value(of: $0) }
      expect(key?.itemClass, is: itemClass)
      for attribute in Item.Attribute.ofKeys where attribute.isOf(itemClass) && key?.secretServiceItem == nil
      {
        expect(key?[attribute], is: Self.value(of: attribute))
      }
    }
    for itemClass in [ItemClass.internetPassword, .genericPassword, .secretServiceItem] {
      expect(Item.Key(itemClass) { _ in nil }, is: nil)
    }
  }
}
