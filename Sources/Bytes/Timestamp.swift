/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since the Unix epoch, without leap seconds.
  public var milliseconds: Int64

  /// The moment `milliseconds` after the Unix epoch.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The moment `seconds` after the Unix epoch. A value that doesn't fit into milliseconds becomes the nearest one.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Whole seconds since the Unix epoch, rounded down.
  public var seconds: Int64 {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The current time (CLOCK_REALTIME).
  public static var now: Timestamp { Timestamp(milliseconds: Int64(SystemClock.date)) }

  /// Whether `left` is earlier than `right`.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T08:30:00.125Z`. Clamped to the years 0000 to 9999.
  public var description: String { String(decoding: text, as: UTF8.self) }

  package var text: [UInt8] {
    let bounded = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let days = bounded >= 0 ? bounded / 86_400_000 : (bounded - 86_399_999) / 86_400_000
    let ofDay = bounded - days * 86_400_000
    let (year, month, day) = Self.civilDate(ofDay: days)
    var text = Array("0000-00-00T00:00:00.000Z".utf8)
    func put(_ value: Int64, endingAt end: Int) {
      var rest = value
      var index = end
      while rest > 0 {
        text[index] += UInt8(rest % 10)
        rest /= 10
        index -= 1
      }
    }
    put(year, endingAt: 3)
    put(month, endingAt: 6)
    put(day, endingAt: 9)
    put(ofDay / 3_600_000, endingAt: 12)
    put(ofDay / 60_000 % 60, endingAt: 15)
    put(ofDay / 1000 % 60, endingAt: 18)
    put(ofDay % 1000, endingAt: 22)
    return text
  }

  /// Reads a `date-time` of RFC 3339 (section 5.6) in any of its forms; `nil` for any other text. Of a fraction the
  /// milliseconds count. A leap second is read only where one may be, as the second before.
  @inlinable
  public init?(rfc3339 text: some Sequence<UInt8>) {
    guard let read = Array(text).withUnsafeBytes({ Timestamp(rfc3339: $0) }) else { return nil }
    self = read
  }

  /// The same, apart because generic code called from another module is slow at first.
  @usableFromInline
  package init?(rfc3339 text: UnsafeRawBufferPointer) {
    func number(_ start: Int, _ length: Int) -> Int64 {
      var value: Int64 = 0
      for index in start..<start + length {
        guard 0x30...0x39 ~= text[index] else { return -1 }
        value = value * 10 + Int64(text[index] - 0x30)
      }
      return value
    }
    func has(_ byte: UInt8, at index: Int) -> Bool { text[index] | 0x20 == byte | 0x20 }
    guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      has(UInt8(ascii: "T"), at: 10), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { return nil }
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
    guard year >= 0, 1...12 ~= month, 1...31 ~= day, 0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second else {
      return nil
    }
    var end = 19
    var fraction: Int64 = 0
    if text[19] == UInt8(ascii: ".") {
      end = text[20...].firstIndex { !(0x30...0x39 ~= $0) } ?? text.count
      if end == 20 { return nil }
      for index in 20..<23 { fraction = fraction * 10 + (index < end ? Int64(text[index] - 0x30) : 0) }
    }
    var offset: Int64 = 0
    if text.count == end + 6, [0x2b, 0x2d].contains(text[end]), text[end + 3] == UInt8(ascii: ":") {
      let (hours, minutes) = (number(end + 1, 2), number(end + 4, 2))
      guard 0..<24 ~= hours, 0..<60 ~= minutes else { return nil }
      offset = (hours * 60 + minutes) * (text[end] == 0x2d ? -1 : 1)
    } else if text.count != end + 1 || !has(UInt8(ascii: "Z"), at: end) {
      return nil
    }
    let days = Self.dayNumber(year: year, month: month, day: day)
    // 30 February would be a day in March.
    guard Self.civilDate(ofDay: days) == (year, month, day) else { return nil }
    let minutes = (days * 24 + hour) * 60 + minute - offset
    // A leap second ends a day.
    if second == 60, (minutes + 1) % 1440 != 0 { return nil }
    milliseconds = minutes * 60_000 + min(second, 59) * 1000 + fraction
  }

  // Both directions count days in 400-year eras of 146,097 days whose years begin on 1 March, so that the leap day is
  // the last day of a year (the proleptic Gregorian calendar of ISO 8601).
  private static func civilDate(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
  }
}
