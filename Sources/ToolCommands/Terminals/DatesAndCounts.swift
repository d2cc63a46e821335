package import Bytes

/// A date for people, in UTC to the minute or the second: `2026-11-21 08:30Z`.
package func dateText(_ date: Timestamp, seconds: Bool = false) -> String {
  // 2026-11-21T08:30:00.125Z
  var text = Array(date.description.utf8.prefix(seconds ? 19 : 16))
  text[10] = UInt8(ascii: " ")
  text.append(UInt8(ascii: "Z"))
  return String(decoding: text, as: UTF8.self)
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
