import Bytes
import Expectations
import TestSupport
import Testing

@Suite("a byte string") struct ByteStringTests {
  @Test("text is kept as UTF-8")
  func text() {
    expect(ByteString("é").bytes, is: [0xc3, 0xa9])
    expect("é" as ByteString, is: ByteString("é"))
    expect(ByteString("abc".dropFirst()).bytes, is: [0x62, 0x63])
    expect(("" as ByteString).isEmpty)
  }

  @Test("bytes that are not UTF-8 have no text, and are described with replacements")
  func noText() {
    expect(attribute([0x61, 0xff]).text, is: nil)
    expect(attribute([0x61, 0xff]).description, is: "a\u{fffd}")
    expect(attribute([0x61, 0xc3, 0xa9]).text, is: "aé")
    expect(attribute([]).text, is: "")
  }

  @Test("composed and decomposed letters differ")
  func composition() {
    expect(ByteString("é") != ByteString("e\u{301}"))
    expect(Set([ByteString("é"), ByteString("e\u{301}")]).count, is: 2)
  }

  @Test("only ASCII capitals are made small")
  func lowercased() {
    let all = attribute(Array(0...255))
    let small = all.lowercased.bytes
    for byte in 0...255 {
      let expected = 0x41...0x5a ~= byte ? byte + 32 : byte
      expect(small[byte], is: UInt8(expected))
    }
  }

  @Test("equality without case regards nothing but ASCII letters")
  func ignoringCase() {
    expect(("GitHub.COM" as ByteString).isEqualIgnoringCase("github.com"))
    expect(!("github.com" as ByteString).isEqualIgnoringCase("github.co"))
    expect(!("[" as ByteString).isEqualIgnoringCase("{"))
    expect(!("@" as ByteString).isEqualIgnoringCase("`"))
    expect(!attribute([0xc9]).isEqualIgnoringCase(attribute([0xe9])))
  }

  @Test("byte strings sort by their bytes")
  func order() {
    let sorted = [
      attribute([]), "A", "a", "aa", "b", attribute([0x7f]), attribute([0x80]), attribute([0xff]),
    ]
    expect(sorted.shuffled().sorted(), is: sorted)
  }
}
