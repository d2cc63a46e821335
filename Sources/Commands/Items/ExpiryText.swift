import Bytes
import Keychain
import Terminals

enum ExpiryText {
  /// The first second at which a secret has expired, since the Unix epoch; `nil` for `never`.
  ///
  /// A date means its start in UTC. A moment is written as in RFC 3339, with any offset. A time from now is a number
  /// of seconds, minutes, hours, days or weeks, such as `90s`, `30m`, `12h`, `30d`, `6w`.
  ///
  /// - Throws: ``KeychainError`` if the text is none of these, or the time is not after `now`.
  static func expiry(_ text: String, at now: Timestamp) throws(KeychainError) -> Int64? {
    if text == "never" { return nil }
    let bytes = Array(text.utf8)
    let span = DurationText.seconds(text, upTo: longest, hasWeeks: true)
    guard let seconds = span.map({ now.seconds + Int64($0) }) ?? date(bytes) ?? moment(bytes) else {
      throw .failure(
        "that is not a time when a secret could expire",
        hint: "there are 2027-01-31, 2027-01-31T12:00:00Z, 30d, 12h and never", status: .usage)
    }
    if seconds <= now.seconds {
      throw .failure(
        "\(dateText(Timestamp(seconds: seconds))) has passed already, and an expired secret never answers",
        status: .usage)
    }
    return seconds
  }

  /// The longest time from now: a hundred years of 365 days.
  private static let longest = 36_500 * 86_400

  private static func date(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count == 10 else { return nil }
    return Timestamp(rfc3339: bytes + Array("T00:00:00Z".utf8))?.seconds
  }

  /// A moment in RFC 3339 format (section 5.6). `T` and `Z` may be lowercase, a space may replace the `T`, and a
  /// fraction of any length is ignored.
  private static func moment(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count >= 20, [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10])
    else {
      return nil
    }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
      if fraction.isEmpty { return nil }
      rest = rest[fraction.endIndex...]
    }
    guard let offset = offset(Array(rest)) else { return nil }
    let plain = bytes[..<10] + [UInt8(ascii: "T")] + bytes[11..<19] + [UInt8(ascii: "Z")]
    return Timestamp(rfc3339: plain).map { $0.seconds - offset }
  }

  /// The seconds by which a zone is ahead of UTC.
  private static func offset(_ zone: [UInt8]) -> Int64? {
    if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
    guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = number(zone[1..<3]),
      let minutes = number(zone[4..<6]), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    switch zone[0] {
    case UInt8(ascii: "+"): return seconds
    case UInt8(ascii: "-"): return -seconds
    default: return nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard 1...12 ~= digits.count else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard 0x30...0x39 ~= digit else { return nil }
      number = number * 10 + Int64(digit - 0x30)
    }
    return number
  }
}
