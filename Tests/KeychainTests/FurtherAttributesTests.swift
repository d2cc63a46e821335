import Expectations
import Keychain
import Testing

@Suite("further attributes") struct FurtherAttributesTests {
  @Test("are in the order of their tags, whichever came first")
  func order() {
    var attributes: FurtherAttributes = ["slnr": "2", "gena": "1"]
    attributes["invi"] = "1"
    expect(attributes.tags, is: ["gena", "invi", "slnr"])
    expect(attributes, is: ["invi": "1", "gena": "1", "slnr": "2"])
    attributes["invi"] = nil
    attributes["nega"] = nil
    expect(attributes.tags, is: ["gena", "slnr"])
    attributes["gena"] = "3"
    expect(attributes["gena"] == "3" && attributes["invi"] == nil && !attributes.isEmpty)
  }

  @Test("after any changes they are what was set last, in every order of changes the same")
  func changes() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<30 {
      var attributes = FurtherAttributes()
      var model: [ByteString: ByteString] = [:]
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let tags: [ByteString] = ["aaaa", "aab0", "b000", "zzzz", "0abc"]
        let tag = tags[Int.random(in: tags.indices, using: &random)]
        let size = [0, 1, 8, 255, 256, 66_000][Int.random(in: 0..<6, using: &random)]
        let value = ByteString([UInt8](repeating: .random(in: 0...255, using: &random), count: size))
        let isRemoved = Int.random(in: 0..<4, using: &random) == 0
        attributes[tag] = isRemoved ? nil : value
        model[tag] = isRemoved ? nil : value
        expect(attributes[tag], is: model[tag])
      }
      expect(attributes.tags, is: model.keys.sorted())
      expect(model.allSatisfy { attributes[$0.key] == $0.value })
      var other = FurtherAttributes()
      for (tag, value) in model { other[tag] = value }
      expect(other == attributes && other.hashValue == attributes.hashValue)
    }
  }

  @Test(
    "a tag is four small letters or digits",
    arguments: [
      ("gena", true), ("a1b2", true), ("Gena", false), ("gen", false), ("genae", false), ("ge a", false),
      ("_b64", false), ("", false),
    ])
  func tags(tag: String, isTag: Bool) {
    expect(FurtherAttributes.isTag(ByteString(tag)), is: isTag)
  }

  @Test("the name of a certificate or key is by its application tag, else by its number or hash")
  func names() {
    func name(_ kind: CryptographicItem.Kind, _ attributes: FurtherAttributes) -> String {
      Item.Key.cryptographic(CryptographicItem(kind, attributes)).name
    }
    expect(name(.certificate, ["slnr": ByteString([0x30, 0x39])]), is: "certificate 3039")
    expect(name(.key, ["atag": "com.example", "klbl": "a"]), is: "key com.example")
    expect(name(.identity, [:]), is: "identity")
  }
}
