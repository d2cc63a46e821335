/// A text in lines of at most `width` columns, broken at spaces. A command in quotes stays whole, so that it can be pasted,
/// and so does a long word.
package func wrapped(_ text: String, to width: Int) -> [String] {
  var lines: [String] = []
  var line: String?
  for unit in units(of: text) {
    if let begun = line, displayWidth(begun) + 1 + displayWidth(unit) <= width {
      line = "\(begun) \(unit)"
    } else {
      if let line { lines.append(line) }
      line = unit
    }
  }
  return lines + [line ?? ""]
}

/// A text as lines of its own, broken at spaces to fit a terminal.
///
/// - Parameter width: the number of the terminal's columns; `nil` leaves the text on a line.
package func paragraph(_ text: String, wrappedTo width: Int?) -> TextForTerminal {
  let lines = width.map { wrapped(terminalText(text), to: $0) } ?? [text]
  return lines.reduce(into: "") { $0 += "\($1)\n" }
}

/// The words of a text, where all that is between single quotes is one.
private func units(of text: String) -> [String] {
  let words = text.split(separator: " ", omittingEmptySubsequences: false)
  var units: [String] = []
  var index = 0
  while index < words.count {
    // A quote that nothing closes is an apostrophe.
    let end = words[index].beginsQuote ? words[index...].firstIndex { $0.endsQuote } ?? index : index
    units.append(words[index...end].joined(separator: " "))
    index = end + 1
  }
  return units
}

extension Substring {
  fileprivate var beginsQuote: Bool { hasPrefix("'") || hasPrefix("('") }

  fileprivate var endsQuote: Bool {
    let word = utf8.drop { "('".utf8.contains($0) }
    guard let last = word.last(where: { !").,;:".utf8.contains($0) }) else { return false }
    return last == UInt8(ascii: "'")
  }
}
