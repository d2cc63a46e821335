import Keychain
import ToolCommands

/// Help on a terminal that is narrower than it is written for: prose is broken at spaces, and commands stay whole.
enum NarrowHelp {
  /// The width that help is written for.
  private static let usual = 80
  /// Lines that begin behind so many spaces, or fewer, are rows of a list, or commands to paste.
  private static let rowIndentation = 3
  /// From where on a line belongs to the option above it.
  private static let optionIndentation = 20
  /// Where ArgumentParser explains an option. One space can be before that.
  private static let optionColumn = 26

  /// Writes a text that is wrapped for 80 columns.
  static func write(_ text: String) throws(KeychainError) {
    let width = width
    try StandardStreams.write(raw: width.map { Self.text(text, to: $0) } ?? text)
  }

  /// A command's help. ArgumentParser would break commands, too.
  static func message(_ render: (_ columns: Int?) -> String) -> String {
    width.map { text(withShortUsage(render(100_000)), to: $0) } ?? withShortUsage(render(nil))
  }

  private static func withShortUsage(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { shortUsage(String($0)) }
      .joined(separator: "\n")
  }

  /// A usage that is too long, with one word for all options, as ArgumentParser writes it for a command with many.
  static func shortUsage(_ line: String) -> String {
    guard line.hasPrefix("USAGE: "), displayWidth(line) > usual else { return line }
    var words: [String] = []
    var isInOption = false
    for word in line.split(separator: " ") {
      if word.hasPrefix("[-") { isInOption = true }
      if !isInOption { words.append(String(word)) }
      if word.hasSuffix("]") { isInOption = false }
    }
    let end = words.firstIndex { word in word.first.map { "[<-".contains($0) } ?? false } ?? words.endIndex
    words.insert("[<options>]", at: end)
    return words.joined(separator: " ")
  }

  /// The terminal's width, if that is too narrow.
  private static var width: Int? { TerminalStyle().width.flatMap { $0 < usual ? $0 : nil } }

  static func text(_ text: String, to width: Int) -> String {
    var lines: [String] = []
    var paragraph = ""
    var last = ""
    func endParagraph() {
      if !paragraph.isEmpty { lines += wrapped(paragraph, to: width) }
      paragraph = ""
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      guard isProse(line) else {
        endParagraph()
        lines += Self.lines(of: line, width)
        continue
      }
      if !isBroken(last, line) { endParagraph() }
      paragraph += paragraph.isEmpty ? line : " \(line)"
      last = line
    }
    endParagraph()
    return lines.joined(separator: "\n")
  }

  /// Whether only the width had broken a sentence between two lines, so that they are joined again. A line may have been
  /// longer before the name of a program was put in.
  private static func isBroken(_ line: String, _ next: String) -> Bool {
    let firstWord = String(next.prefix { $0 != " " })
    if displayWidth(line) + 1 + displayWidth(firstWord) > usual - 4 { return true }
    guard let last = line.last, !".:!?".contains(last) else { return false }
    return next.first?.isUppercase == false
  }

  private static func isProse(_ line: String) -> Bool {
    !line.isEmpty && line.first != " " && gap(in: line) == nil
  }

  /// A row of a list, or a command.
  private static func lines(of line: String, _ width: Int) -> [String] {
    let indentation = line.prefix { $0 == " " }.count
    let text = String(line.dropFirst(indentation))
    if indentation >= optionIndentation {
      let isNarrow = width - indentation < Table.leastWrapped
      return indented(text, by: isNarrow ? Table.indentation : indentation, width)
    }
    if text.isEmpty || indentation > rowIndentation { return [line] }
    guard let gap = gap(in: text) ?? gap(in: text, afterOptionAt: indentation) else {
      // Commands begin with small letters.
      return text.first?.isUppercase == true ? indented(text, by: indentation, width) : [line]
    }
    let start = indentation + text.distance(from: text.startIndex, to: gap.upperBound)
    let (label, rest) = (String(text[..<gap.lowerBound]), String(text[gap.upperBound...]))
    let margin = String(repeating: " ", count: indentation)
    if width - start < Table.leastWrapped {
      return [margin + label] + indented(rest, by: Table.indentation, width)
    }
    var parts = indented(rest, by: start, width)
    parts[0] = margin + text[..<gap.upperBound] + wrapped(rest, to: width - start)[0]
    return parts
  }

  private static func indented(_ text: String, by indentation: Int, _ width: Int) -> [String] {
    wrapped(text, to: width - indentation).map { String(repeating: " ", count: indentation) + $0 }
  }

  private static func gap(in text: String, afterOptionAt indentation: Int) -> Range<String.Index>? {
    guard let first = text.first, "-<".contains(first),
      let end = text.index(
        text.startIndex, offsetBy: optionColumn - indentation, limitedBy: text.endIndex),
      text[..<end].last == " "
    else { return nil }
    return text.index(before: end)..<end
  }

  /// The first two spaces or more between words.
  private static func gap(in line: String) -> Range<String.Index>? {
    var start: String.Index?
    for index in line.indices {
      if line[index] == " " {
        start = start ?? index
      } else if let begun = start {
        if begun > line.startIndex, line.distance(from: begun, to: index) > 1 { return begun..<index }
        start = nil
      }
    }
    return nil
  }
}
