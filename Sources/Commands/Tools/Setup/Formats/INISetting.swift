import Bytes
import Interchange

/// Options in sections of a file for Python's `configparser`, such as those of pip, of Python's keyring and of aws, or
/// of a file of the message bus and of systemd.
struct INISetting: ConfigurationFormat {
  /// With the section as written.
  struct Option {
    let section: String
    let key: String
    let value: String
  }

  /// Those of a section come one after the other.
  let options: [Option]
  var separator = " = "
  /// Whether a section has the right name; by default, if it is equal.
  var isSection: (@Sendable (_ section: String, _ wanted: String) -> Bool) = { $0 == $1 }
  /// Whether the tool accepts `_` for `-` in names, and ignores a leading `--`, as pip does.
  var takesUnderscores = false
  var command: OwnCommand?

  init(
    _ options: [(section: String, key: String, value: String)], separator: String = " = ",
    command: OwnCommand? = nil
  ) {
    self.options = options.map { Option(section: $0.section, key: $0.key, value: $0.value) }
    (self.separator, self.command) = (separator, command)
  }

  private func line(_ option: Option, _ value: String) -> String { option.key + separator + value }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try INIDocument(strictly: text)
    var reading = ConfigurationReading()
    var own: [Range<Int>] = []
    for option in options {
      guard let present = try find(option, in: file) else { continue }
      let value = String(decoding: present.joined(in: text), as: UTF8.self)
      reading.setting.append(.init(value: value, line: line(option, value)))
      own.append(present.lines)
    }
    reading.others = file.options.filter { !own.contains($0.lines) }.map {
      .init(name: [$0.section.bytes, $0.name.bytes], value: $0.joined(in: text))
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    try reading(of: text).setting.map { Array($0.value.utf8) } == options.map { Array($0.value.utf8) }
  }

  func lines(for base: [UInt8], like text: [UInt8]) -> [String] {
    var lines: [String] = []
    for (index, option) in options.enumerated() {
      if index == 0 || options[index - 1].section != option.section { lines.append("[\(option.section)]") }
      lines.append(line(option, option.value))
    }
    return lines
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? {
    let file = try INIDocument(strictly: text)
    var missing: [Option] = []
    for option in options where try find(option, in: file)?.joined(in: text) != Array(option.value.utf8) {
      missing.append(option)
    }
    let lines = missing.map { line($0, $0.value) }
    for option in missing {
      if let present = try find(option, in: file) {
        return ByHand(
          lines, "in place of line \(text.line(of: present.lines.lowerBound))",
          because: "another \(option.key)")
      }
    }
    guard let header = file.sections.first(where: { isIn($0, missing) })?.header else { return nil }
    return ByHand(
      lines, "below line \(text.line(of: header.lowerBound))",
      because: text.string(text.trimmed(header)))
  }

  private func isIn(_ section: INIDocument.Section, _ options: [Option]) -> Bool {
    options.contains { isSection(section.name.description, $0.section) }
  }

  private func find(
    _ option: Option, in file: INIDocument
  ) throws(ConfigurationFault) -> INIDocument.Option? {
    let sections = file.sections.filter { isIn($0, [option]) }
    if sections.count > 1 { throw ConfigurationFault("it has [\(option.section)] twice") }
    let wanted = normalized(Array(option.key.utf8))
    let found = file.options.filter {
      $0.section == sections.first?.name && normalized($0.name.bytes) == wanted
    }
    if found.count > 1 {
      throw ConfigurationFault("it has \(option.key) twice in [\(option.section)]")
    }
    return found.first
  }

  private func normalized(_ name: [UInt8]) -> [UInt8] {
    let name = name.lowercased
    guard takesUnderscores else { return name }
    let plain = name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    return plain.starts(with: Array("--".utf8)) ? Array(plain.dropFirst(2)) : plain
  }
}
