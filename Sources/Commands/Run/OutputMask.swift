import Bytes

/// Hides secrets in a stream of bytes: plain, in percent-encoding, and in base64, where they may begin at any byte of
/// the encoded data, and may be broken into lines.
///
/// It holds a possible beginning of a secret back until the next bytes decide.
struct OutputMask: ~Copyable {
  static let mask: StaticString = "<hidden by llavero>"
  /// The shortest base64 to look for. Many words contain anything shorter.
  private static let leastBase64 = 5

  private struct Form {
    enum Kind { case raw, percentEncoded, base64 }

    let range: Range<Int>
    let kind: Kind
  }

  private enum Match {
    case none
    case whole(Int)
    /// The bytes so far match, and there are no more.
    case undecided
  }

  private var text = Secret()
  private var forms: [Form] = []
  /// Whether a form may begin with a byte.
  private var begins = [Bool](repeating: false, count: 256)
  private var pending = Secret()

  /// - Parameter each: calls its argument with each secret.
  init(hiding each: ((UnsafeRawBufferPointer) -> Void) -> Void) {
    var mask = OutputMask()
    each { mask.hide($0) }
    self = mask
  }

  private init() {}

  /// An empty secret can't be hidden.
  private mutating func hide(_ secret: UnsafeRawBufferPointer) {
    if secret.isEmpty { return }
    add(secret, .raw)
    add(secret, .percentEncoded)
    for offset in 0..<3 {
      var shifted = Secret()
      for _ in 0..<offset { shifted.append(0) }
      shifted.append(secret)
      var encoded = Secret()
      shifted.withUnsafeBytes { Base64.encode($0, to: &encoded) }
      // Without the characters that share bits with neighbours.
      let first = (offset * 8 + 5) / 6
      let last = shifted.count * 8 / 6
      if last - first >= Self.leastBase64 {
        encoded.withUnsafeBytes { add(UnsafeRawBufferPointer(rebasing: $0[first..<last]), .base64) }
      }
    }
  }

  private mutating func add(_ form: UnsafeRawBufferPointer, _ kind: Form.Kind) {
    forms.append(Form(range: text.count..<(text.count + form.count), kind: kind))
    text.append(form)
    var first = [form[0]]
    switch (kind, form[0]) {
    case (.percentEncoded, let byte):
      first += byte == 0x20 ? [UInt8(ascii: "%"), UInt8(ascii: "+")] : [UInt8(ascii: "%")]
    case (.base64, UInt8(ascii: "+")): first.append(UInt8(ascii: "-"))
    case (.base64, UInt8(ascii: "/")): first.append(UInt8(ascii: "_"))
    default: break
    }
    for byte in first { begins[Int(byte)] = true }
  }

  /// Takes the next bytes, and returns those that can be shown.
  ///
  /// - Parameter isEnd: whether nothing follows.
  mutating func pass(_ bytes: UnsafeRawBufferPointer, isEnd: Bool = false) -> Secret {
    pending.append(bytes)
    var shown = Secret(capacity: pending.count)
    var index = 0
    pending.withUnsafeBytes { pending in
      while index < pending.count {
        guard begins[Int(pending[index])] else {
          shown.append(pending[index])
          index += 1
          continue
        }
        switch longestMatch(pending[index...], isEnd) {
        case .undecided: return
        case .whole(let length):
          guard let end = self.end(ofMatch: index..<(index + length), in: pending, isEnd) else { return }
          shown.append(Self.mask)
          index = end
        case .none:
          shown.append(pending[index])
          index += 1
        }
      }
    }
    let rest = pending.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[index...])) }
    pending = rest
    return shown
  }

  /// The end of the last secret in a chain of overlaps that begins with a match; `nil` if the bytes that decide
  /// haven't come yet.
  private func end(ofMatch match: Range<Int>, in bytes: UnsafeRawBufferPointer, _ isEnd: Bool) -> Int? {
    var end = match.upperBound
    var start = match.lowerBound + 1
    while start < end {
      if begins[Int(bytes[start])] {
        switch longestMatch(bytes[start...], isEnd) {
        case .undecided: return nil
        case .whole(let length): end = max(end, start + length)
        case .none: break
        }
      }
      start += 1
    }
    return end
  }

  private func longestMatch(_ bytes: Slice<UnsafeRawBufferPointer>, _ isEnd: Bool) -> Match {
    var longest = 0
    var isUndecided = false
    text.withUnsafeBytes { text in
      for form in forms {
        let wanted = UnsafeRawBufferPointer(rebasing: text[form.range])
        let match =
          switch form.kind {
          case .raw: Self.raw(wanted, bytes)
          case .percentEncoded: Self.percentEncoded(wanted, bytes)
          case .base64: Self.base64(wanted, bytes)
          }
        switch match {
        case .none: break
        case .whole(let length): longest = max(longest, length)
        case .undecided: isUndecided = true
        }
      }
    }
    if isUndecided, !isEnd { return .undecided }
    return longest > 0 ? .whole(longest) : .none
  }

  private static func raw(_ wanted: UnsafeRawBufferPointer, _ bytes: Slice<UnsafeRawBufferPointer>) -> Match {
    guard bytes.starts(with: wanted.prefix(bytes.count)) else { return .none }
    return bytes.count < wanted.count ? .undecided : .whole(wanted.count)
  }

  /// Compares with a secret whose bytes may be percent-encoded. A percent sign always is.
  private static func percentEncoded(
    _ wanted: UnsafeRawBufferPointer, _ bytes: Slice<UnsafeRawBufferPointer>
  ) -> Match {
    var index = bytes.startIndex
    for byte in wanted {
      guard index < bytes.endIndex else { return .undecided }
      let isPlain = bytes[index] == byte && byte != UInt8(ascii: "%")
      if isPlain || byte == 0x20 && bytes[index] == UInt8(ascii: "+") {
        index += 1
        continue
      }
      guard bytes[index] == UInt8(ascii: "%") else { return .none }
      for shift in [UInt8(4), 0] {
        index += 1
        guard index < bytes.endIndex else { return .undecided }
        guard digit(bytes[index]) == byte >> shift & 0xf else { return .none }
      }
      index += 1
    }
    return .whole(index - bytes.startIndex)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Compares with a part of base64 in either alphabet, possibly with line ends.
  private static func base64(_ wanted: UnsafeRawBufferPointer, _ bytes: Slice<UnsafeRawBufferPointer>)
    -> Match
  {
    var index = bytes.startIndex
    for byte in wanted {
      while index < bytes.endIndex, bytes[index] == 0x0a || bytes[index] == 0x0d { index += 1 }
      guard index < bytes.endIndex else { return .undecided }
      let isSame =
        switch byte {
        case UInt8(ascii: "+"): bytes[index] == byte || bytes[index] == UInt8(ascii: "-")
        case UInt8(ascii: "/"): bytes[index] == byte || bytes[index] == UInt8(ascii: "_")
        default: bytes[index] == byte
        }
      guard isSame else { return .none }
      index += 1
    }
    return .whole(index - bytes.startIndex)
  }
}
