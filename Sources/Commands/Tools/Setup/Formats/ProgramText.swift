/// A program of two lines that runs llavero, for tools that can only name a program, and find out what a link leads to.
struct ProgramText: ConfigurationFormat {
  /// What is printed before the command's output, which needs no quotes of its own; `nil` for nothing.
  var prefix: String?
  /// The words of the command, which a shell takes as they are.
  let command: String

  let name = "program"

  private static let first = "#!/bin/sh"
  private static let exec = "exec "
  private static let printing = "printf '"

  var byHand: [String] {
    [Self.first] + (prefix.map { ["\(Self.printing)\($0)'"] } ?? []) + [Self.exec + command]
  }

  func shown(_ value: String) -> String { Self.exec + value }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    var reading = ConfigurationReading()
    for line in TextLines(text) {
      let words = text.string(text.trimmed(line.content))
      if let own = Self.own(words) {
        reading.setting.append(own)
      } else if !words.isEmpty, words.first != "#", !words.hasPrefix(Self.printing) {
        reading.others.append(.init(name: [], value: Array(words.utf8)))
      }
    }
    return reading
  }

  /// The command of a line that runs llavero, at whatever path; `nil` if it is another one.
  private static func own(_ line: String) -> String? {
    guard line.hasPrefix(exec), let program = line.split(separator: " ").dropFirst().first,
      NamedPath.isLlavero(program)
    else { return nil }
    return String(line.dropFirst(exec.count))
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let present = try reading(of: text)
    if !present.others.isEmpty { throw ConfigurationFault("it is another program") }
    if present.setting == [command] { return [] }
    let lines = byHand.map { $0 + "\n" }.joined()
    return [.replacement(of: text.indices, in: text, with: Array(lines.utf8))]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let present = try reading(of: text)
    guard present.others.isEmpty, !present.setting.isEmpty else { return nil }
    var result: [UInt8] = []
    var isThere = false
    for line in TextLines(text) {
      let words = text.string(text.trimmed(line.content))
      if words == Self.first || words.hasPrefix(Self.printing) || Self.own(words) != nil {
        if !isThere { result += edit.removed }
        isThere = true
      } else {
        result += text[line.content.lowerBound..<line.end]
      }
    }
    return result
  }
}
