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

  /// A number of seconds in words, rounded the more, the longer it is: 1 min 40 s, 15 min, 1 h 59 min, 7 h 55 min, 1 d 5 h.
  package static func text(_ seconds: Int) -> String {
    let step = seconds < 120 ? 1 : seconds < 7200 ? 60 : seconds < 86_400 ? 300 : 3600
    let rounded = (min(seconds, .max - step) + step / 2) / step * step
    let parts = [
      (rounded / 86_400, "d"), (rounded / 3600 % 24, "h"), (rounded / 60 % 60, "min"), (rounded % 60, "s"),
    ].filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
