/// A file of sections, parsed as strictly as Python's `configparser` does (docs.python.org, "Supported INI File
/// Structure"), with the positions needed to change it. To extract from such a file whatever can be understood, use
/// `INIOptions`.
struct INIDocument {
  struct Option {
    let section: [UInt8]
    /// The name in lowercase.
    let name: [UInt8]
    /// The lines of its value without surrounding white space, and without empty lines at the end.
    fileprivate(set) var values: [[UInt8]]
    /// From the first line of its value to the last.
    fileprivate(set) var value: Range<Int>
    /// The whole lines of the option.
    fileprivate(set) var lines: Range<Int>
    let indentation: [UInt8]

    var joined: [UInt8] { Array(values.joined(separator: [0x0a])) }
  }

  struct Section {
    let name: [UInt8]
    let header: Range<Int>
    /// The position and indentation for another option.
    fileprivate(set) var end: Int
    fileprivate(set) var indentation: [UInt8] = []
  }

  private(set) var options: [Option] = []
  private(set) var sections: [Section] = []

  /// - Throws: ``ConfigurationFault`` where `configparser` raises an error.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    if text.hasLoneCarriageReturn { throw ConfigurationFault("it has a line that ends with CR alone") }
    if String(validating: text, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
    var depth = 0
    var isOpen = false
    var empty = 0
    for line in TextLines(text) {
      let content = text.trimmed(line.content)
      guard let first = text[content].first else {
        empty += 1
        continue
      }
      if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { continue }
      let indentation = content.lowerBound - line.content.lowerBound
      if isOpen, indentation > depth {
        options[options.count - 1].values += Array(repeating: [], count: empty) + [Array(text[content])]
        options[options.count - 1].value = options[options.count - 1].value.lowerBound..<content.upperBound
        options[options.count - 1].lines = options[options.count - 1].lines.lowerBound..<line.end
        sections[sections.count - 1].end = line.end
        empty = 0
        continue
      }
      (depth, isOpen, empty) = (indentation, false, 0)
      let lineStart = Array(text[line.content.lowerBound..<content.lowerBound])
      if first == UInt8(ascii: "["), let end = text[content].lastIndex(of: UInt8(ascii: "]")),
        end > content.lowerBound + 1
      {
        let name = Array(text[(content.lowerBound + 1)..<end])
        if sections.contains(where: { $0.name == name }) {
          throw ConfigurationFault("line \(line.number) begins a section for the second time")
        }
        sections.append(
          Section(
            name: name, header: line.content.lowerBound..<line.end, end: line.end, indentation: lineStart))
        continue
      }
      guard let section = sections.last,
        let separator = text[content].firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
        ),
        separator > content.lowerBound
      else { throw ConfigurationFault("its tool can't read line \(line.number)") }
      let name = Array(text[text.trimmed(content.lowerBound..<separator)]).lowercased
      if options.contains(where: { $0.section == section.name && $0.name == name }) {
        throw ConfigurationFault("line \(line.number) has a key for the second time")
      }
      let value = text.trimmed(separator + 1..<content.upperBound)
      options.append(
        Option(
          section: section.name, name: name, values: [Array(text[value])], value: value,
          lines: line.content.lowerBound..<line.end, indentation: lineStart))
      sections[sections.count - 1].end = line.end
      sections[sections.count - 1].indentation = lineStart
      isOpen = true
    }
  }
}
