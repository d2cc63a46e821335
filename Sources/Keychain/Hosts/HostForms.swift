import Bytes
import Glibc

/// The forms in which one host may be written. Items keep their form, and a query finds all.
///
/// Only forms that every resolver equates count: the two of a name with letters beyond ASCII (RFC 5891, section 4.4),
/// and those of an IPv6 address (RFC 4291, section 2.2). A name with a final dot is another one (RFC 3986, section
/// 3.2.2): without it, a resolver may look for the name below other domains. So the dot counts only in a question,
/// which is then more exact than the stored name, and only for https, where the server proves its name.
package enum HostForms {
  /// The other forms of a host in a query over a protocol; none for nearly all hosts.
  static func others(askedFor host: ByteString, _ protocol: ByteString) -> [ByteString] {
    guard isSpecial(host) else { return [] }
    let host = host.lowercased
    var forms = symmetric(host)
    if let whole = withoutDot(host, `protocol`) { forms += [whole] + symmetric(whole) }
    var others: [ByteString] = []
    for form in forms where form != host && !others.contains(form) { others.append(form) }
    return others
  }

  /// Whether a query for one host finds an item of the other.
  static func answers(_ host: ByteString, askedFor asked: ByteString, _ protocol: ByteString) -> Bool {
    if areSame(host, asked) { return true }
    return withoutDot(asked.lowercased, `protocol`).map { areSame(host, $0) } ?? false
  }

  /// The form that patterns are compared with: in small letters, as sent to name servers, without a final dot.
  package static func forPatterns(_ host: ByteString) -> ByteString {
    let sent = asciiForm(host.lowercased)
    return sent.bytes.last == UInt8(ascii: ".") ? ByteString(Array(sent.bytes.dropLast())) : sent
  }

  package static func areSame(_ one: ByteString, _ other: ByteString) -> Bool {
    if one.isEqualIgnoringCase(other) { return true }
    guard isSpecial(one), isSpecial(other) else { return false }
    if let address = address(one) { return address == Self.address(other) }
    return asciiForm(one.lowercased) == asciiForm(other.lowercased)
  }

  /// The form of a name for name servers: letters of ASCII, digits, hyphens and dots; `nil` if it is uncertain.
  package static func forNameServers(_ name: ByteString) -> ByteString? {
    let form = asciiForm(name.lowercased)
    let isPlain = form.bytes.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."): true
      default: false
      }
    }
    return isPlain ? form : nil
  }

  /// Whether a host may have more forms: it isn't plain ASCII, or has a label `xn--…`, an IPv6 colon, or a final dot.
  @inline(__always)
  private static func isSpecial(_ host: ByteString) -> Bool {
    // Nearly every host has none of these, which one pass finds out.
    var isPlain = host.bytes.last != UInt8(ascii: ".")
    var former: UInt8 = 0
    for byte in host.bytes {
      if byte >= 0x80 || byte == UInt8(ascii: ":") || byte == former && byte == UInt8(ascii: "-") {
        isPlain = false
      }
      former = byte
    }
    return !isPlain
  }

  private static func symmetric(_ host: ByteString) -> [ByteString] {
    if let address = address(host) { return texts(address) }
    return [asciiForm(host), unicodeForm(host)]
  }

  private static func withoutDot(_ host: ByteString, _ protocol: ByteString) -> ByteString? {
    let dot = UInt8(ascii: ".")
    guard host.bytes.last == dot, `protocol`.isEqualIgnoringCase("https") else { return nil }
    let name = host.bytes.dropLast()
    guard let inner = name.lastIndex(of: dot), inner > 0, inner < name.count - 1 else { return nil }
    // A number with a final dot is no address any more.
    if name[(inner + 1)...].allSatisfy({ 0x30...0x39 ~= $0 }) { return nil }
    return ByteString(Array(name))
  }

  // MARK: Addresses

  /// The bytes of an IPv6 address; `nil` for everything else.
  private static func address(_ host: ByteString) -> [UInt8]? {
    // C would end the text at a NUL.
    guard host.bytes.contains(UInt8(ascii: ":")), !host.bytes.contains(0), let text = host.text
    else { return nil }
    var address = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, text, &address) == 1 ? address : nil
  }

  /// The usual texts of an address: the short one of RFC 5952, and groups without and with leading zeros.
  private static func texts(_ address: [UInt8]) -> [ByteString] {
    var short = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, address, &short, socklen_t(short.count))
    let digits = hexadecimalDigits(address)
    var plain: [UInt8] = []
    var full: [UInt8] = []
    for group in stride(from: 0, to: address.count, by: 2) {
      let four = digits[2 * group..<2 * group + 4]
      if group > 0 {
        plain.append(UInt8(ascii: ":"))
        full.append(UInt8(ascii: ":"))
      }
      let significant = four.drop { $0 == UInt8(ascii: "0") }
      plain += significant.isEmpty ? [UInt8(ascii: "0")] : Array(significant)
      full += four
    }
    let text = short.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return [ByteString(text), ByteString(plain), ByteString(full)]
  }

  // MARK: Names

  private static let mark = Array("xn--".utf8)

  /// The name with each label as sent to name servers. An uncertain label stays as it is.
  private static func asciiForm(_ host: ByteString) -> ByteString {
    labels(of: host) { label in
      String(validating: label, as: UTF8.self).flatMap { asciiLabel(Array($0.unicodeScalars)) }
    }
  }

  /// The name with each label as people read it. An uncertain label stays as it is.
  private static func unicodeForm(_ host: ByteString) -> ByteString {
    labels(of: host) { label in
      guard label.starts(with: mark), let decoded = Punycode.decode(label.dropFirst(mark.count)),
        asciiLabel(decoded)?.elementsEqual(label) == true
      else { return nil }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: decoded)
      return Array(String(text).utf8)
    }
  }

  /// A label's form for name servers; `nil` if it is uncertain, or the label has it already.
  private static func asciiLabel(_ label: [Unicode.Scalar]) -> [UInt8]? {
    // Only such forms have two hyphens there (RFC 5891, section 4.2.3.1).
    if label.count > 3, label[2] == "-", label[3] == "-" { return nil }
    return hasOneForm(label) ? Punycode.encode(label).map { mark + $0 } : nil
  }

  private static func labels(of host: ByteString, _ form: (ArraySlice<UInt8>) -> [UInt8]?) -> ByteString {
    let dot = UInt8(ascii: ".")
    var text: [UInt8] = []
    for (index, label) in host.bytes.split(separator: dot, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { text.append(dot) }
      text += form(label) ?? Array(label)
    }
    return ByteString(text)
  }

  /// Whether a label has letters beyond ASCII that every program takes as they are: none is mapped to something else,
  /// composed with its neighbours, or read in one way by older programs and in another by newer ones, like `ß` (RFC
  /// 5894, section 7.2). Many more labels are like that; they count only as they are written.
  private static func hasOneForm(_ label: [Unicode.Scalar]) -> Bool {
    var isASCII = true
    for scalar in label {
      switch scalar.value {
      case 0x2d, 0x30...0x39, 0x61...0x7a: break
      // Small Latin letters.
      case 0xe0...0xf6, 0xf8...0xff: isASCII = false
      case 0x100...0x131, 0x134...0x137, 0x14a...0x177:
        if scalar.value % 2 == 0 { return false }
        isASCII = false
      case 0x13a...0x13e, 0x142...0x148, 0x17a...0x17e:
        if scalar.value % 2 == 1 { return false }
        isASCII = false
      // Small Greek letters without final sigma, and small Cyrillic ones.
      case 0x3ac...0x3c1, 0x3c3...0x3ce, 0x430...0x45f: isASCII = false
      // Hebrew and Arabic letters without marks.
      case 0x5d0...0x5ea, 0x620...0x63f, 0x641...0x64a: isASCII = false
      // Kana, Han, Hangul.
      case 0x3041...0x3096, 0x30a1...0x30fa, 0x30fc, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xac00...0xd7a3:
        isASCII = false
      default: return false
      }
    }
    return !isASCII
  }
}
