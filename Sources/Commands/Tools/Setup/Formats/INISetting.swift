import Bytes
import TextFormats

/// An option in a section of a file that Python's `configparser` reads, such as those of pip, of Python's keyring and
/// of aws.
struct INISetting: ConfigurationFormat {
  /// The section, as it is written.
  let section: String
  let key: String
  var separator = " = "
  let value: String
  /// Whether a section has the right name; by default, if it is equal.
  var isSection: (@Sendable (String) -> Bool)?
  /// Whether the tool accepts `_` for `-` in names, and ignores a leading `--`, as pip does.
  var takesUnderscores = false

  var name: String { "\(section).\(key)" }
  var byHand: [String] { ["[\(section)]", shown(value)] }

  func shown(_ value: String) -> String { "\(key)\(separator)\(value)" }

  func isFormerLine(_ line: String) -> Bool {
    // Version 0.1.0 left out the quotes that a profile's name needs.
    line == shown(value) || line == "[\(section.filter { $0 != "\"" })]"
  }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try INIDocument(strictly: text)
    let own = try option(in: file)
    return ConfigurationReading(
      setting: own.map { [String(decoding: $0.joined(in: text), as: UTF8.self)] } ?? [],
      others: file.options.filter { $0.lines != own?.lines }.map {
        .init(name: [$0.section.bytes, $0.name.bytes], value: $0.joined(in: text))
      })
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let file = try INIDocument(strictly: text)
    if let present = try option(in: file) {
      if present.joined(in: text).elementsEqual(value.utf8) { return [] }
      let space = text[present.value.lowerBound - 1] == UInt8(ascii: "=") && separator.last == " " ? " " : ""
      return [.replacement(of: present.value, in: text, with: Array((space + value).utf8))]
    }
    let end = text.lineEnd
    guard let section = file.sections.first(where: isOurs) else {
      let header = text.isEmpty || text.last == 0x0a ? "" : String(decoding: end, as: UTF8.self)
      let blank = text.isEmpty ? "" : String(decoding: end, as: UTF8.self)
      let lines = "[\(self.section)]" + String(decoding: end, as: UTF8.self) + shown(value)
      return [.insertion(of: Array((header + blank + lines).utf8) + end, at: text.count)]
    }
    let isLast = section.end == text.count && text.last != 0x0a
    return [
      .insertion(
        of: (isLast ? end : []) + text[section.indentation] + Array(shown(value).utf8) + end, at: section.end)
    ]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let file = try INIDocument(strictly: text)
    guard let present = try option(in: file), present.joined(in: text).elementsEqual(value.utf8) else {
      return nil
    }
    if !edit.removed.isEmpty {
      return TextEdit.replacement(of: present.value, in: text, with: edit.removed).applied(to: text)
    }
    var going = [present.lines]
    // A section that was made for the option is removed with it.
    let header = Array("[\(section)]".utf8)
    if file.options.filter({ $0.section == present.section }).count == 1,
      let section = file.sections.first(where: { $0.name == present.section }),
      edit.added.split(separator: 0x0a).contains(where: { $0.starts(with: header) })
    {
      going.insert(section.header, at: 0)
    }
    var result = text
    for range in going.reversed() { result.removeSubrange(range) }
    return result
  }

  private func isOurs(_ section: INIDocument.Section) -> Bool {
    let name = section.name.description
    return isSection?(name) ?? (name == self.section)
  }

  private func option(in file: INIDocument) throws(ConfigurationFault) -> INIDocument.Option? {
    let sections = file.sections.filter(isOurs)
    if sections.count > 1 { throw ConfigurationFault("it has [\(section)] twice") }
    let wanted = normalized(Array(key.utf8))
    let found = file.options.filter {
      $0.section == sections.first?.name && normalized($0.name.bytes) == wanted
    }
    if found.count > 1 { throw ConfigurationFault("it has \(key) twice in [\(section)]") }
    return found.first
  }

  private func normalized(_ name: [UInt8]) -> [UInt8] {
    let name = name.lowercased
    guard takesUnderscores else { return name }
    let plain = name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    return plain.starts(with: Array("--".utf8)) ? Array(plain.dropFirst(2)) : plain
  }
}
