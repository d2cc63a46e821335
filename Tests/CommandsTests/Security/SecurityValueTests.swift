import Bytes
import Expectations
import Keychain
import TestSupport
import Testing

@testable import Commands

@Suite("values as security prints them") struct SecurityValueTests {
  private func text(_ append: (inout Secret) -> Void) -> String {
    var output = Secret()
    append(&output)
    return output.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func printed(_ bytes: [UInt8]) -> String {
    text { output in bytes.withUnsafeBytes { SecurityValue.append($0, to: &output) } }
  }

  private func printedSecret(_ bytes: [UInt8]) -> String {
    text { output in bytes.withUnsafeBytes { SecurityValue.appendSecret($0, to: &output) } }
  }

  /// Decodes a text without knowing how it was encoded.
  private func read(_ text: String) -> [UInt8]? {
    if text.hasPrefix("0x") {
      let digits = Array(text.utf8.dropFirst(2).prefix { $0 != 0x20 })
      return bytes(ofHexadecimal: Secret(copying: ByteString(digits)))
    }
    guard text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count > 1 else { return nil }
    return Array(text.utf8.dropFirst().dropLast())
  }

  private func bytes(ofHexadecimal digits: borrowing Secret) -> [UInt8]? {
    switch digits.withUnsafeBytes({ Secret(hexadecimal: $0) }) {
    case .none: nil
    case .some(let secret): secret.withUnsafeBytes { Array($0) }
    }
  }

  @Test("text is quoted; other bytes come in digits, with the text beside them")
  func values() {
    expect(printed(Array("github.com".utf8)), is: "\"github.com\"")
    expect(printed(Array("say \"hi\"".utf8)), is: "\"say \"hi\"\"")
    expect(printed(Array("a\\b".utf8)), is: "0x615C62  \"a\\134b\"")
    expect(printed(Array("é".utf8)), is: "0xC3A9 ")
    expect(
      printed(Array("20240101120000Z\0".utf8)),
      is: "0x32303234303130313132303030305A00  \"20240101120000Z\\000\"")
    expect(printed([0, 0, 1, 0xbb]), is: "0x000001BB ")
    expect(printed([0, 0, 0, 80]), is: "0x00000050  \"\\000\\000\\000P\"")
  }

  @Test("a password is raw if it is printable, else digits")
  func secrets() {
    expect(printedSecret(Array("a\\b \"c\"".utf8)), is: "a\\b \"c\"")
    expect(printedSecret(Array("line1\nline2".utf8)), is: "6c696e65310a6c696e6532")
    expect(printedSecret(Array("café".utf8)), is: "636166c3a9")
    expect(printedSecret([]), is: "")
  }

  @Test("what is printed can be read back")
  func readable() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<rounds(5000) {
      let length = generator.number(in: 1..<40)
      let bytes =
        round % 2 == 0
        ? generator.bytes(length)
        : (0..<length).map { _ in generator.pick(Array("ab \"\\'0x~\n\u{7f}".utf8)) }
      let text = printed(bytes)
      expect(read(text), is: bytes, "\(text)")
      expect(text.utf8.allSatisfy { 0x20...0x7e ~= $0 })
    }
  }

  @Test("hexadecimal digits are read in both cases, and nothing else")
  func hexadecimal() {
    func bytes(_ text: String) -> [UInt8]? { self.bytes(ofHexadecimal: Secret(text)) }
    expect(bytes("00fFA9"), is: [0, 0xff, 0xa9])
    expect(bytes(""), is: [])
    for bad in ["0", "0g", "0x00", "é", " 00"] { expect(bytes(bad), is: nil) }
  }

  @Test("an item is printed with the attributes of its class")
  func items() {
    func text(_ item: Item) -> String {
      self.text { SecurityItemText.append(item, in: "/v", to: &$0) }
    }
    var item = Item(
      InternetPassword(
        protocol: "https", server: "a.example", port: 8443, account: "alice", path: "acme",
        securityDomain: "docker"))
    item.creationDate = Timestamp(milliseconds: 1_704_110_400_123)
    item.creator = "git"
    item.comment = "Ü"
    expect(
      text(item),
      is: """
        keychain: "/v"
        version: 512
        class: "inet"
        attributes:
            0x00000007 <blob>="a.example"
            0x00000008 <blob>=<NULL>
            "acct"<blob>="alice"
            "atyp"<blob>="dflt"
            "cdat"<timedate>=0x32303234303130313132303030305A00  "20240101120000Z\\000"
            "crtr"<uint32>="git "
            "cusi"<sint32>=<NULL>
            "desc"<blob>=<NULL>
            "icmt"<blob>=0xC39C\u{20}
            "invi"<sint32>=<NULL>
            "mdat"<timedate>=<NULL>
            "nega"<sint32>=<NULL>
            "path"<blob>="acme"
            "port"<uint32>=0x000020FB  "\\000\\000 \\373"
            "prot"<blob>=<NULL>
            "ptcl"<uint32>="htps"
            "scrp"<sint32>=<NULL>
            "sdmn"<blob>="docker"
            "srvr"<blob>="a.example"
            "type"<uint32>=<NULL>

        """)
    let generic = text(Item(GenericPassword(service: "backup", account: "")))
    expect(generic.contains("class: \"genp\"\n"))
    expect(generic.contains("    0x00000007 <blob>=\"backup\"\n"))
    expect(generic.contains("    \"acct\"<blob>=\"\"\n"))
    expect(generic.contains("    \"gena\"<blob>=<NULL>\n"))
    expect(generic.contains("    \"svce\"<blob>=\"backup\"\n"))
    expect(!generic.contains("srvr"))
  }
}
