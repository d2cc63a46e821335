import Keychain

/// Text with every invisible control character shown as `\u{…}`, so that an item's attributes can neither drive the
/// terminal nor reorder what is on it (CVE-2024-50349, CVE-2021-42574).
func terminalText(_ text: String) -> String {
  if !text.unicodeScalars.contains(where: { isInvisibleControl($0.value) }) { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    if isInvisibleControl(scalar.value) {
      shown += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// A number with what it counts: `1 item`, `2 items`.
func countText(_ count: Int, _ what: String) -> String {
  count == 1 ? "1 \(what)" : "\(count) \(what)s"
}

/// Lines of columns, each as wide as its longest cell, two spaces between them.
func columns(_ rows: [[String]]) -> String {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.count)
    }
  }
  var text = ""
  for row in rows {
    var line = ""
    for (column, cell) in row.enumerated() {
      line += cell
      if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
    }
    while line.last == " " { line.removeLast() }
    text += line + "\n"
  }
  return text
}
