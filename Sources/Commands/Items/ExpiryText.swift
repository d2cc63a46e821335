import Bytes
import Keychain
import ToolCommands

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
    guard bytes.count >= 20 else { return nil }
    let hasSpace = bytes[10] == UInt8(ascii: " ")
    return Timestamp(rfc3339: hasSpace ? bytes[..<10] + [UInt8(ascii: "T")] + bytes[11...] : bytes[...])?
      .seconds
  }
}
