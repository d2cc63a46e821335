package import Bytes

/// Text with every invisible character shown as `\u{…}`, so that an item's attributes can neither drive the terminal,
/// nor reorder what is on it, nor look like another's (CVE-2024-50349, CVE-2021-42574).
package func terminalText(_ text: String) -> String {
  if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) || !text.unicodeScalars.contains(where: isInvisible) {
    return text
  }
  var shown = ""
  for scalar in text.unicodeScalars {
    if isInvisible(scalar) {
      shown += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// A date for people, in UTC to the minute or the second: `2026-11-21 08:30Z`.
package func dateText(_ date: Timestamp, seconds: Bool = false) -> String {
  // 2026-11-21T08:30:00.125Z
  var text = Array(date.description.utf8.prefix(seconds ? 19 : 16))
  text[10] = UInt8(ascii: " ")
  text.append(UInt8(ascii: "Z"))
  return String(decoding: text, as: UTF8.self)
}

/// A number with what it counts: `1 item`, `2 items`.
package func countText(_ count: Int, _ what: String) -> String {
  count == 1 ? "1 \(what)" : "\(count) \(what)s"
}

/// Whether nothing is to be seen of it: controls of the terminal and of the writing direction, ends of lines and
/// paragraphs, and what has no width (UAX #44, Default_Ignorable_Code_Point). Variation selectors stay, with which
/// ordinary text chooses between two forms of a sign.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
  switch scalar.value {
  case 0xfe00...0xfe0f: return false
  case 0xfff9...0xfffb: return true
  default: return isInvisibleControl(scalar.value) || scalar.properties.isDefaultIgnorableCodePoint
  }
}

extension String {
  /// The text and spaces behind it up to a width, one at least.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
