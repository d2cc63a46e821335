package import Bytes
import Glibc

/// A date for people, to the minute or the second: in local time, `2026-11-21 09:30`, or in UTC, `2026-11-21 08:30Z`.
package func dateText(_ date: Timestamp, seconds: Bool = false, inUTC: Bool = false) -> String {
  // 2026-11-21T08:30:00.125Z
  var text = Array((inUTC ? date : date.shiftedToLocalTime).description.utf8.prefix(seconds ? 19 : 16))
  text[10] = UInt8(ascii: " ")
  if inUTC { text.append(UInt8(ascii: "Z")) }
  return String(decoding: text, as: UTF8.self)
}

extension Timestamp {
  /// The moment whose time in UTC is this one's by the clock on the wall.
  fileprivate var shiftedToLocalTime: Timestamp {
    var (second, local) = (time_t(seconds), tm())
    guard localtime_r(&second, &local) != nil else { return self }
    return Timestamp(milliseconds: milliseconds + Int64(local.tm_gmtoff) * 1000)
  }
}

package func countText(_ count: Int, _ what: String) -> String {
  count == 1 ? "1 \(what)" : "\(count) \(what)s"
}

extension String {
  /// Pads the text with spaces to a width, with at least one space.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
