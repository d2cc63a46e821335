import Age
import Bytes
import Keychain

/// A version 4 UUID (RFC 9562 section 5.4).
func randomUUID() -> String {
  uuid(randomBytes(16), version: 4)
}

/// A version 7 UUID (RFC 9562 section 5.7), from 16 random bytes used nowhere else. UUIDs made later sort later.
func timeOrderedUUID(at moment: Timestamp, _ random: [UInt8] = randomBytes(16)) -> String {
  var bytes = random
  for index in 0..<6 {
    bytes[index] = UInt8(truncatingIfNeeded: moment.milliseconds >> (40 - 8 * Int64(index)))
  }
  return uuid(bytes, version: 7)
}

func isUUID(_ text: String) -> Bool {
  text.utf8.count == 36
    && text.utf8.enumerated().allSatisfy { position, byte in
      [8, 13, 18, 23].contains(position)
        ? byte == UInt8(ascii: "-") : 0x30...0x39 ~= byte || 0x61...0x66 ~= byte
    }
}

/// A buffered supply of random bytes, because ten thousand system calls for as many names take too long.
struct RandomSupply {
  private var rest: ArraySlice<UInt8> = []

  /// The next random bytes, at most 1024.
  mutating func next(_ count: Int) -> [UInt8] {
    if rest.count < count { rest = randomBytes(1024)[...] }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}

func randomBytes(_ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  bytes.withUnsafeMutableBytes { Sodium.randomize($0) }
  return bytes
}

private func uuid(_ random: [UInt8], version: UInt8) -> String {
  var bytes = random
  bytes[6] = bytes[6] & 0x0f | version << 4
  bytes[8] = bytes[8] & 0x3f | 0x80
  let digits = hexadecimalDigits(bytes)
  let text = [UInt8](unsafeUninitializedCapacity: 36) { text, count in
    var next = 0
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) {
        text[next] = UInt8(ascii: "-")
        next += 1
      }
      text[next] = digit
      next += 1
    }
    count = next
  }
  return String(decoding: text, as: UTF8.self)
}
