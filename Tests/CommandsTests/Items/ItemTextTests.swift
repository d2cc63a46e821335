import Expectations
import Keychain
import TestSupport
import Testing

@testable import Commands

@Suite("an item as text to edit") struct ItemTextTests {
  private static func edited(_ item: Item, _ change: (String) -> String) throws(ItemText.Fault) -> Item? {
    try ItemText.item(item, editedTo: Array(change(ItemText.text(of: item)).utf8))
  }

  private static let item: Item = {
    var item = Item.internet(account: "alice", path: "team", port: 8443)
    item.comment = "one\ntwo"
    item.label = "work"
    return item
  }()

  @Test("what was not changed is the same item, whatever bytes its attributes have")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 7)
    let pieces: [[UInt8]] = [
      Array("a".utf8), [0x20], [0x0a], [0x0d], [0x09], [0x5c], [0x22], [0x23], [0x3a], [0], [0xff],
      [0xe6, 0xbc],
      Array("é漢🔑".utf8), Array("\u{200b}\u{202e}".utf8), Array("\\n".utf8), Array("\\u{41}".utf8),
    ]
    func value(isKey: Bool) -> ByteString? {
      if generator.number(in: 0..<4) == 0 { return nil }
      let bytes = (0..<generator.number(in: 0..<6)).flatMap { _ in generator.pick(pieces) }
      return ByteString(isKey ? bytes.filter { $0 != 0 && $0 != 0x0a && $0 != 0x0d } : bytes)
    }
    for _ in 0..<rounds(2000) {
      var item =
        if generator.number(in: 0..<2) == 0 {
          Item.generic(ByteString([0x73] + (value(isKey: true)?.bytes ?? [])), account: value(isKey: true))
        } else {
          Item.internet(
            ByteString([0x73] + (value(isKey: true)?.bytes ?? [])), account: value(isKey: true),
            path: value(isKey: true), domain: value(isKey: true), authenticationType: value(isKey: true))
        }
      item.label = value(isKey: false)
      item.comment = value(isKey: false)
      item.itemDescription = value(isKey: false)
      item.creator = value(isKey: false)
      item.type = value(isKey: false)
      item.isDefault = generator.number(in: 0..<2) == 0
      let text = ItemText.text(of: item)
      expect(text.utf8.allSatisfy { $0 == 0x0a || $0 >= 0x20 && $0 != 0x7f })
      try expect(Self.edited(item) { $0 }, is: item, "\(text)")
    }
  }

  @Test("a value that is read is the one that is written")
  func values() throws {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<rounds(5000) {
      let value = ByteString(generator.bytes(generator.number(in: 0..<8)).map { $0 % 3 == 0 ? 0x5c : $0 })
      let text = EscapedText.text(of: value)
      try expect(EscapedText.value(of: Array(text.utf8)[...]), is: value, "\(text)")
    }
  }

  @Test("each attribute can be changed")
  func changes() throws {
    let item = try #require(
      try Self.edited(Self.item) { _ in
        """
        \u{feff}# remark
        Server: Other.example
        protocol:ssh\r
          port : 22
        account: bob
        path: /a/b/
        domain: docker
        authentication-type: form
        comment: \\u{e9}\\x21\\ttab \\\\ "quoted" # no remark
        description: d
        creator: c
        type: t
        default: yes
        """
      })
    var expected = Item.internet(
      "Other.example", account: "bob", path: "a/b", protocol: "ssh", port: 22, domain: "docker",
      authenticationType: "form")
    expected.comment = "é!\ttab \\ \"quoted\" # no remark"
    expected.itemDescription = "d"
    expected.creator = "c"
    expected.type = "t"
    expected.isDefault = true
    expect(item, is: expected)
  }

  @Test("a line that is left out, or has no value, removes the attribute, and quotation marks empty it")
  func removes() throws {
    let item = try #require(
      try Self.edited(Self.item) { _ in "server: example.com\nprotocol: https\naccount:" })
    expect(item, is: Item.internet())
    let empty = try #require(
      try Self.edited(Self.item) { _ in "server: example.com\nprotocol: https\naccount: \"\"" })
    expect(empty, is: Item.internet(account: ""))
  }

  @Test("a text that says nothing changes nothing", arguments: ["", "\n\n", "# only a remark\n", "  \r\n"])
  func nothing(text: String) throws {
    try expect(Self.edited(Self.item) { _ in text }, is: nil)
  }

  @Test(
    "what can't be understood is told with its line",
    arguments: [
      ("server: a.example\nnonsense", 2, "it is not 'name: value'"),
      ("# remark\n\nsecret: x", 3, "no attribute is called 'secret'"),
      ("class: generic", 1, "no attribute is called 'class'"),
      ("label: a\nlabel: b", 2, "the label is in line 1 already"),
      ("server: a.example\nprotocol: https\nport: 0", 3, "a port is a number from 1 to 65535"),
      ("server: a.example\nprotocol: https\nport: 8x", 3, "a port is a number from 1 to 65535"),
      ("server: https://a.example\nprotocol: https", 1, "a server is the name or address of a host alone"),
      (
        "server: a.example:80\nprotocol: https", 1,
        "the server has a port with it, which is an attribute by itself"
      ),
      ("server: a.example\nprotocol: ht tp", 2, "a protocol is the scheme of a URL, such as https"),
      (
        "server: a.example\nprotocol: https\naccount: a\\nb", 3,
        "the account has a line break or a NUL byte in it"
      ),
      (
        "server: a.example\nprotocol: https\ndomain: a\\nb", 3,
        "the security domain has a line break or a NUL byte in it"
      ),
      ("comment: \\q", 1, #"the comment has a '\' that means nothing; a backslash itself is written '\\'"#),
      ("comment: \\x4", 1, #"the comment has a '\x' without two hexadecimal digits after it"#),
      ("comment: \\u{d800}", 1, #"the comment has a '\u' without a character's number in braces after it"#),
      ("server: a.example\nprotocol: https\ndefault: maybe", 3, "default is either yes or no"),
    ])
  func faults(text: String, line: Int, reason: String) {
    #expect(throws: ItemText.Fault(line: line, reason: reason)) { try Self.edited(Self.item) { _ in text } }
  }

  @Test("what a key has to have can't be removed")
  func lacking() {
    #expect(throws: ItemText.Fault.self) { try Self.edited(Self.item) { _ in "server: a.example" } }
    #expect(throws: ItemText.Fault(line: nil, reason: "the server is empty")) {
      try Self.edited(Self.item) { _ in "protocol: https" }
    }
    #expect(throws: ItemText.Fault(line: 1, reason: "the service is empty")) {
      try Self.edited(.generic("service")) { _ in "service:" }
    }
  }

  @Test("no secret can get into it, for it knows none")
  func noSecret() {
    expect(!ItemText.text(of: Self.item).lowercased().contains("password:"))
    expect(ItemText.text(of: Self.item).contains("comment: one\\ntwo\n"))
  }
}
