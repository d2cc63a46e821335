package import Bytes

/// A file of sections as Python's `configparser` reads it (docs.python.org, "Supported INI File Structure"):
/// `[section]`, `name = value` or `name: value`, further lines of a value indented, comments on lines of their own. It
/// has the positions needed to change the file, and nothing of its values.
package struct INIDocument {
  package struct Option {
    package let section: ByteString
    /// The name in lowercase.
    package let name: ByteString
    /// The line on which it begins, counting from 1.
    package let line: Int
    /// The lines of its value without surrounding white space, and without empty lines at the end.
    package fileprivate(set) var values: [Range<Int>]
    /// From the first line of its value to the last.
    package fileprivate(set) var value: Range<Int>
    /// The whole lines of the option.
    package fileprivate(set) var lines: Range<Int>

    /// The value: its lines joined by LF.
    package func secret(in text: UnsafeRawBufferPointer) -> Secret {
      var secret = Secret()
      for (index, value) in values.enumerated() {
        if index > 0 { secret.append(0x0a) }
        secret.append(text.slice(value))
      }
      return secret
    }

    /// The value, if it is not confidential.
    package func text(in text: UnsafeRawBufferPointer) -> ByteString {
      ByteString(secret(in: text))
    }
  }

  package struct Section {
    package let name: ByteString
    package let header: Range<Int>
  }

  package private(set) var options: [Option] = []
  /// Each section once.
  package private(set) var sections: [Section] = []
  /// The lines that are none of these.
  package private(set) var malformedLines: [Int] = []
  package private(set) var hasComments = false
  /// The first error that `configparser` raises, as a sentence without a full stop; `nil` if it raises none.
  package private(set) var fault: String?
  /// The indexes of the options in each section.
  private var positions: [ByteString: [Int]] = [:]

  package init(_ text: UnsafeRawBufferPointer) {
    var present: Int?
    var indexes: [ByteString: Int] = [:]
    var names: Set<[ByteString]> = []
    var depth = 0
    var isOpen = false
    var empty = 0
    for line in FileLines(text) {
      let start = line.range.lowerBound
      let content = text.trimmed(start..<start + line.text.count)
      // An empty line belongs to a value that continues after it; a comment doesn't.
      guard let first = text[content].first else {
        empty += 1
        continue
      }
      if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") {
        hasComments = true
        continue
      }
      defer { empty = 0 }
      // Python ends a line at each carriage return.
      if text[content].contains(0x0d) {
        malformedLines.append(line.number)
        if isOpen, let option = options.popLast() {
          positions[option.section]?.removeLast()
          malformedLines.append(option.line)
        }
        isOpen = false
        continue
      }
      let indentation = content.lowerBound - start
      if isOpen, indentation > depth {
        options[options.count - 1].extend(by: content, after: empty, to: line.range.upperBound)
        continue
      }
      (depth, isOpen) = (indentation, false)
      if first == UInt8(ascii: "["), let end = text[content].lastIndex(of: UInt8(ascii: "]")),
        end > content.lowerBound + 1
      {
        let name = ByteString(text.slice(content.lowerBound + 1..<end))
        present = indexes[name]
        if present != nil {
          note("line \(line.number) begins a section for the second time")
        } else {
          present = sections.count
          indexes[name] = sections.count
          sections.append(Section(name: name, header: line.range))
        }
        continue
      }
      guard let present, let (name, value) = text.option(in: content) else {
        malformedLines.append(line.number)
        note("its tool can't read line \(line.number)")
        continue
      }
      let section = sections[present].name
      if !names.insert([section, name]).inserted {
        note("line \(line.number) has a key for the second time")
      }
      positions[section, default: []].append(options.count)
      options.append(
        Option(
          section: section, name: name, line: line.number, values: [value], value: value, lines: line.range))
      isOpen = true
    }
  }

  private mutating func note(_ fault: String) {
    if self.fault == nil { self.fault = fault }
  }

  /// The options of that name in a section, of which the last one counts.
  package func options(_ name: ByteString, in section: ByteString) -> [Option] {
    (positions[section] ?? []).map { options[$0] }.filter { $0.name == name }
  }

  /// The option of that name in a section; the last one if there are several.
  package func option(_ name: ByteString, in section: ByteString) -> Option? {
    options(name, in: section).last
  }
}

extension INIDocument.Option {
  fileprivate mutating func extend(by content: Range<Int>, after empty: Int, to end: Int) {
    values += Array(repeating: content.lowerBound..<content.lowerBound, count: empty) + [content]
    value = value.lowerBound..<content.upperBound
    lines = lines.lowerBound..<end
  }
}

extension UnsafeRawBufferPointer {
  /// The name of an option in lowercase, and where its value is; `nil` if it has no separator.
  fileprivate func option(in content: Range<Int>) -> (name: ByteString, value: Range<Int>)? {
    let separator = self[content].firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
    guard let separator, separator > content.lowerBound else { return nil }
    let name = slice(trimmed(content.lowerBound..<separator))
    return (ByteString(name).lowercased, trimmed(separator + 1..<content.upperBound))
  }
}
