import Bytes
import Expectations
import TestSupport
import Testing

@testable import SecretServiceProvider

@Suite("session cipher") struct SessionCipherTests {
  private static let key = bytes("00010203 04050607 08090a0b 0c0d0e0f")
  private static let iv = bytes("10111213 14151617 18191a1b 1c1d1e1f")

  private var cipher: SessionCipher { SessionCipher(key: secret(Self.key)) }

  private func open(_ iv: [UInt8], _ ciphertext: [UInt8]) -> [UInt8]? {
    open(iv, ciphertext, with: cipher)
  }

  private func open(
    _ iv: [UInt8], _ ciphertext: [UInt8], with cipher: borrowing SessionCipher
  ) -> [UInt8]? {
    iv.withUnsafeBytes { iv in
      ciphertext.withUnsafeBytes { ciphertext in
        guard let secret = cipher.open(iv: iv, ciphertext: ciphertext) else { return nil }
        return secret.revealed
      }
    }
  }

  @Test(
    "what OpenSSL encrypted is opened",
    arguments: [
      (0, "0a940bb5 416ef045 f1c39458 c653ea5a"),
      (15, "d66cb8ed 9150e69b a054aed8 365c8b20"),
      (16, "b814ee41 93ecd6d9 91510e3e a6e44119 1802fcde 77061f95 e0bb6526 9e940464"),
      (17, "b814ee41 93ecd6d9 91510e3e a6e44119 eabd0c4b 511fc919 796d3dc6 9fabb21c"),
    ])
  func known(count: Int, ciphertext: String) {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    expect(open(Self.iv, bytes(ciphertext)), is: letters)
  }

  @Test(
    "a secret of any size comes back",
    arguments: Array(0...50) + [255, 256, 4095, 10_002, 65_535, 65_536])
  func roundTrip(count: Int) {
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let (iv, ciphertext) = cipher.seal(secret(plaintext))
    expect(iv.count, is: 16)
    expect(ciphertext.count, is: count / 16 * 16 + 16)
    expect(open(iv, ciphertext), is: plaintext)
  }

  @Test("secrets that look like padding come back")
  func paddingAsSecret() {
    for byte in UInt8(0)...17 {
      for count in 1...33 {
        let plaintext = [UInt8](repeating: byte, count: count)
        let (iv, ciphertext) = cipher.seal(secret(plaintext))
        expect(open(iv, ciphertext), is: plaintext)
      }
    }
  }

  @Test("no IV is used twice")
  func freshIV() {
    let sealed = (0..<100).map { _ in cipher.seal(secret([1, 2, 3])) }
    expect(Set(sealed.map(\.iv)).count, is: 100)
    expect(Set(sealed.map(\.ciphertext)).count, is: 100)
  }

  @Test("an IV of another size is refused", arguments: [0, 1, 15, 17, 32])
  func sizeOfIV(count: Int) {
    let (_, ciphertext) = cipher.seal(secret([1, 2, 3]))
    expect(open([UInt8](repeating: 0, count: count), ciphertext), is: nil)
  }

  @Test("a ciphertext that is no sequence of blocks is refused")
  func sizeOfCiphertext() {
    let (iv, ciphertext) = cipher.seal(secret([UInt8](repeating: 7, count: 40)))
    for count in 0..<ciphertext.count where count % 16 != 0 || count == 0 {
      expect(open(iv, Array(ciphertext.prefix(count))), is: nil, "\(count)")
    }
  }

  @Test("every padding but the right ones is refused")
  func padding() {
    // A bit that differs in the IV differs in the first block of the plaintext, too.
    let padded = [UInt8](repeating: 16, count: 16)
    let (iv, sealed) = cipher.seal(Secret())
    expect(sealed.count, is: 16)
    func opened(as plaintext: [UInt8]) -> [UInt8]? {
      open(zip(iv, zip(padded, plaintext)).map { $0 ^ $1.0 ^ $1.1 }, sealed)
    }
    for last in UInt8.min...UInt8.max {
      let zeros = [UInt8](repeating: 0, count: 15)
      expect(opened(as: zeros + [last]), is: last == 1 ? zeros : nil, "\(last)")
    }
    for count in 1...16 {
      let plaintext = [UInt8](repeating: 0xaa, count: 16 - count)
      let right = plaintext + [UInt8](repeating: UInt8(count), count: count)
      expect(opened(as: right), is: plaintext)
      for wrong in 16 - count..<15 {
        var changed = right
        changed[wrong] ^= 0x40
        expect(opened(as: changed), is: nil, "\(count), \(wrong)")
      }
    }
  }

  @Test("another key opens nothing that was meant")
  func otherKey() {
    let plaintext = [UInt8](repeating: 5, count: 64)
    let other = SessionCipher(key: secret([UInt8](repeating: 1, count: 16)))
    let (iv, ciphertext) = other.seal(secret(plaintext))
    expect(open(iv, ciphertext) != plaintext)
    expect(open(iv, ciphertext, with: other), is: plaintext)
  }
}
