/// Lines at the end of a configuration that consists of statements.
struct AppendedLines: ConfigurationFormat {
  /// The lines, without their ends.
  let lines: [String]
  /// What a line begins with that says what the tool uses, and that is shown to people without it.
  let beginning: String
  /// Whether the configuration may have only one such line.
  let isOnlyOne: Bool

  func current(in text: [UInt8]) -> String? {
    present(in: text).last
  }

  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    if has(LineChange.lines(text)) { return text }
    if isOnlyOne, let other = present(in: text).last {
      throw ConfigurationFault("it names another one already: \(other)")
    }
    var text = text
    if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
    for line in lines { text += Array("\(line)\n".utf8) }
    return text
  }

  private func has(_ present: [ArraySlice<UInt8>]) -> Bool {
    let wanted = lines.map { trimmed(Array($0.utf8)[...]) }
    let texts = present.map(trimmed)
    return texts.indices.contains { texts[$0...].starts(with: wanted) }
  }

  private func present(in text: [UInt8]) -> [String] {
    LineChange.lines(text).map(trimmed).filter { $0.hasPrefix(beginning) }.map {
      trimmed(Array($0.dropFirst(beginning.count).utf8)[...])
    }
  }
}
