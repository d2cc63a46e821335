import Bytes
import Expectations
import Testing

@Suite("hexadecimal digits") struct HexadecimalTests {
  @Test("every byte has two, which stand for it")
  func bytes() {
    for byte in UInt8.min...UInt8.max {
      let digits = hexadecimalDigits([byte])
      let capitals = [byte >> 4, byte & 15].map { hexadecimalDigit($0, isCapital: true) }
      expect(hexadecimal([byte]), is: (byte < 16 ? "0" : "") + String(byte, radix: 16))
      expect(digits.map(hexadecimalValue), is: [byte >> 4, byte & 15])
      expect(capitals.map(hexadecimalValue), is: [byte >> 4, byte & 15])
    }
  }

  @Test("nothing else is one")
  func others() {
    let digits = (UInt8.min...UInt8.max).filter { hexadecimalValue($0) != nil }
    expect(digits, is: Array("0123456789ABCDEFabcdef".utf8))
  }

  @Test("two digits for each byte are bytes again, in small letters or capitals")
  func decoded() {
    expect([UInt8](hexadecimal: "00ffA7a7".utf8), is: [0x00, 0xff, 0xa7, 0xa7])
    expect([UInt8](hexadecimal: "".utf8), is: [])
    for text in ["0", "00f", "0g", "+f", " 0"] { expect([UInt8](hexadecimal: text.utf8), is: nil) }
  }

  @Test("a number has sixteen")
  func numbers() {
    expect(hexadecimal(0xab as UInt64), is: "00000000000000ab")
    expect(hexadecimal(UInt64.max), is: "ffffffffffffffff")
  }
}
