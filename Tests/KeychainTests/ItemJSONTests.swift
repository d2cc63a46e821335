import Bytes
import Expectations
import Foundation
import Keychain
import TestSupport
import Testing

@Suite("an item as JSON") struct ItemJSONTests {
  private func json(_ item: Item) -> [UInt8] {
    written { json in
      json.beginObject()
      json.attributes(of: item)
      json.endObject()
    }
  }

  private func read(_ text: [UInt8]) throws(JSONReader.Malformed) -> (item: Item, unknown: Int) {
    var attributes = ItemMembers()
    var unknown = 0
    try text.lendingBytes { (raw) throws(JSONReader.Malformed) in
      try JSONReader.members(of: raw) { (name, value) throws(JSONReader.Malformed) in
        if try !attributes.take(name, value) { unknown += 1 }
      }
    }
    return (try attributes.item(), unknown)
  }

  private func read(_ text: String) throws(JSONReader.Malformed) -> (item: Item, unknown: Int) {
    try read(Array(text.utf8))
  }

  @Test("an item comes back as it was written", arguments: RoundTripRow.all)
  func roundTrip(row: RoundTripRow) throws {
    let found = try read(json(row.item))
    expect(found.item, is: row.item)
    expect(found.unknown, is: 0)
    expect((try? JSONSerialization.jsonObject(with: Data(json(row.item)))) != nil)
  }

  @Test("random items come back as they were written")
  func random() throws {
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<rounds(1000) {
      let item = generator.item()
      try #require(try read(json(item)).item == item)
    }
  }

  @Test("what the Secret Service knows of an item comes back as it was written")
  func secretService() throws {
    var lookup = LookupAttributes()
    for name in ["user_b64", "", "xdg:schema", "\u{1}\"\\ü", "e\u{301}", "é"] as [ByteString] {
      lookup[name] = "a\n\u{202e}"
    }
    lookup["empty"] = ""
    for kind in SecretServiceItem.Kind.allCases {
      for name in ["login", "a b", ByteString([0xff, 0])] as [ByteString] {
        var item = Item(.secretService(SecretServiceItem(kind, name: name)), label: "L")
        for attributes in [
          SecretServiceAttributes(), SecretServiceAttributes(lookup: LookupAttributes()),
          SecretServiceAttributes(collection: "w", lookup: lookup, contentType: "text/plain; charset=utf8"),
        ] {
          item.secretService = attributes
          try expect(read(json(item)).item, is: item)
        }
      }
    }
    try expect(
      String(
        decoding: json(read(#"{"class":"secret","name":"n","lookupAttributes":{"b":"1","a":""}}"#).item),
        as: UTF8.self), is: #"{"class":"secret","name":"n","lookupAttributes":{"a":"","b":"1"}}"#)
  }

  @Test("the names are those of Keychain Services")
  func names() {
    let item = Item(
      Item.internet(
        "h", account: "a", path: "p", protocol: "imap", port: 9, domain: "d", authenticationType: "t"
      ).key, label: "l", comment: "c", itemDescription: "i", creator: "r", type: "y", isDefault: true)
    expect(
      String(decoding: json(item), as: UTF8.self),
      is: #"{"class":"internet","server":"h","protocol":"imap","port":9,"account":"a","path":"p","#
        + #""securityDomain":"d","authenticationType":"t","label":"l","comment":"c","description":"i","#
        + #""creator":"r","type":"y","isDefault":true}"#)
    expect(
      String(decoding: json(.generic("s", account: "")), as: UTF8.self),
      is: #"{"class":"generic","service":"s","account":""}"#)
    expect(
      String(decoding: json(.internet()), as: UTF8.self),
      is: #"{"class":"internet","server":"example.com","protocol":"https"}"#)
  }

  @Test("fields and tags are written as that, unless another program has put something else there")
  func fields() throws {
    var item = Item.generic("s")
    item.tags = ["Work", "a \"b\""]
    item.addField("PIN\n", "1 \\ 2")
    item.addField("", "x")
    item.address = "nas"
    expect(
      String(decoding: json(item), as: UTF8.self),
      is:
        #"{"class":"generic","service":"s","fields":{"PIN\n":"1 \\ 2","field":"x"},"tags":["Work","a \"b\""],"#
        + #""attributes":{"addr":"nas"}}"#)
    try expect(read(json(item)).item, is: item)
    for odd in [
      "", "{", "{}", #"{"a":1}"#, #"{"a":"1","a":"2"}"#, #" {"a":"1"}"#, #"{"a":"1"},"k":"x"#, "\u{1}",
    ] {
      var item = Item.generic("s")
      item.furtherAttributes["flds"] = ByteString(odd)
      item.furtherAttributes["tags"] = ByteString([0xff])
      try expect(read(json(item)).item, is: item)
      expect(item.fields.isEmpty)
      expect((try? JSONSerialization.jsonObject(with: Data(json(item)))) != nil)
    }
    for wrong in [
      #""fields":[]"#, #""fields":{"a":null}"#, #""fields":{"a":"","a":""}"#, #""tags":"a""#, #""tags":[1]"#,
    ] {
      #expect(throws: JSONReader.Malformed.self) { try read(#"{"class":"generic","service":"s",\#(wrong)}"#) }
    }
  }

  @Test("what is confidential has git's names")
  func confidential() {
    let text = String(
      decoding: written { json in
        json.beginObject()
        json.confidentialMembers(
          of: Credential.bytes([0xff], expiry: 9, refreshToken: [0x72], scheme: "Bearer"))
        json.endObject()
      }, as: UTF8.self)
    expect(
      text,
      is: #"{"secret_b64":"/w==","password_expiry_utc":9,"oauth_refresh_token":"r","authtype":"Bearer"}"#)
  }

  @Test("members that are none of an item's are left to the caller")
  func unknown() throws {
    let found = try read(#"{"class":"generic","service":"s","new":{"a":1},"_b64":"x","Class":"internet"}"#)
    expect(found.item, is: .generic("s"))
    expect(found.unknown, is: 3)
  }

  @Test(
    "what lacks its primary key, or has an attribute of another kind, is refused",
    arguments: [
      "{}", #"{"class":"internet","server":"h"}"#, #"{"class":"generic"}"#,
      #"{"class":"other","service":"s"}"#,
      #"{"service":"s"}"#, #"{"class":"internet","protocol":1}"#,
      #"{"class":"internet","protocol":"https","port":"443"}"#,
      #"{"class":"internet","protocol":"https","port":65536}"#,
      #"{"class":"internet","protocol":"https","port":-1}"#,
      #"{"class":"internet","protocol":"https","port":443.0}"#, #"{"class":"generic","service":null}"#,
      #"{"class":"generic","service":"s","isDefault":1}"#, #"{"class":"generic","service_b64":"!"}"#,
    ])
  func refused(text: String) {
    #expect(throws: JSONReader.Malformed.self) { try read(text) }
  }
}

private func written(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
  var json = JSONWriter()
  body(&json)
  return json.finish().withUnsafeBytes { Array($0) }
}
