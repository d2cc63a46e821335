public import Bytes

/// The secret of one-time codes, with their parameters.
///
/// Its text is an `otpauth:` URL, which services show as a picture and other programs keep. There is no standard; this
/// accepts Google's "Key Uri Format", and KeePassXC's `encoder=steam` for Steam.
public struct OneTimeCodeSecret: ~Copyable {
  /// The moving factor of the codes.
  public enum Moving: Hashable, Sendable {
    /// Time (RFC 6238), with the period in seconds.
    case time(period: Int64)
    /// Use (RFC 4226), with the counter of the next code.
    case counter(UInt64)
  }

  /// A hash function.
  public enum Algorithm: String, CaseIterable, Sendable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"
  }

  /// The form of a code.
  public enum Form: Hashable, Sendable {
    /// 6 to 8 decimal digits.
    case digits(Int)
    /// Five letters and digits, for Steam.
    case steam
  }

  /// The moving factor.
  public private(set) var moving = Moving.time(period: 30)
  /// The hash function.
  public private(set) var algorithm = Algorithm.sha1
  /// The form of a code.
  public private(set) var form = Form.digits(6)
  /// The issuer in the URL; may be empty.
  public private(set) var issuer: ByteString = ""
  /// The account in the URL; may be empty.
  public private(set) var account: ByteString = ""
  var key = Secret()

  /// The longest period in seconds.
  static let longestPeriod: Int64 = 86_400

  /// Parses a URL.
  ///
  /// - Parameter url: `otpauth://totp/LABEL?secret=BASE32`, or `hotp` with `counter=N`; further `algorithm`, `digits`,
  ///   `period`, `encoder`.
  /// - Returns: `nil` if it is no such URL, lacks the secret or the counter, repeats one of these, or has a value out
  ///   of bounds.
  public init?(url: UnsafeRawBufferPointer) {
    let scheme = "otpauth://"
    guard url.count > scheme.utf8.count, zip(url, scheme.utf8).allSatisfy({ lowercased($0) == $1 }),
      let question = url.firstIndex(of: UInt8(ascii: "?"))
    else { return nil }
    let type = url[scheme.utf8.count..<question].prefix { $0 != UInt8(ascii: "/") }
    let counts: Bool
    switch String(decoding: type.map(lowercased), as: UTF8.self) {
    case "totp": counts = false
    case "hotp": counts = true
    default: return nil
    }
    takeLabel(url[scheme.utf8.count..<question].drop { $0 != UInt8(ascii: "/") }.dropFirst())
    var names: Set<String> = []
    var counter: UInt64?
    for part in url[(question + 1)...].split(separator: UInt8(ascii: "&")) {
      let name = String(decoding: part.prefix { $0 != UInt8(ascii: "=") }.map(lowercased), as: UTF8.self)
      guard let value = PercentEncoding.decodedSecret(part.dropFirst(name.utf8.count + 1)) else { return nil }
      switch name {
      case "issuer":
        issuer = ByteString(value)
        continue
      case "secret", "counter", "digits", "period", "algorithm", "encoder":
        guard names.insert(name).inserted else { return nil }
      default: continue
      }
      switch name {
      case "secret":
        guard let key = value.withUnsafeBytes({ Base32.decode($0) }) else { return nil }
        self.key = key
      case "counter":
        guard let number = number(value, UInt64.self) else { return nil }
        counter = number
      case "digits":
        guard let number = number(value, Int.self), 5...8 ~= number else { return nil }
        form = .digits(number)
      case "period":
        guard let number = number(value, Int64.self), 1...Self.longestPeriod ~= number else { return nil }
        moving = .time(period: number)
      case "algorithm":
        guard let algorithm = Self.algorithm(value) else { return nil }
        self.algorithm = algorithm
      default:
        guard value.withUnsafeBytes({ $0.map(lowercased).elementsEqual("steam".utf8) }) else { return nil }
        form = .steam
      }
    }
    if key.isEmpty { return nil }
    // Only Steam's have five.
    if form == .digits(5) {
      guard names.contains("encoder") else { return nil }
      form = .steam
    } else if names.contains("encoder") {
      form = .steam
    }
    if counts {
      guard let counter else { return nil }
      moving = .counter(counter)
    }
  }

  /// Takes a label, `ISSUER:ACCOUNT` or `ACCOUNT`. An issuer given as parameter takes precedence.
  private mutating func takeLabel(_ label: Slice<UnsafeRawBufferPointer>) {
    guard case .some(let label) = PercentEncoding.decodedSecret(label) else { return }
    label.withUnsafeBytes { label in
      let colon = label.firstIndex(of: UInt8(ascii: ":"))
      if let colon { issuer = ByteString(label.slice(..<colon)) }
      let rest = label[(colon.map { $0 + 1 } ?? 0)...].drop { $0 == 0x20 }
      account = ByteString(rest.whole)
    }
  }

  /// Lends the key in Base32, in upper case without padding (RFC 4648 section 6).
  public borrowing func withKeyText<Result>(_ body: (borrowing Secret) -> Result) -> Result {
    body(key.withUnsafeBytes { Base32.encode($0) })
  }

  private static func algorithm(_ text: borrowing Secret) -> Algorithm? {
    // Some write SHA-256, some HmacSHA256.
    var letters = text.withUnsafeBytes { $0.filter { $0 != UInt8(ascii: "-") }.map(uppercased) }
    if letters.starts(with: "HMAC".utf8) { letters.removeFirst(4) }
    return Algorithm.allCases.first { letters.elementsEqual($0.rawValue.utf8) }
  }
}

private func number<Number: FixedWidthInteger>(_ text: borrowing Secret, _: Number.Type) -> Number? {
  text.withUnsafeBytes { text in
    guard 1...20 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Number(String(decoding: text, as: UTF8.self))
  }
}

func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
func uppercased(_ byte: UInt8) -> UInt8 { 0x61...0x7a ~= byte ? byte & 0xdf : byte }
