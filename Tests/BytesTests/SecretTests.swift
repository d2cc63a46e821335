import Bytes
import Expectations
import TestSupport
import Testing

@Suite("a secret") struct SecretTests {
  @Test("an empty secret has no bytes, and room makes none")
  func empty() {
    let none = Secret()
    let room = Secret(capacity: 100)
    let text = Secret("")
    let empty = [none.isEmpty, room.isEmpty, text.isEmpty]
    let revealed = [none.revealed, room.revealed, text.revealed]
    expect(empty, is: [true, true, true])
    expect(revealed, is: [[], [], []])
    expect(none.isEqual(to: room) && room.isEqual(to: text))
  }

  @Test("what is appended stands in order, however it comes")
  func append() {
    var secret = Secret("é")
    secret.append(0)
    secret.append("ab")
    secret.append(contentsOf: attribute([0xff]))
    secret.append(contentsOf: "")
    secret.append(Secret("c"))
    secret.append(Secret())
    secret.append(UnsafeRawBufferPointer(start: nil, count: 0))
    expect(secret.revealed, is: [0xc3, 0xa9, 0, 0x61, 0x62, 0xff, 0x63])
    let secretCount = secret.count
    expect(secretCount, is: 7)
  }

  @Test("growth keeps every byte", arguments: [0, 1, 63, 64, 65, 4096])
  func growth(capacity: Int) {
    var secret = Secret(capacity: capacity)
    var expected: [UInt8] = []
    for number in 0..<10_000 {
      secret.append(UInt8(truncatingIfNeeded: number &* 7))
      expected.append(UInt8(truncatingIfNeeded: number &* 7))
    }
    expect(secret.revealed, is: expected)
  }

  @Test("a writer's bytes count as far as it says it wrote", arguments: [0, 1, 5, 8, 9])
  func writer(written: Int) {
    var secret = Secret("x")
    secret.append(count: 8) { buffer in
      expect(buffer.count, is: 8)
      buffer.copyBytes(from: Array(UInt8(1)...8))
      return written
    }
    expect(secret.revealed, is: [0x78] + Array(UInt8(1)...8).prefix(written))
  }

  @Test("a writer that throws leaves the secret as it was")
  func throwingWriter() {
    struct Stop: Error {}
    var secret = Secret("abc")
    var threw = false
    do throws(Stop) {
      try secret.append(count: 500) { (_) throws(Stop) in throw Stop() }
    } catch {
      threw = true
    }
    expect(threw)
    expect(secret.revealed, is: Array("abc".utf8))
  }

  @Test("truncating drops the end, and wipes it")
  func truncate() {
    var secret = Secret("open sesame")
    secret.truncate(to: 4)
    // The memory beyond the count still belongs to the secret, so reading it in this closure is sound.
    let memory = secret.withUnsafeBytes { bytes in
      Array(UnsafeRawBufferPointer(start: bytes.baseAddress, count: 11))
    }
    expect(secret.revealed, is: Array("open".utf8))
    expect(memory, is: Array("open".utf8) + [UInt8](repeating: 0, count: 7))
  }

  @Test("truncating to no fewer bytes changes nothing", arguments: [3, 4, 1000])
  func noTruncation(count: Int) {
    var secret = Secret("abc")
    secret.truncate(to: count)
    expect(secret.revealed, is: Array("abc".utf8))
    var empty = Secret()
    empty.truncate(to: 0)
    expect(empty.isEmpty)
  }

  @Test("a truncated secret can grow again")
  func growAgain() {
    var secret = Secret("abcdef")
    secret.truncate(to: 2)
    secret.append("xy")
    secret.truncate(to: 0)
    secret.append("z")
    expect(secret.revealed, is: Array("z".utf8))
  }

  private func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Secret(copying: ByteString(left)).isEqual(to: Secret(copying: ByteString(right)))
  }

  @Test("secrets are equal when all their bytes are")
  func equality() {
    var generator = SeededGenerator(seed: 3)
    for count in [1, 2, 31, 32, 33, 1000] {
      let bytes = generator.bytes(count)
      let secret = Secret(copying: ByteString(bytes))
      let same = secret.copy()
      expect(secret.isEqual(to: same))
      for position in Set([0, count / 2, count - 1]) {
        var other = bytes
        other[position] ^= 1 << UInt8(generator.number(in: 0..<8))
        expect(!equal(bytes, other))
      }
      expect(!equal(bytes, bytes + [0]))
      expect(!equal(bytes, Array(bytes.dropLast())))
    }
  }

  @Test("a copy is its own")
  func copies() {
    var secret = Secret("abc")
    let copy = secret.copy()
    secret.withUnsafeMutableBytes { $0[0] = 0x78 }
    expect(secret.revealed, is: Array("xbc".utf8))
    let kept = copy.revealed
    expect(kept, is: Array("abc".utf8))
  }
}
