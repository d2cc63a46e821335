import Bytes

/// An option in an INI file.
struct INIOption {
  /// The section that contains it.
  let section: ByteString
  /// Its name in lower case, as in Python.
  let name: ByteString
  /// The lines of its value, without surrounding white space.
  fileprivate(set) var values: [UnsafeRawBufferPointer]
  /// Its range in the file: whole lines.
  fileprivate(set) var range: Range<Int>
  /// The line on which it begins, counting from 1.
  let line: Int

  /// The value, if it is confidential: its lines joined by LF, without empty ones at the end.
  var secret: Secret {
    var secret = Secret()
    for (index, value) in values.enumerated() {
      if index > 0 { secret.append(0x0a) }
      secret.append(value)
    }
    return secret
  }

  /// The value, if it is not confidential.
  var text: ByteString { secret.withUnsafeBytes { ByteString($0) } }

  /// Whether Python would trim the same white space from its lines, that is, there is none beyond ASCII.
  var isExact: Bool {
    values.allSatisfy { value in
      // White space characters in Unicode have at most three bytes, so these suffice.
      let ends = [
        String(decoding: value.prefix(3), as: UTF8.self), String(decoding: value.suffix(3), as: UTF8.self),
      ]
      return [ends[0].unicodeScalars.first, ends[1].unicodeScalars.last].allSatisfy { scalar in
        guard let scalar else { return true }
        return !scalar.properties.isWhitespace && !(0x1c...0x1f).contains(scalar.value)
      }
    }
  }
}

/// An INI file as Python's `configparser` reads it (docs.python.org, "Supported INI File Structure"): `[section]`,
/// `name = value` or `name: value`, further lines of a value indented, comments on lines of their own.
struct INIOptions {
  /// Every option, in order.
  private(set) var options: [INIOption] = []
  /// The lines that are none of these.
  private(set) var malformedLines: [Int] = []
  /// Whether there are comments.
  private(set) var hasComments = false
  /// The sections' names, in order.
  private(set) var sections: [ByteString] = []
  /// The indexes of the options in each section.
  private var positions: [ByteString: [Int]] = [:]

  init(_ file: UnsafeRawBufferPointer) {
    var section: ByteString?
    var indentation = 0
    var isOpen = false
    var emptyLines = 0
    for line in FileLines(file) {
      let text = line.text.trimmedSlice
      // An empty line belongs to a value that continues after it; a comment doesn't.
      if text.isEmpty {
        emptyLines += 1
        continue
      }
      if text.first == UInt8(ascii: "#") || text.first == UInt8(ascii: ";") {
        hasComments = true
        continue
      }
      defer { emptyLines = 0 }
      // Python ends a line at each carriage return.
      if text.contains(0x0d) {
        malformedLines.append(line.number)
        if isOpen, let option = options.popLast() {
          positions[option.section]?.removeLast()
          malformedLines.append(option.line)
        }
        isOpen = false
        continue
      }
      let depth = line.text.prefix { $0 == 0x20 || 0x09...0x0d ~= $0 }.count
      if isOpen, depth > indentation {
        for _ in 0..<emptyLines {
          options[options.count - 1].values.append(UnsafeRawBufferPointer(rebasing: text[..<0]))
        }
        options[options.count - 1].values.append(text)
        let start = options[options.count - 1].range.lowerBound
        options[options.count - 1].range = start..<line.range.upperBound
        continue
      }
      indentation = depth
      isOpen = false
      if text.first == UInt8(ascii: "["), let end = text.lastIndex(of: UInt8(ascii: "]")), end > 1 {
        let name = ByteString(UnsafeRawBufferPointer(rebasing: text[1..<end]))
        section = name
        sections.append(name)
      } else if let section,
        let separator = text.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }),
        separator > 0
      {
        let name = UnsafeRawBufferPointer(rebasing: text[..<separator]).trimmedSlice
        let value = UnsafeRawBufferPointer(rebasing: text[(separator + 1)...]).trimmedSlice
        positions[section, default: []].append(options.count)
        options.append(
          INIOption(
            section: section, name: ByteString(name).lowercased, values: [value], range: line.range,
            line: line.number))
        isOpen = true
      } else {
        malformedLines.append(line.number)
      }
    }
  }

  /// The options of that name in a section, of which the last one counts.
  func options(_ name: ByteString, in section: ByteString) -> [INIOption] {
    (positions[section] ?? []).map { options[$0] }.filter { $0.name == name }
  }

  /// The option of that name in a section; the last one if there are several.
  func option(_ name: ByteString, in section: ByteString) -> INIOption? {
    options(name, in: section).last
  }
}

extension UnsafeRawBufferPointer {
  /// The same bytes without surrounding white space.
  var trimmedSlice: UnsafeRawBufferPointer {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }
    var start = 0
    var end = count
    while start < end, isSpace(self[start]) { start += 1 }
    while end > start, isSpace(self[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}
