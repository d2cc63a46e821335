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
}
