import ArgumentParser
import Bytes

/// A command's arguments, read from its help, so that nothing is written down twice.
struct CommandArguments {
  struct Argument {
    enum Kind { case option, flag, positional }

    var kind = Kind.flag
    /// Such as `--server`, `-o`; empty for an operand.
    var names: [String] = []
    /// The name of its value in the help.
    var valueName = ""
    var isRepeating = false
    /// If they are known.
    var values: [String] = []
    var summary = ""
  }

  private(set) var all: [Argument] = []

  var operands: [Argument] { all.filter { $0.kind == .positional } }

  func option(_ name: String) -> Argument? { all.first { $0.names.contains(name) } }

  /// The arguments that a command's help lists, without those of its subcommands.
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

  /// The arguments of a command without ArgumentParser.
  ///
  /// - Parameters:
  ///   - options: each with the name of its value, if it takes one. The first of several with one name counts.
  ///   - repeatable: the options that can be given again.
  init(options: [(String, String?)], repeatable: Set<String> = [], operands: [String]) {
    for (name, value) in options where option(name) == nil {
      all.append(
        Argument(
          kind: value == nil ? .flag : .option, names: [name], valueName: value ?? "",
          isRepeating: repeatable.contains(name)))
    }
    all += operands.map { Argument(kind: .positional, valueName: $0) }
  }

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
  ///   - line: the help's line: `-o, --output <file>`, or `<file>` for an operand, and the text after spaces.
  ///   - usage: the help from the usage on, which shows the repeatable arguments.
  fileprivate init(_ line: Substring, usage: Substring) {
    var rest = line
    while rest.hasPrefix("-") {
      let name = rest.prefix { $0 != " " && $0 != "," }
      names.append(String(name))
      rest = rest[name.endIndex...].drop { $0 == " " || $0 == "," }
    }
    if rest.hasPrefix("<") {
      valueName = String(rest.dropFirst().prefix { $0 != ">" })
      rest = rest.drop { $0 != ">" }.dropFirst()
    }
    kind = names.isEmpty ? .positional : valueName.isEmpty ? .flag : .option
    isRepeating = kind == .positional && usage.hasPart("<\(valueName)> ...")
    let text = rest.drop { $0 == " " }
    if !text.isEmpty { read(text) }
  }

  fileprivate mutating func read(_ text: Substring) {
    summary = CommandArguments.line(String(text))
    if text.hasPart("(repeatable)") { isRepeating = true }
    guard let start = text.rangeOfPart("(values: ") else { return }
    let list = text[start.upperBound...].prefix { $0 != ";" && $0 != ")" }
    values = list.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}
