import Bytes

/// Bech32 (BIP 173) without its length limit, as age uses it, between raw buffers.
package enum Bech32 {
  private static let alphabet: StaticString = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
  private static let checksumSize = 6

  /// The length of the text for `dataCount` bytes after a prefix of `prefixCount` characters.
  package static func encodedSize(prefixCount: Int, dataCount: Int) -> Int {
    prefixCount + 1 + (dataCount * 8 + 4) / 5 + checksumSize
  }

  /// Writes prefix, `1`, data and checksum to `output`, which must have exactly the encoded size. The prefix is
  /// printable ASCII in the case of the whole text.
  package static func encode(
    prefix: StaticString, data: UnsafeRawBufferPointer, uppercase: Bool,
    into output: UnsafeMutableRawBufferPointer
  ) {
    let prefix = prefix.bytes
    precondition(output.count == encodedSize(prefixCount: prefix.count, dataCount: data.count))
    let alphabet = alphabet.utf8Start
    var checksum = Checksum(prefix: prefix)
    var end = prefix.count + 1
    output.copyMemory(from: prefix)
    output[prefix.count] = UInt8(ascii: "1")
    func write(_ value: UInt32) {
      let character = alphabet[Int(value & 31)]
      output[end] = uppercase && character > UInt8(ascii: "9") ? character - 32 : character
      end += 1
    }

    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for byte in data {
      pending = (pending << 8 | UInt32(byte)) & 0xFFF
      bits += 8
      while bits >= 5 {
        bits -= 5
        checksum.add((pending >> bits) & 31)
        write(pending >> bits)
      }
    }
    if bits > 0 {
      checksum.add((pending << (5 - bits)) & 31)
      write(pending << (5 - bits))
    }
    for _ in 0..<checksumSize { checksum.add(0) }
    let remainder = checksum.remainder ^ 1
    for place in 0..<UInt32(checksumSize) { write(remainder >> (25 - 5 * place)) }
  }

  /// Decodes `text` into the beginning of `output` and returns the lengths of its prefix and its data. Throws
  /// ``AgeError/invalidKey(_:)`` for a character, mixed case, a missing separator, the checksum, the padding, or more
  /// data than `output` has room for.
  package static func decode(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) -> (prefixCount: Int, dataCount: Int) {
    var hasLower = false
    var hasUpper = false
    var separator: Int?
    for (index, character) in text.enumerated() {
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLower = true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hasUpper = true
      case UInt8(ascii: "1"): separator = index
      case 33...126: break
      default: throw .invalidKey(.character)
      }
    }
    guard !(hasLower && hasUpper) else { throw .invalidKey(.mixedCase) }
    guard let separator, separator > 0, text.count - separator > checksumSize else {
      throw .invalidKey(.separator)
    }
    let columns = text.count - separator - 1 - checksumSize
    guard columns * 5 / 8 <= output.count else { throw .invalidKey(.length) }

    var checksum = Checksum(prefix: text.part(0, separator))
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    var count = 0
    for (column, character) in text[(separator + 1)...].enumerated() {
      guard let value = quintet(character) else { throw .invalidKey(.character) }
      checksum.add(value)
      guard column < columns else { continue }
      pending = (pending << 5 | value) & 0xFFF
      bits += 5
      if bits >= 8 {
        bits -= 8
        output[count] = UInt8(truncatingIfNeeded: pending >> bits)
        count += 1
      }
    }
    guard checksum.remainder == 1 else { throw .invalidKey(.checksum) }
    guard bits < 5, pending & ((1 << bits) - 1) == 0 else { throw .invalidKey(.padding) }
    return (separator, count)
  }

  /// The values of the characters from `0` to `z`: their low five bits, in a byte from 0x40 on; `~` for none.
  private static let values: StaticString =
    #"O~JQUTZ^GE~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~]~XMYIHW~RV_[S~A@CPK\LNFDB"#

  /// Doesn't search, because every answer reads an identity.
  private static func quintet(_ character: UInt8) -> UInt32? {
    let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
    let lower = isUpper ? character + 32 : character
    guard (UInt8(ascii: "0")...UInt8(ascii: "z")).contains(lower) else { return nil }
    let value = values.utf8Start[Int(lower - UInt8(ascii: "0"))]
    return value == UInt8(ascii: "~") ? nil : UInt32(value & 31)
  }

  /// BIP 173's BCH code, fed one 5-bit value after the other.
  private struct Checksum {
    private(set) var remainder: UInt32 = 1

    init(prefix: UnsafeRawBufferPointer) {
      func lower(_ character: UInt8) -> UInt32 {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
        return UInt32(isUpper ? character + 32 : character)
      }
      for character in prefix { add(lower(character) >> 5) }
      add(0)
      for character in prefix { add(lower(character) & 31) }
    }

    mutating func add(_ value: UInt32) {
      let top = remainder >> 25
      remainder = (remainder & 0x1FF_FFFF) << 5 ^ value
      if top & 1 != 0 { remainder ^= 0x3B6A_57B2 }
      if top & 2 != 0 { remainder ^= 0x2650_8E6D }
      if top & 4 != 0 { remainder ^= 0x1EA1_19FA }
      if top & 8 != 0 { remainder ^= 0x3D42_33DD }
      if top & 16 != 0 { remainder ^= 0x2A14_62B3 }
    }
  }
}
