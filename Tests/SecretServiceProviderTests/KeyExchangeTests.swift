import Bytes
import Expectations
import TestSupport
import Testing

@testable import SecretServiceProvider

@Suite("key exchange") struct KeyExchangeTests {
  @Test("what others calculated comes out", arguments: KnownExchange.all)
  func known(exchange: KnownExchange) throws {
    let pair = KeyPair(exponent: secret(exchange.exponent))
    expect(pair.publicKey, is: exchange.publicKey)
    expect(sessionKey(pair, exchange.peer), is: exchange.sessionKey)
  }

  @Test("both sides have the same key, and each exchange another one")
  func agreement() {
    var seen: Set<[UInt8]> = []
    for _ in 0..<300 {
      let one = KeyPair.generate()
      let other = KeyPair.generate()
      expect(one.publicKey.count == 128 && other.publicKey.count == 128)
      let key = sessionKey(one, other.publicKey)
      expect(key?.count, is: 16)
      expect(sessionKey(other, one.publicKey), is: key)
      seen.insert(key ?? [])
    }
    expect(seen.count, is: 300)
  }

  @Test("zeros on the left of a public key make no difference")
  func leadingZeros() {
    let exchange = KnownExchange.shortPublicKey
    let pair = KeyPair(exponent: secret(KnownExchange.shortSharedNumber.exponent))
    let number = Array(exchange.publicKey.drop { $0 == 0 })
    expect(number.count, is: 127)
    for count in [0, 1, 2, 3, 100, 100_000] {
      let zeros = [UInt8](repeating: 0, count: count)
      expect(sessionKey(pair, zeros + number), is: exchange.sessionKey, "\(count)")
    }
  }

  @Test("a public key is a number from 2 to the prime minus 2")
  func bounds() {
    let pair = KeyPair.generate()
    func prime(plus difference: Int) -> [UInt8] {
      SecondOakleyGroup.prime.dropLast() + [UInt8(0xff + difference)]
    }
    let longer = [1] + [UInt8](repeating: 0, count: 128)
    let ones = [UInt8](repeating: 0xff, count: 129)
    let none: [[UInt8]] = [
      [], [0], [1], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 128) + [1],
      prime(plus: -1), prime(plus: 0), [0] + prime(plus: -1), Array(ones.dropLast()), longer, ones,
      [UInt8](repeating: 0xff, count: 100_000),
    ]
    for peer in none { expect(sessionKey(pair, peer), is: nil, "\(peer.prefix(130))") }
    for peer in [[2], [0, 3], prime(plus: -2), prime(plus: -3)] {
      expect(sessionKey(pair, peer)?.count, is: 16, "\(peer)")
    }
  }

  @Test("a key is derived as in RFC 5869, appendix A.3")
  func derivation() {
    let key = [UInt8](repeating: 0x0b, count: 22).withUnsafeBytes { aes128Key(from: $0).revealed }
    expect(key, is: bytes("8da4e775 a563c18f 715f802a 063c5a31"))
  }

  private func sessionKey(_ pair: borrowing KeyPair, _ peer: [UInt8]) -> [UInt8]? {
    guard let key = pair.sessionKey(with: peer) else { return nil }
    return key.revealed
  }
}
