import Keychain
import Testing

@Suite("further attributes") struct FurtherAttributesTests {
  @Test("are in the order of their tags, whichever came first")
  func order() {
    var attributes: FurtherAttributes = ["slnr": "2", "gena": "1"]
    attributes["invi"] = "1"
    #expect(attributes.tags == ["gena", "invi", "slnr"])
    #expect(attributes == ["invi": "1", "gena": "1", "slnr": "2"])
    attributes["invi"] = nil
    attributes["nega"] = nil
    #expect(attributes.tags == ["gena", "slnr"])
    attributes["gena"] = "3"
    #expect(attributes["gena"] == "3" && attributes["invi"] == nil && !attributes.isEmpty)
  }

  @Test(
    "a tag is four small letters or digits",
    arguments: [
      ("gena", true), ("a1b2", true), ("Gena", false), ("gen", false), ("genae", false), ("ge a", false),
      ("_b64", false), ("", false),
    ])
  func tags(tag: String, isTag: Bool) {
    #expect(FurtherAttributes.isTag(ByteString(tag)) == isTag)
  }

  @Test("the name of a certificate or key is by its application tag, else by its number or hash")
  func names() {
    func name(_ kind: CryptographicItem.Kind, _ attributes: FurtherAttributes) -> String {
      Item.Key.cryptographic(CryptographicItem(kind, attributes)).name
    }
    #expect(name(.certificate, ["slnr": ByteString([0x30, 0x39])]) == "certificate 3039")
    #expect(name(.key, ["atag": "com.example", "klbl": "a"]) == "key com.example")
    #expect(name(.identity, [:]) == "identity")
  }
}
