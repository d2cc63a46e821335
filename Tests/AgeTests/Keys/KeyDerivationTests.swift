import Age
import Expectations
import Testing

@Suite struct KeyDerivationTests {
  struct Derivation: Sendable {
    let inputKey: String
    let salt: String
    let info: String
    let output: String
  }

  @Test(
    "HKDF-SHA-256 gives the keys of RFC 5869, appendix A",
    arguments: [
      Derivation(
        inputKey: String(repeating: "0b", count: 22), salt: "000102030405060708090a0b0c",
        info: "f0f1f2f3f4f5f6f7f8f9",
        output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
      Derivation(
        inputKey: hex(0x00...0x4F), salt: hex(0x60...0xAF), info: hex(0xB0...0xFF),
        output:
          "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e"
          + "09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
      Derivation(
        inputKey: String(repeating: "0b", count: 22), salt: "", info: "",
        output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ])
  func hkdf(_ derivation: Derivation) {
    var output = [UInt8](repeating: 0, count: derivation.output.utf8.count / 2)
    bytes(hex: derivation.inputKey).withUnsafeBytes { inputKey in
      bytes(hex: derivation.salt).withUnsafeBytes { salt in
        bytes(hex: derivation.info).withUnsafeBytes { info in
          output.withUnsafeMutableBytes {
            KeyDerivation.hkdfSHA256(inputKey: inputKey, salt: salt, info: info, into: $0)
          }
        }
      }
    }
    expect(hex(output), is: derivation.output)
  }

  @Test(
    "HMAC-SHA-256 gives the codes of RFC 4231",
    arguments: [
      (
        String(repeating: "0b", count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        hex("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        String(repeating: "aa", count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func hmac(_ key: String, _ message: String, _ code: String) {
    var output = [UInt8](repeating: 0, count: 32)
    bytes(hex: key).withUnsafeBytes { key in
      ascii(message).withUnsafeBytes { message in
        output.withUnsafeMutableBytes { KeyDerivation.hmacSHA256(key: key, message: message, into: $0) }
      }
    }
    expect(hex(output), is: code)
  }
}
