import ArgumentParser
import Bytes
import JSON
import Keychain

/// The arguments of a command, taken from ArgumentParser's description, so that nothing is written down twice.
struct CommandArguments {
  /// An option, a flag or an operand.
  struct Argument {
    enum Kind: String { case option, flag, positional }

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

  /// The arguments of a command, without those of its subcommands.
  init(of command: any ParsableCommand.Type) {
    let description = Secret(command._dumpHelp())
    _ = try? description.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        guard name == "command" else { return }
        try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
          guard name == "arguments" else { return }
          try JSONReader.elements(of: value.raw) { (value) throws(JSONReader.Malformed) in
            if let argument = try Self.argument(value) { all.append(argument) }
          }
        }
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

  private static func argument(_ value: JSONValue) throws(JSONReader.Malformed) -> Argument? {
    var argument = Argument()
    var isShown = true
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      func text() throws(JSONReader.Malformed) -> String { "\(try value.string())" }
      if name == "kind" {
        argument.kind = Argument.Kind(rawValue: try text()) ?? .flag
      } else if name == "valueName" {
        argument.valueName = try text()
      } else if name == "isRepeating" {
        argument.isRepeating = try value.bool()
      } else if name == "shouldDisplay" {
        isShown = try value.bool()
      } else if name == "abstract" {
        argument.summary = Self.line(try text())
      } else if name == "allValues" {
        try JSONReader.elements(of: value.raw) { (value) throws(JSONReader.Malformed) in
          argument.values.append("\(try value.string())")
        }
      } else if name == "names" {
        try JSONReader.elements(of: value.raw) { (value) throws(JSONReader.Malformed) in
          argument.names.append(try Self.name(value))
        }
      }
    }
    return isShown ? argument : nil
  }

  private static func name(_ value: JSONValue) throws(JSONReader.Malformed) -> String {
    var (dashes, text) = ("-", "")
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      if name == "kind" {
        if "\(try value.string())" == "long" { dashes = "--" }
      } else if name == "name" {
        text = "\(try value.string())"
      }
    }
    return dashes + text
  }

  /// The beginning of a text, short enough for a list of words.
  static func line(_ text: String) -> String {
    let first = text.prefix { $0 != "\n" && $0 != ";" && $0 != "(" }
    return first.last == " " ? String(first.dropLast()) : String(first)
  }
}
