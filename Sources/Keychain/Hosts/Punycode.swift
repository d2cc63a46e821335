/// Unicode in the letters, digits and hyphens of host names (RFC 3492).
enum Punycode {
  // Section 5.
  private static let base: UInt32 = 36
  private static let (tMin, tMax): (UInt32, UInt32) = (1, 26)
  private static let (skew, damp): (UInt32, UInt32) = (38, 700)
  private static let firstBias: UInt32 = 72
  private static let firstScalar: UInt32 = 0x80
  /// The longest label, in bytes (RFC 1035, section 2.3.4), without its `xn--`.
  private static let longest = 63 - 4

  /// Encodes a label; `nil` if it is too long (section 6.3).
  static func encode(_ label: [Unicode.Scalar]) -> [UInt8]? {
    if label.count > longest { return nil }
    var text = label.filter(\.isASCII).map { UInt8($0.value) }
    let basic = UInt32(text.count)
    var handled = basic
    if basic > 0 { text.append(UInt8(ascii: "-")) }
    var (scalar, delta, bias) = (firstScalar, UInt32(0), firstBias)
    while handled < label.count {
      guard let next = label.lazy.map(\.value).filter({ $0 >= scalar }).min() else { return nil }
      delta += (next - scalar) * (handled + 1)
      scalar = next
      for each in label {
        if each.value < scalar { delta += 1 }
        if each.value != scalar { continue }
        var rest = delta
        var k = base
        while true {
          let threshold = threshold(k, bias)
          if rest < threshold { break }
          text.append(digit(threshold + (rest - threshold) % (base - threshold)))
          rest = (rest - threshold) / (base - threshold)
          k += base
        }
        text.append(digit(rest))
        bias = adapted(delta, points: handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      scalar += 1
    }
    return text.count > longest ? nil : text
  }

  /// Decodes a label in lower case; `nil` if it can't be (section 6.2).
  static func decode(_ text: ArraySlice<UInt8>) -> [Unicode.Scalar]? {
    if text.count > longest { return nil }
    let hyphen = text.lastIndex(of: UInt8(ascii: "-"))
    var label: [Unicode.Scalar] = []
    for byte in text[..<(hyphen ?? text.startIndex)] {
      if byte >= 0x80 { return nil }
      label.append(Unicode.Scalar(byte))
    }
    var rest = text[(hyphen.map { $0 + 1 } ?? text.startIndex)...]
    var (scalar, index, bias) = (firstScalar, UInt32(0), firstBias)
    while !rest.isEmpty {
      let former = index
      var (weight, k) = (UInt32(1), base)
      while true {
        guard let digit = rest.popFirst().flatMap(value) else { return nil }
        let (product, isTooLarge) = digit.multipliedReportingOverflow(by: weight)
        let (sum, overflows) = index.addingReportingOverflow(product)
        if isTooLarge || overflows { return nil }
        index = sum
        let threshold = threshold(k, bias)
        if digit < threshold { break }
        let (larger, isTooHeavy) = weight.multipliedReportingOverflow(by: base - threshold)
        if isTooHeavy { return nil }
        weight = larger
        k += base
      }
      let count = UInt32(label.count) + 1
      bias = adapted(index - former, points: count, isFirst: former == 0)
      let (next, isTooLarge) = scalar.addingReportingOverflow(index / count)
      guard !isTooLarge, let decoded = Unicode.Scalar(next) else { return nil }
      scalar = next
      index %= count
      label.insert(decoded, at: Int(index))
      index += 1
    }
    return label
  }

  private static func threshold(_ k: UInt32, _ bias: UInt32) -> UInt32 {
    k <= bias + tMin ? tMin : k >= bias + tMax ? tMax : k - bias
  }

  /// Section 6.1.
  private static func adapted(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / points
    var k: UInt32 = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case 0x61...0x7a: UInt32(digit) - 0x61
    case 0x30...0x39: UInt32(digit) - 0x30 + 26
    default: nil
    }
  }
}
