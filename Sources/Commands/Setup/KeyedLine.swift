/// A line `KEY = VALUE`, perhaps in a section `[NAME]`: INI files, TOML, and files of variables.
struct KeyedLine: ConfigurationFormat {
  /// The section's name as it stands between the brackets; `nil` for the lines before the first section.
  let section: String?
  /// The key.
  let key: String
  /// What stands between key and value.
  var separator = " = "
  /// The value to set, as it is written, for the one that is there.
  let value: @Sendable (_ present: String?) throws(ConfigurationFault) -> String

  /// A value that doesn't depend on what is there.
  init(_ key: String, in section: String? = nil, separator: String = " = ", is value: String) {
    self.init(key, in: section, separator: separator) { (_) throws(ConfigurationFault) in value }
  }

  /// A value that is made of the present one.
  init(
    _ key: String, in section: String? = nil, separator: String = " = ",
    becomes value: @escaping @Sendable (_ present: String?) throws(ConfigurationFault) -> String
  ) {
    self.section = section
    self.key = key
    self.separator = separator
    self.value = value
  }

  func current(in text: [UInt8]) throws(ConfigurationFault) -> String? {
    try find(in: LineChange.lines(text)).value
  }

  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    var lines = LineChange.lines(text)
    let found = try find(in: lines)
    let wanted = try value(found.value)
    if found.value == wanted { return text }
    let line = Array("\(key)\(separator)\(wanted)".utf8)[...]
    if let index = found.index {
      lines[index] = line
    } else if let end = found.sectionEnd {
      lines.insert(line, at: end)
    } else {
      // A blank line before a new section, and a LF after the last line.
      if lines.last?.isEmpty == true { lines.removeLast() }
      if let section {
        if !lines.isEmpty { lines.append([]) }
        lines.append(Array("[\(section)]".utf8)[...])
      }
      lines += [line, []]
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Where the line is, what it says, and where in the section a new one would stand; no end if there is no section.
  private func find(
    in lines: [ArraySlice<UInt8>]
  ) throws(ConfigurationFault) -> (index: Int?, value: String?, sectionEnd: Int?) {
    var isInside = section == nil
    var end: Int? = nil
    var found: (index: Int, value: String)?
    for (index, line) in lines.enumerated() {
      let text = trimmed(line)
      if text.isEmpty || text.first == "#" || text.first == ";" { continue }
      if text.first == "[" {
        let name = text.prefix { $0 != "#" && $0 != ";" }
        isInside = name.filter { $0 != " " } == "[\(section?.filter { $0 != " " } ?? "")]"
        if isInside { end = index + 1 }
        continue
      }
      // TOML lets a key carry its section.
      if let section, !isInside, text.filter({ $0 != " " }).hasPrefix("\(section).\(key)=") {
        throw ConfigurationFault("it has \(section).\(key) in a form that llavero leaves to you")
      }
      guard isInside else { continue }
      end = index + 1
      guard let equals = text.firstIndex(of: "=") else { continue }
      let name = text[..<equals].filter { $0 != " " && $0 != "\t" }
      guard name == key || name == "\"\(key)\"" else { continue }
      let value = trimmed(Array(text[text.index(after: equals)...].utf8)[...])
      if value.filter({ $0 == "[" }).count != value.filter({ $0 == "]" }).count {
        throw ConfigurationFault("it has \(key) over several lines, which llavero leaves to you")
      }
      found = (index, value)
    }
    // Lines before the first section stand before it, not at the end of the file.
    if section == nil, end == nil, lines.contains(where: { trimmed($0).first == "[" }) { end = 0 }
    return (found?.index, found?.value, end)
  }
}
