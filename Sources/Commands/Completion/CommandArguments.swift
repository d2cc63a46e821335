import ArgumentParser
import Bytes

/// The arguments of a command, read from its help, so that nothing is written down twice.
struct CommandArguments {
  /// An option, a flag or an operand.
  struct Argument {
    enum Kind { case option, flag, positional }

    var kind = Kind.flag
    /// `--server`, `-o`; empty for an operand.
    var names: [String] = []
    /// The name of its value in the help.
    var valueName = ""
    var isRepeating = false
    /// The possible values, if they are known.
    var values: [String] = []
    var summary = ""
  }

  private(set) var all: [Argument] = []

  var operands: [Argument] { all.filter { $0.kind == .positional } }

  func option(_ name: String) -> Argument? { all.first { $0.names.contains(name) } }

  /// The arguments of a command, without those of its subcommands, as its help lists them.
  init(of command: any ParsableCommand.Type) {
    // Wide enough for each argument's text to be one line.
    let help = command.helpMessage(columns: 100_000)
    guard let usage = help.rangeOfPart("USAGE: ") else { return }
    for line in help[usage.upperBound...].split(separator: "\n") {
      if line.hasPrefix("  -") || line.hasPrefix("  <") {
        all.append(Argument(line.dropFirst(2), usage: help[usage.upperBound...]))
      } else if line.hasPrefix("   "), !all.isEmpty {
        all[all.count - 1].read(line.drop { $0 == " " })
      }
    }
  }

  /// The arguments of a command that starts without ArgumentParser.
  ///
  /// - Parameter options: each with the name of its value, if it takes one.
  init(options: [(String, String?)], operands: [String]) {
    all = options.map { Argument(kind: $1 == nil ? .flag : .option, names: [$0], valueName: $1 ?? "") }
    all += operands.map { Argument(kind: .positional, valueName: $0) }
  }

  /// The options that every such command takes.
  static let general: [(String, String?)] = [
    ("--keychain", "name"), ("--collection", "name"), ("--session", "kind"), ("--passphrase-fd", "n"),
    ("--no-prompt", nil), ("--help", nil), ("--version", nil),
  ]

  /// The beginning of a text, short enough for a list of words.
  static func line(_ text: String) -> String {
    let first = text.prefix { $0 != "\n" && $0 != ";" && $0 != "(" }
    return first.last == " " ? String(first.dropLast()) : String(first)
  }
}

extension CommandArguments.Argument {
  /// - Parameters:
  ///   - line: the help's line: `-o, --output <file>`, or `<file>` for an operand, and the text after two spaces.
  ///   - usage: the help from the usage on, which tells what can be given several times.
  fileprivate init(_ line: Substring, usage: Substring) {
    let end = line.rangeOfPart("  ")?.lowerBound ?? line.endIndex
    for word in line[..<end].split(separator: " ") {
      if word.hasPrefix("<") {
        valueName = String(word.dropFirst().dropLast())
      } else {
        names.append(String(word.last == "," ? word.dropLast() : word))
      }
    }
    kind = names.isEmpty ? .positional : valueName.isEmpty ? .flag : .option
    isRepeating = kind == .positional && usage.hasPart("<\(valueName)> ...")
    if end < line.endIndex { read(line[end...].drop { $0 == " " }) }
  }

  /// Reads the text about it.
  fileprivate mutating func read(_ text: Substring) {
    summary = CommandArguments.line(String(text))
    if text.hasPart("(repeatable)") { isRepeating = true }
    guard let start = text.rangeOfPart("(values: ") else { return }
    let list = text[start.upperBound...].prefix { $0 != ";" && $0 != ")" }
    values = list.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}
