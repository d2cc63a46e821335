/// A line `NAME=VALUE` in a file that has no sections.
struct VariableLine: ConfigurationFormat {
  /// The kind of file.
  enum Dialect: Sendable {
    /// The file of `go env`: names start with a capital letter at the beginning of the line; other lines are ignored.
    case go
    /// environment.d(5).
    case environment
    /// wgetrc: names ignore case, hyphens and underscores.
    case wget
    /// The .npmrc of npm and pnpm: lines without a value are switches, and a section would take lines in.
    case npm
  }

  let dialect: Dialect
  let name: String
  /// The value to set, given the present one.
  let value: @Sendable (_ present: String?) -> String
  /// The former value, derived from the present one; `nil` if the line is to go, or the value is unknown.
  var former: @Sendable (_ present: String) -> String? = { _ in nil }

  /// Whether a line that names another program stays, for llavero to hand over to it. The tool takes the last line.
  var keepsOthers = false

  /// Whether the tool accepts a value.
  var accepts: @Sendable (_ present: String) -> Bool = { _ in true }

  init(_ dialect: Dialect, _ name: String, is value: String) {
    self.init(dialect, name) { _ in value }
  }

  init(
    _ dialect: Dialect, _ name: String, becomes value: @escaping @Sendable (_ present: String?) -> String,
    former: @escaping @Sendable (_ present: String) -> String? = { _ in nil },
    accepts: @escaping @Sendable (_ present: String) -> Bool = { _ in true }
  ) {
    self.dialect = dialect
    self.name = name
    self.value = value
    self.former = former
    self.accepts = accepts
  }

  var byHand: [String] { [shown(value(nil))] }

  func shown(_ value: String) -> String {
    "\(name)\(dialect == .wget ? " = " : "=")\(value)"
  }

  func isFormerLine(_ line: String) -> Bool {
    guard line.hasPrefix(shown("")) else { return false }
    let now = String(line.dropFirst(shown("").count))
    return value(now) == now || now.hasPrefix("\(value("off"));")
  }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let variables = try variables(in: text)
    let present = variables.last(where: isOurs).map { text.string($0.value) }
    if let present, !accepts(present) { throw ConfigurationFault("its tool can't read the value of \(name)") }
    return ConfigurationReading(
      setting: present.map { [$0] } ?? [],
      others: variables.filter { !isOurs($0) }.map { .init(name: [$0.name], value: Array(text[$0.value])) })
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let present = try variables(in: text).last(where: isOurs)
    let wanted = value(present.map { text.string($0.value) })
    guard let present else { return [text.ending(with: [shown(wanted)])] }
    if text.string(present.value) == wanted { return [] }
    if keepsOthers, !NamedPath.isLlavero(text.string(present.value)) {
      return [text.ending(with: [shown(wanted)])]
    }
    return [.replacement(of: present.value, in: text, with: Array(wanted.utf8))]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    guard let present = try variables(in: text).last(where: isOurs) else { return nil }
    let now = text.string(present.value)
    guard value(now) == now else { return nil }
    let isAsMade = edit.removed.isEmpty ? value(nil) == now : edit.added == Array(text[present.value])
    if isAsMade, edit.removed.isEmpty {
      var result = text
      result.removeSubrange(present.lines)
      return result
    }
    guard let former = isAsMade ? edit.removed : former(now).map({ Array($0.utf8) }) else { return nil }
    return TextEdit.replacement(of: present.value, in: text, with: former).applied(to: text)
  }

  private struct Variable {
    let name: [UInt8]
    let value: Range<Int>
    let lines: Range<Int>
  }

  private func isOurs(_ variable: Variable) -> Bool {
    normalized(variable.name) == normalized(Array(name.utf8))
  }

  private func normalized(_ name: [UInt8]) -> [UInt8] {
    dialect == .wget ? name.lowercased.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") } : name
  }

  private func variables(in text: [UInt8]) throws(ConfigurationFault) -> [Variable] {
    var variables: [Variable] = []
    for line in TextLines(text) {
      // Go only knows LF as a line end.
      var content =
        dialect == .go
        ? line.content.lowerBound..<(line.end - (text[line.end - 1] == 0x0a ? 1 : 0)) : line.content
      let equals = text[content].firstIndex(of: UInt8(ascii: "="))
      let fault = ConfigurationFault("its tool can't read line \(line.number)")
      if dialect == .go {
        guard let equals, 0x41...0x5a ~= text[content.lowerBound] else { continue }
        variables.append(
          Variable(
            name: Array(text[content.lowerBound..<equals]), value: equals + 1..<content.upperBound,
            lines: content.lowerBound..<line.end))
        continue
      }
      content = text.trimmed(content)
      guard let first = text[content].first, first != UInt8(ascii: "#"),
        dialect == .wget || first != UInt8(ascii: ";")
      else { continue }
      if dialect == .npm, first == UInt8(ascii: "[") {
        throw ConfigurationFault("line \(line.number) begins a section")
      }
      guard let equals else {
        if dialect == .npm { continue }
        throw fault
      }
      let value = text.trimmed(equals + 1..<content.upperBound)
      if dialect == .environment {
        // The value continues over several lines.
        let quotes = text[value].filter { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }.count
        if text[value].last == UInt8(ascii: "\\") || quotes % 2 != 0 {
          throw ConfigurationFault("line \(line.number) may continue on the next")
        }
      }
      variables.append(
        Variable(
          name: Array(text[text.trimmed(content.lowerBound..<equals)]), value: value,
          lines: line.content.lowerBound..<line.end))
    }
    return variables
  }
}
