import Bytes
import Keychain

/// A one-time code of the time (RFC 6238), from the URL `otpauth://totp/…` that services show as a picture.
/// With SHA-1, as nearly all of them use.
struct OneTimeCode: ~Copyable {
  private var key = Secret()
  private var digits = 6
  private var period: Int64 = 30

  /// Takes the URL apart; `nil` if it is none of this kind.
  init?(url: UnsafeRawBufferPointer) {
    guard url.starts(with: "otpauth://totp/".utf8), let question = url.firstIndex(of: UInt8(ascii: "?"))
    else {
      return nil
    }
    for part in url[(question + 1)...].split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 <= 0x20 }) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      if name.elementsEqual("secret".utf8) {
        guard take(key: value) else { return nil }
      } else if name.elementsEqual("digits".utf8) {
        guard let number = Int(String(decoding: value, as: UTF8.self)), 6...8 ~= number else { return nil }
        digits = number
      } else if name.elementsEqual("period".utf8) {
        guard let number = Int64(String(decoding: value, as: UTF8.self)), 1...3600 ~= number else {
          return nil
        }
        period = number
      } else if name.elementsEqual("algorithm".utf8), !value.elementsEqual("SHA1".utf8) {
        return nil
      }
    }
    if key.isEmpty { return nil }
  }

  /// Appends a key in Base32 (RFC 4648 section 6), with or without its padding.
  private mutating func take(key text: Slice<UnsafeRawBufferPointer>) -> Bool {
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in text where byte != UInt8(ascii: "=") {
      let value: UInt8
      switch byte {
      case 0x41...0x5a: value = byte - 0x41
      case 0x61...0x7a: value = byte - 0x61
      case 0x32...0x37: value = byte - 0x32 + 26
      default: return false
      }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        key.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return true
  }

  /// The code of the moment.
  consuming func text(at now: Timestamp) -> Secret {
    var counter = Secret()
    counter.append(bigEndian: now.seconds / period)
    let hash = SHA1.authenticate(counter, with: key)
    var number = hash.withUnsafeBytes { hash -> UInt32 in
      let offset = Int(hash[19] & 0xf)
      return (0..<4).reduce(0) { $0 << 8 | UInt32(hash[offset + $1]) } & 0x7fff_ffff
    }
    var text = Secret(count: digits) { _ in }
    text.withUnsafeMutableBytes { text in
      for index in text.indices.reversed() {
        text[index] = UInt8(ascii: "0") + UInt8(number % 10)
        number /= 10
      }
    }
    return text
  }
}

/// SHA-1 (FIPS 180-4), which one-time codes are made with. Nothing else may use it.
private enum SHA1 {
  /// HMAC (RFC 2104).
  static func authenticate(_ message: borrowing Secret, with key: borrowing Secret) -> Secret {
    var short = key.count > 64 ? hash(key) : key.copy()
    short.append(count: 64 - short.count) { $0.initializeMemory(as: UInt8.self, repeating: 0).count }
    func padded(_ mask: UInt8) -> Secret {
      var block = short.copy()
      block.withUnsafeMutableBytes { for index in $0.indices { $0[index] ^= mask } }
      return block
    }
    var inner = padded(0x36)
    inner.append(message)
    var outer = padded(0x5c)
    outer.append(hash(inner))
    return hash(outer)
  }

  static func hash(_ message: borrowing Secret) -> Secret {
    var text = message.copy()
    text.append(0x80)
    while text.count % 64 != 56 { text.append(0) }
    text.append(bigEndian: UInt64(message.count) * 8)
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    text.withUnsafeBytes { text in
      for block in stride(from: 0, to: text.count, by: 64) { mix(&state, text, block) }
    }
    var result = Secret()
    for word in state { result.append(bigEndian: word) }
    return result
  }

  private static func mix(_ state: inout [UInt32], _ text: UnsafeRawBufferPointer, _ block: Int) {
    func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    var words = (0..<16).map { text.loadUnaligned(fromByteOffset: block + $0 * 4, as: UInt32.self).bigEndian }
    for index in 16..<80 {
      words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (function, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next = rotated(a, 5) &+ function &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }
}
