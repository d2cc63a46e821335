import Age
import Bytes
public import Keychain

/// A generated passphrase to keep on paper: 130 random bits and a checksum, in 28 characters that can be read aloud.
///
/// The code is seven groups of four characters of Crockford's base 32, separated by dashes. In this form it is the
/// passphrase of an age file. Each character stands for an element of GF(32) with the polynomial x^5 + x^2 + 1; the
/// last two are chosen so that both the sum of all characters and the sum of all times α^position are zero. That is a
/// Reed-Solomon code of distance 3: one or two wrong characters are always detected, a single one can be located, and
/// two exchanged characters are distinguished from it.
public struct RecoveryCode: ~Copyable {
  /// The code as printed, 34 bytes.
  public let text: Secret

  /// The number of characters, not counting dashes.
  static let symbolCount = 28
  private static let randomCount = 26
  private static let groupSize = 4
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Draws a code.
  public init() {
    var symbols = Secret(capacity: Self.symbolCount)
    symbols.append(count: Self.randomCount) { buffer in
      Sodium.randomize(buffer)
      for index in 0..<buffer.count { buffer[index] &= 31 }
      return buffer.count
    }
    let sums = symbols.withUnsafeBytes { Self.sums($0) }
    // c26 + c27 = sum and c26 α^26 + c27 α^27 = weighted, solved for c27.
    let last = GF32.divide(
      sums.weighted ^ GF32.multiply(sums.plain, GF32.power(26)), by: GF32.power(26) ^ GF32.power(27))
    symbols.append(sums.plain ^ last)
    symbols.append(last)
    text = Self.print(symbols)
  }

  enum Reading: ~Copyable {
    case otherText
    /// A code with a correct checksum, in its printed form.
    case code(RecoveryCode)
    /// It has a typing error, most likely in one of these groups, which count from 1; empty if unknown. `isGrouped` if
    /// it is typed in groups of four, like a printed code.
    case mistyped(groups: [Int], isGrouped: Bool)
  }

  /// Reads a code. Case, spaces and dashes don't matter; O is taken for 0, I and L for 1 (Crockford, "Base 32").
  static func read(_ text: UnsafeRawBufferPointer) -> Reading {
    var symbols = Secret(capacity: symbolCount)
    // The number of characters before each dash or space.
    var breaks: [Int] = []
    for byte in text {
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") {
        if breaks.last != symbols.count { breaks.append(symbols.count) }
        continue
      }
      guard let symbol = symbol(byte), symbols.count < symbolCount else { return .otherText }
      symbols.append(symbol)
    }
    guard symbols.count == symbolCount else { return .otherText }
    let sums = symbols.withUnsafeBytes { Self.sums($0) }
    if sums.plain == 0, sums.weighted == 0 { return .code(RecoveryCode(text: Self.print(symbols))) }
    let groups = symbols.withUnsafeBytes { faultyGroups($0, sums) }
    let isGrouped = breaks.filter { 1..<symbolCount ~= $0 } == Array(stride(from: 4, to: symbolCount, by: 4))
    return .mistyped(groups: groups, isGrouped: isGrouped)
  }

  /// Whether text could be taken for a code, even a mistyped one. No other passphrase should be like that.
  public static func isLike(_ text: borrowing Secret) -> Bool {
    text.withUnsafeBytes { text in
      switch read(text) {
      case .otherText: false
      case .code: true
      case .mistyped: true
      }
    }
  }

  private init(text: consuming Secret) { self.text = text }

  private static func symbol(_ byte: UInt8) -> UInt8? {
    let capital = 0x61...0x7a ~= byte ? byte & 0xdf : byte
    switch capital {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return alphabet.firstIndex(of: capital).map { UInt8($0) }
    }
  }

  private static func print(_ symbols: borrowing Secret) -> Secret {
    var text = Secret(capacity: symbolCount + symbolCount / groupSize)
    symbols.withUnsafeBytes { symbols in
      for (index, symbol) in symbols.enumerated() {
        if index > 0, index % groupSize == 0 { text.append(UInt8(ascii: "-")) }
        text.append(alphabet[Int(symbol)])
      }
    }
    return text
  }

  private static func sums(_ symbols: UnsafeRawBufferPointer) -> (plain: UInt8, weighted: UInt8) {
    var sums: (plain: UInt8, weighted: UInt8) = (0, 0)
    var weight: UInt8 = 1
    for symbol in symbols {
      sums.plain ^= symbol
      sums.weighted ^= GF32.multiply(symbol, weight)
      weight = GF32.multiply(weight, GF32.alpha)
    }
    return sums
  }

  /// The groups in which one wrong character, or two swapped neighbours, would explain the sums.
  private static func faultyGroups(
    _ symbols: UnsafeRawBufferPointer, _ sums: (plain: UInt8, weighted: UInt8)
  ) -> [Int] {
    var groups: Set<Int> = []
    var weight: UInt8 = 1
    for index in 0..<symbolCount {
      let next = GF32.multiply(weight, GF32.alpha)
      if sums.plain != 0 {
        if GF32.multiply(sums.plain, weight) == sums.weighted { groups.insert(index / groupSize) }
      } else if index + 1 < symbolCount {
        // Swapping two characters doesn't change the plain sum.
        let difference = symbols[index] ^ symbols[index + 1]
        if GF32.multiply(difference, weight ^ next) == sums.weighted {
          groups.formUnion([index / groupSize, (index + 1) / groupSize])
        }
      }
      weight = next
    }
    // Too many possibilities are not reported.
    return groups.count <= 2 ? groups.sorted().map { $0 + 1 } : []
  }
}

/// A new recovery code of a slot, to be shown only once.
public final class NewRecoveryCode: Sendable {
  /// The slot.
  public let id: String
  /// The code as printed.
  public let text: Secret

  init(_ code: borrowing RecoveryCode, id: String) {
    self.id = id
    text = code.text.copy()
  }
}

/// The field of 32 elements with α = x and x^5 = x^2 + 1.
private enum GF32 {
  static let alpha: UInt8 = 2

  static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for bit in (0..<5).reversed() {
      product = product << 1
      product ^= (product >> 5 & 1) &* 0b10_0101
      product ^= (right >> UInt8(bit) & 1) &* left
    }
    return product
  }

  static func power(_ exponent: Int) -> UInt8 {
    var value: UInt8 = 1
    for _ in 0..<exponent { value = multiply(value, alpha) }
    return value
  }

  static func divide(_ dividend: UInt8, by divisor: UInt8) -> UInt8 {
    // The multiplicative group has 31 elements, so the 30th power is the inverse.
    var inverse: UInt8 = 1
    for _ in 0..<30 { inverse = multiply(inverse, divisor) }
    return multiply(dividend, inverse)
  }
}
