/// Whether a character is invisible but affects a terminal or the order of text: C0, DEL, C1, the bidirectional
/// controls of Unicode's UAX #9, and the line and paragraph separators.
package func isInvisibleControl(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// Text with every invisible character shown as `\u{…}`, so that an item's attributes can't control the terminal,
/// reorder its contents, or imitate another item's (CVE-2024-50349, CVE-2021-42574).
package func showingInvisible(_ text: String) -> String {
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

/// Whether a character is invisible: controls of the terminal and the writing direction, line and paragraph
/// separators, and characters without width (UAX #44, Default_Ignorable_Code_Point). Variation selectors don't count:
/// ordinary text uses them to choose between two forms of a character.
package func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
  switch scalar.value {
  case 0xfe00...0xfe0f: return false
  case 0xfff9...0xfffb: return true
  default: return isInvisibleControl(scalar.value) || scalar.properties.isDefaultIgnorableCodePoint
  }
}

/// Whether a host name has an invisible character or white space. No real host has one (RFC 5892, section 2); such a
/// name imitates another host's.
package func hasInvisible(host: [UInt8]) -> Bool {
  if host.allSatisfy({ 0x21..<0x7f ~= $0 }) { return false }
  return String(decoding: host, as: UTF8.self).unicodeScalars.contains { scalar in
    isInvisible(scalar) || scalar.properties.isWhitespace || 0xfe00...0xfe0f ~= scalar.value
  }
}
