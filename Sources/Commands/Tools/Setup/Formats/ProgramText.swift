/// A program of two lines that runs llavero, for tools that can only name a program, and resolve links.
struct ProgramText: ConfigurationFormat {
  /// Printed before the command's output; needs no quotes.
  var prefix: String?
  /// The words of the command, which a shell takes as they are.
  let command: String

  private static let exec = "exec "
  private static let printing = "printf '"

  func block(named name: String) -> MarkedBlock { MarkedBlock(name: name, isMarked: false) }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    var reading = ConfigurationReading()
    for line in TextLines(text) {
      let words = text.string(text.trimmed(line.content))
      if let own = Self.own(words) {
        reading.setting.append(.init(value: own, line: words))
      } else if !words.isEmpty, words.first != "#", !words.hasPrefix(Self.printing) {
        reading.others.append(.init(name: [], value: Array(words.utf8)))
      }
    }
    return reading
  }

  /// The command of a line that runs llavero, at any path.
  private static func own(_ line: String) -> String? {
    guard line.hasPrefix(exec), let program = line.split(separator: " ").dropFirst().first,
      NamedPath.isLlavero(program)
    else { return nil }
    return String(line.dropFirst(exec.count))
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    let present = try reading(of: text)
    return present.others.isEmpty && present.setting.map(\.value) == [command]
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    if try !reading(of: base).others.isEmpty { throw ConfigurationFault("it is another program") }
    return ["#!/bin/sh"] + (prefix.map { ["\(Self.printing)\($0)'"] } ?? []) + [Self.exec + command]
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? {
    guard let present = try reading(of: text).setting.last else { return nil }
    return ByHand([Self.exec + command], "in place of \(present.line)", because: "another llavero")
  }
}
