import Bytes
import Expectations
import Foundation
import TestSupport
import Testing

@Suite("base64") struct Base64Tests {
  private func encode(_ bytes: [UInt8]) -> String {
    var output = Secret()
    bytes.withUnsafeBytes { Base64.encode($0, to: &output) }
    return String(decoding: output.revealed, as: UTF8.self)
  }

  private func decode(_ text: [UInt8]) -> [UInt8]? {
    var output = Secret()
    let isValid = text.withUnsafeBytes { Base64.decode($0, to: &output) }
    return isValid ? output.revealed : nil
  }

  private func encodeUnpadded(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { Base64.encode($0) } }

  private func decodeUnpadded(_ text: String) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: 64)
    let count = output.withUnsafeMutableBytes { output in
      Array(text.utf8).withUnsafeBytes { Base64.decode($0, into: output) }
    }
    return count.map { Array(output[..<$0]) }
  }

  @Test(
    "the vectors of RFC 4648 section 10, and the same without padding",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) {
    expect(encode(Array(plain.utf8)), is: encoded)
    expect(decode(Array(encoded.utf8)), is: Array(plain.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    expect(encodeUnpadded(Array(plain.utf8)), is: unpadded)
    expect(decodeUnpadded(unpadded), is: Array(plain.utf8))
  }

  @Test(
    "text that encodes nothing is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm=v", "Zm9v ",
      " Zm9v", "Zm\n9v",
      "Zm9-", "Zm9_", "Zm9v\0\0\0\0", "Zm9é",
    ])
  func refused(text: String) {
    expect(decode(Array(text.utf8)), is: nil)
  }

  @Test(
    "without padding, text that no encoder writes is refused",
    arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm 8", "Zm8\n", "Zm-_", "Zm9v=", "=", "Zm\u{E9}"])
  func refusedUnpadded(text: String) { expect(decodeUnpadded(text), is: nil) }

  @Test("random bytes are written as Foundation writes them, and come back")
  func random() {
    var generator = SeededGenerator(seed: 41)
    for count in 0..<600 {
      let bytes = generator.bytes(count)
      let text = encode(bytes)
      expect(text, is: Data(bytes).base64EncodedString())
      expect(decode(Array(text.utf8)), is: bytes)
      if count <= 48 { expect(decodeUnpadded(encodeUnpadded(bytes)), is: bytes) }
    }
  }

  @Test("what is accepted encodes to itself")
  func canonical() {
    var generator = SeededGenerator(seed: 42)
    var accepted = 0
    for _ in 0..<rounds(20_000) {
      let text = generator.mutated(Array(encode(generator.bytes(generator.number(in: 0..<9))).utf8))
      guard let bytes = decode(text) else { continue }
      accepted += 1
      expect(Array(encode(bytes).utf8), is: text)
    }
    expect(accepted > rounds(500))
  }

  @Test("base64 for URLs has another alphabet and no padding, and is bytes again")
  func forURLs() {
    for (bytes, text) in [([0xfb, 0xff], "-_8"), ([0xff], "_w"), ([], ""), ([0, 16, 131], "ABCD")]
      as [([UInt8], String)]
    {
      expect(bytes.withUnsafeBytes { Base64URL.text($0) }, is: text)
      let decoded = Array(text.utf8).withUnsafeBytes { ByteString(Base64URL.decode($0)) }
      expect(decoded, is: ByteString(bytes))
    }
    for text in ["+_8", "-/8", "_w==", "_", "_x"] {
      expect(Array(text.utf8).withUnsafeBytes { ByteString(Base64URL.decode($0)) }, is: nil)
    }
  }
}
