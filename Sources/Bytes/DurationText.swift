/// A duration as people write it: decimal digits and a unit, such as 90s, 15m, 8h, 2d or 6w.
package enum DurationText {
  /// The number of seconds in a text; `nil` if it is no duration, or a longer one.
  ///
  /// - Parameters:
  ///   - longest: the most seconds.
  ///   - hasWeeks: whether `w` is a unit, too.
  package static func seconds(_ text: String, upTo longest: Int, hasWeeks: Bool = false) -> Int? {
    let unit =
      switch text.utf8.last {
      case UInt8(ascii: "s"): 1
      case UInt8(ascii: "m"): 60
      case UInt8(ascii: "h"): 3600
      case UInt8(ascii: "d"): 86_400
      case UInt8(ascii: "w") where hasWeeks: 604_800
      default: 0
      }
    let digits = text.utf8.dropLast()
    guard unit > 0, 1...12 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
      let number = Int(text.dropLast()), number <= longest / unit
    else { return nil }
    return number * unit
  }

  /// A number of seconds in words, rounded down to its two largest units: 7 h 59 min.
  package static func text(_ seconds: Int) -> String {
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
    // With minutes, the seconds don't matter.
    let last = first == 2 ? first : first + 1
    return parts[first...min(last, 3)].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
