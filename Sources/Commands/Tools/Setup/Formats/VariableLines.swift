/// Lines `NAME=VALUE` in a file without sections. The last line of a name counts.
struct VariableLines: ConfigurationFormat {
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

  /// A variable, and its new value, given the present one; `nil` if it needn't be there.
  typealias Own = (name: String, value: @Sendable (_ present: String?) -> String?)

  let dialect: Dialect
  let own: [Own]
  var accepts: @Sendable (_ present: String) -> Bool = { _ in true }
  var command: OwnCommand?

  init(_ dialect: Dialect, _ own: Own...) {
    (self.dialect, self.own) = (dialect, own)
  }

  init(_ dialect: Dialect, _ name: String, is value: String) {
    self.init(dialect, (name, { _ in value }))
  }

  private func line(_ name: String, _ value: String) -> String {
    "\(name)\(dialect == .wget ? " = " : "=")\(value)"
  }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let variables = try variables(in: text)
    var reading = ConfigurationReading()
    for own in own {
      guard let value = variables.last(where: { isName($0, own.name) }).map({ text.string($0.value) }) else {
        continue
      }
      if !accepts(value) { throw ConfigurationFault("its tool can't read the value of \(own.name)") }
      reading.setting.append(.init(value: value, line: line(own.name, value)))
    }
    for (index, variable) in variables.enumerated() {
      // The last line counts. Any effect of go's own command on an earlier one is lost.
      let isOwn = own.contains { isName(variable, $0.name) }
      if isOwn, dialect != .go || !variables[(index + 1)...].contains(where: { $0.name == variable.name }) {
        continue
      }
      reading.others.append(.init(name: [variable.name], value: Array(text[variable.value])))
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    let variables = try variables(in: text)
    return own.allSatisfy { own in
      let present = variables.last { isName($0, own.name) }.map { text.string($0.value) }
      return own.value(present) == present
    }
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    let variables = try variables(in: text)
    return own.compactMap { own in
      let present = variables.last { isName($0, own.name) }.map { text.string($0.value) }
      return own.value(present).map { line(own.name, $0) }
    }
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? {
    guard let present = try variables(in: text).last(where: { isName($0, own[0].name) }) else { return nil }
    return ByHand(
      try lines(for: text, like: text), "in place of line \(text.line(of: present.lines.lowerBound))",
      because: own[0].name)
  }

  private struct Variable {
    let name: [UInt8]
    let value: Range<Int>
    let lines: Range<Int>
  }

  private func isName(_ variable: Variable, _ name: String) -> Bool {
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
