import Expectations
import Keychain
import TestSupport
import Testing

/// A search among the items of ``CriteriaRow/items``, and those that it finds.
struct CriteriaRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let criteria: ItemCriteria
  let found: Set<ByteString>

  init(
    _ description: String, of itemClass: ItemClass? = nil,
    _ attributes: KeyValuePairs<Item.Attribute, ByteString> = [:], further: FurtherAttributes = [:],
    ignoresCase: Bool = false, finds found: Set<ByteString>
  ) {
    var criteria = ItemCriteria()
    criteria.itemClass = itemClass
    for (attribute, value) in attributes { criteria[attribute] = value }
    criteria.furtherAttributes = further
    criteria.ignoresCase = ignoresCase
    (testDescription, self.criteria, self.found) = (description, criteria, found)
  }

  /// Items that differ in one attribute or another, each with its own label.
  static let items: [Item] = {
    func labelled(_ label: ByteString, _ key: Item.Key, _ change: (inout Item) -> Void = { _ in }) -> Item {
      var item = Item(key, label: label)
      change(&item)
      return item
    }
    return [
      labelled("plain", Item.internet("Example.com", account: "alice").key),
      labelled("port", Item.internet("example.com", account: "alice", port: 8443).key),
      labelled("path", Item.internet("example.com", account: "alice", path: "acme/app").key),
      labelled("domain", Item.internet("example.com", account: "alice", domain: "docker").key),
      labelled("ftp", Item.internet("example.com", account: "Alice", protocol: "ftp").key),
      labelled("no protocol", Item.internet("example.com", account: "alice", protocol: "").key),
      labelled(
        "group",
        .internetPassword(
          InternetPassword(
            protocol: "https", server: "example.com", account: "alice", accessGroup: "com.example.shared"))),
      labelled("generic", Item.generic("app", account: "alice").key) {
        $0.comment = "a remark"
        $0.generic = attribute([0, 0xff, 0x0a])
      },
      labelled("account only", Item.generic("", account: "Ärger").key) { $0.isInvisible = true },
      labelled(
        "synchronizable",
        .genericPassword(GenericPassword(service: "app", account: "alice", isSynchronizable: true))),
      labelled(
        "certificate",
        .cryptographic(
          CryptographicItem(.certificate, ["slnr": attribute([0x30, 0x39]), "issr": attribute([0x30, 0])]))),
      labelled(
        "key", .cryptographic(CryptographicItem(.key, ["klbl": attribute([1, 2]), "atag": "com.example"]))),
      labelled(
        "identity",
        .cryptographic(
          CryptographicItem(.identity, ["klbl": attribute([1, 2])], accessGroup: "com.example.shared"))),
    ]
  }()

  private static let everything = Set(items.compactMap(\.label))

  static let all = [
    CriteriaRow("nothing asked", finds: everything),
    CriteriaRow("class", of: .genericPassword, finds: ["generic", "account only", "synchronizable"]),
    CriteriaRow("certificates", of: .certificate, finds: ["certificate"]),
    CriteriaRow("keys", of: .key, finds: ["key"]),
    CriteriaRow("identities", of: .identity, finds: ["identity"]),
    CriteriaRow(
      "server in other letters", of: .internetPassword, [.server: "EXAMPLE.com"],
      finds: ["plain", "port", "path", "domain", "ftp", "no protocol", "group"]),
    CriteriaRow("another server", of: .internetPassword, [.server: "example.org"], finds: []),
    CriteriaRow("protocol", [.protocol: "HTTPS"], finds: ["plain", "port", "path", "domain", "group"]),
    CriteriaRow("no protocol", [.protocol: ""], finds: ["no protocol"]),
    CriteriaRow(
      "the protocol's own port", of: .internetPassword, [.port: "443"],
      finds: ["plain", "path", "domain", "group"]),
    CriteriaRow("no port", [.port: ""], finds: ["no protocol"]),
    CriteriaRow("another port", [.port: "8443"], finds: ["port"]),
    CriteriaRow("a path is that very path", [.path: "acme/app"], finds: ["path"]),
    CriteriaRow("a path below finds nothing", [.path: "acme/app/x"], finds: []),
    CriteriaRow("a path above finds nothing", [.path: "acme"], finds: []),
    CriteriaRow("security domain", [.securityDomain: "docker"], finds: ["domain"]),
    CriteriaRow(
      "no security domain", [.securityDomain: ""],
      finds: ["plain", "port", "path", "ftp", "no protocol", "group"]),
    CriteriaRow(
      "account of any class", [.account: "alice"],
      finds: ["plain", "port", "path", "domain", "no protocol", "group", "generic", "synchronizable"]),
    CriteriaRow(
      "account of generic passwords", of: .genericPassword, [.account: "alice"],
      finds: ["generic", "synchronizable"]),
    CriteriaRow(
      "account without regard to case", of: .internetPassword, [.account: "ALICE"], ignoresCase: true,
      finds: ["ftp", "plain", "port", "path", "domain", "no protocol", "group"]),
    CriteriaRow("letters that ASCII hasn't", [.account: "äRGER"], ignoresCase: true, finds: ["account only"]),
    CriteriaRow("no service", [.service: ""], finds: ["account only"]),
    CriteriaRow("service", [.service: "app"], finds: ["generic", "synchronizable"]),
    CriteriaRow("access group", [.accessGroup: "com.example.shared"], finds: ["group", "identity"]),
    CriteriaRow(
      "access group of a class", of: .internetPassword, [.accessGroup: "com.example.shared"], finds: ["group"]
    ),
    CriteriaRow("no access group", [.accessGroup: ""], finds: everything.subtracting(["group", "identity"])),
    CriteriaRow("synchronizable", [.isSynchronizable: "1"], finds: ["synchronizable"]),
    CriteriaRow(
      "not synchronizable", [.isSynchronizable: ""], finds: everything.subtracting(["synchronizable"])),
    CriteriaRow("label", [.label: "key"], finds: ["key"]),
    CriteriaRow("comment", [.comment: "a remark"], finds: ["generic"]),
    CriteriaRow("no comment", [.comment: ""], finds: everything.subtracting(["generic"])),
    CriteriaRow("generic attribute", further: ["gena": attribute([0, 0xff, 0x0a])], finds: ["generic"]),
    CriteriaRow("invisible", further: ["invi": "1"], finds: ["account only"]),
    CriteriaRow("serial number", further: ["slnr": attribute([0x30, 0x39])], finds: ["certificate"]),
    CriteriaRow("a key's hash", further: ["klbl": attribute([1, 2])], finds: ["key", "identity"]),
  ]
}

extension ConformanceTests {
  @Suite("searching by attributes") struct SearchingByAttributes {
    @Test("finds what has every attribute that is given", arguments: KeychainUnderTest.all)
    func rows(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      for item in CriteriaRow.items { try fresh.keychain.add(item, "secret of \(item.label ?? "")") }
      let keychain = fresh.reopened
      for row in CriteriaRow.all {
        let found = try keychain.items(matching: .criteria(row.criteria))
        expect(Set(found.compactMap(\.label)), is: row.found, "\(row.testDescription)")
      }
    }

    @Test(
      "every attribute comes back, and the primary key finds its item alone", arguments: KeychainUnderTest.all
    )
    func roundTrip(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      for item in CriteriaRow.items { try fresh.keychain.add(item, "x") }
      let keychain = fresh.reopened
      for item in CriteriaRow.items {
        let found = try keychain.items(matching: .criteria(ItemCriteria(item.key)))
        expect(found.map(\.label), is: [item.label])
        expect(found.first?.key, is: item.key)
        expect(found.first?.furtherAttributes, is: item.furtherAttributes)
        #expect(throws: KeychainError.duplicateItem) { try keychain.add(item, "y") }
      }
    }

    @Test(
      "items of other classes and groups answer nobody that they are not for",
      arguments: KeychainUnderTest.all)
    func answering(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      for item in CriteriaRow.items where item.label != "plain" && item.label != "group" {
        try keychain.add(item, "x")
      }
      try expect(keychain.find(.internet("example.com", account: "alice")).map(\.label), is: ["path"])
    }

    @Test("what notes that there is no password answers nobody", arguments: KeychainUnderTest.all)
    func negative(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      var item = Item.internet(account: "alice")
      item.isNegative = true
      try keychain.add(item, "")
      try expect(keychain.answeredSecret(.internet()), is: nil)
      try expect(keychain.explain(.internet()).candidates.map(\.verdict), is: [.passedOver(.negative)])
      // A login that worked should be stored as a password.
      try keychain.save(.internet(account: "alice"), Credential.text("token"))
      let kept = try #require(try keychain.items(matching: .all).first)
      try expect(keychain.credential(of: kept).secret.revealed, is: Array("token".utf8))
      try expect(keychain.answeredSecret(.internet()), is: "token")
    }

    @Test("forgetting whatever the secret leaves what programs share", arguments: KeychainUnderTest.all)
    func erasing(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      for item in CriteriaRow.items where item.label == "plain" || item.label == "group" {
        try keychain.add(item, "x")
      }
      try expect(keychain.erase(.internet()), is: 1)
      try expect(keychain.items(matching: .all).map(\.label), is: ["group"])
    }

    @Test("attributes and access group change and go", arguments: KeychainUnderTest.all)
    func changing(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = try fresh.keychain.add(CriteriaRow.items[7], "x")
      item.key = .genericPassword(
        GenericPassword(service: "app", account: "alice", accessGroup: "team", isSynchronizable: true))
      item.generic = "g"
      item.furtherAttributes["pdmn"] = "ak"
      item = try fresh.keychain.update(item)
      try expect(fresh.reopened.items(matching: .all).map(\.key), is: [item.key])
      item.key = .genericPassword(GenericPassword(service: "app", account: "alice"))
      item.furtherAttributes = ["invi": "1"]
      try fresh.keychain.update(item)
      let after = try fresh.reopened.items(matching: .all)
      expect(after.map(\.key), is: [item.key])
      expect(after.map(\.furtherAttributes), is: [["invi": "1"]])
      item.furtherAttributes = ["invi": "1", "gena": "2"]
      item = try fresh.keychain.update(item)
      try expect(fresh.reopened.items(matching: .all).map(\.furtherAttributes), is: [item.furtherAttributes])
      item.furtherAttributes = ["gena": "3"]
      item = try fresh.keychain.exclusively { () throws(KeychainError) in try fresh.keychain.update(item) }
      try expect(fresh.reopened.items(matching: .all).map(\.furtherAttributes), is: [item.furtherAttributes])
      item.key = .cryptographic(CryptographicItem(.key, ["klbl": "a"]))
      try fresh.keychain.update(item)
      item.key = .cryptographic(CryptographicItem(.key, ["atag": "b"]))
      try fresh.keychain.update(item)
      try expect(fresh.reopened.items(matching: .all).map(\.key), is: [item.key])
    }
  }
}
