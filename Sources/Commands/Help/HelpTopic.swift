import ArgumentParser
import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// A text for `llavero help TOPIC`: how to do something, with commands to paste.
///
/// A line with a command begins with four spaces.
struct HelpTopic {
  let name: String
  let summary: String
  let text: String

  /// In the order in which people ask for them.
  static let all = [git, gitHub, tools, headless, ci, containers, moving, sharing, backup, protection]

  /// A list of the topics, to print below that of the commands.
  static var list: String {
    "TOPICS:\n" + all.map { "  \($0.name.padded(to: 24))\($0.summary)\n" }.joined()
      + "  TOOL                    What to type for docker, npm, kubectl and other tools\n"
      + "\n  See 'llavero help <topic>'.\n"
  }

  /// Programs and words that have a topic, a recipe or a command of another name.
  private static let otherNames = [
    "gh": gitHub.name, "ssh-add": "ssh", "secret-service": "serve", "cron": ci.name, "systemd": ci.name,
    "jobs": ci.name, "teams": sharing.name, "sandboxes": containers.name, "keychains": "keychain",
  ]

  /// What llavero has in place of programs that need no recipe.
  private static let equivalents: [String: Hint] = [
    "secret-tool":
      "'llavero get --attribute NAME=VALUE' is its lookup, and 'llavero list --class secret' its search"
  ]

  /// The topic about a program; `nil` if there is none.
  static func about(_ program: String) -> String? { otherNames[program] }

  /// The names of the tools that have a recipe.
  static var toolNames: [String] { KnownTool.all.flatMap(\.recipes).map(\.name) }

  /// Prints the text for `llavero help`, `--help` or `help TOPIC`. Returns whether that was asked for; ArgumentParser
  /// prints the help of commands.
  ///
  /// - Throws: ``KeychainError`` if no topic or command has that name.
  static func answer(_ arguments: [String]) throws(KeychainError) -> Bool {
    switch arguments {
    case ["help"], ["--help"], ["-h"]:
      try NarrowHelp.write(Overview.text)
      return true
    case ["help", "commands"]:
      try StandardStreams.write(
        raw: NarrowHelp.message { LlaveroCommand.helpMessage(columns: $0) + "\n\n" + list })
      return true
    default: break
    }
    guard arguments.count > 1, arguments[0] == "help" else { return false }
    let name = otherNames[arguments[1]] ?? arguments[1]
    let recipe = { ToolRecipe.named(name)?.text ?? Tool.named(name)?.speaks.usage }
    if let text = all.first(where: { $0.name == name })?.text ?? recipe() {
      if arguments.count > 2 {
        throw .failure("unexpected argument '\(arguments[2])'", hint: "see 'llavero help'", status: .usage)
      }
      try NarrowHelp.write(text)
      return true
    }
    let commands = LlaveroCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    if name != arguments[1], arguments.count == 2, let command = command(named: name) {
      let help = NarrowHelp.message { LlaveroCommand.helpMessage(for: command, columns: $0) }
      try StandardStreams.write(raw: help + "\n")
      return true
    }
    if commands.contains(name) || name.hasPrefix("-") { return false }
    let topics = all.map(\.name) + ["commands"]
    var message = "there is no command and no topic '\(name)'"
    let names = topics + commands + nestedCommands + toolNames + Tool.all.map(\.name)
    if let equivalent = equivalents[name] { throw .failure(message, hint: equivalent, status: .usage) }
    if let similar = names.synonym(of: name) {
      message += "; did you mean '\(similar)'?"
    } else if let kind = ImportKind.meant(by: name) {
      throw .failure(
        message,
        hint: "\(command: "llavero", "import", kind) brings in what it has; see 'llavero help import'",
        status: .usage)
    } else if let similar = names.meant(by: name) {
      message += "; did you mean '\(similar)'?"
    }
    throw .failure(
      message, hint: "topics are \(prose: topics.joined(separator: ", ")); 'llavero help' lists the commands",
      status: .usage)
  }

  private static func command(named name: String) -> (any ParsableCommand.Type)? {
    LlaveroCommand.configuration.subcommands.first { $0._commandName == name }
  }
}

/// Commands in groups that people look for without the group's name.
let nestedCommands = ["keychain use", "vault verify", "vault restore"]

/// Names that programs give to the same command, topic or kind of keychain.
private let synonyms = [
  ["list", "ls", "search", "find"], ["delete", "remove", "rm", "erase", "clear"],
  ["vault verify", "verify"], ["vault restore", "restore"], ["code", "otp", "totp"],
  ["get", "show", "cat", "copy", "cp", "read", "lookup", "view"],
  ["add", "new", "insert", "store", "create", "save", "set", "put"], ["update", "mv", "rename", "move"],
  ["setup", "config", "configure"], ["login", "auth", "signin"], ["status", "whoami", "info"],
  ["passphrase", "passwd"], ["--version", "version"], ["keychain use", "use"], ["github", "gh"],
  ["ssh", "ssh-add"], ["sharing", "openbao", "bao", "hashicorp"], ["openbao", "vault"],
]

/// What other programs are called, where `llavero import` calls them otherwise.
private let importSynonyms = [
  "op": "1password", "bw": "bitwarden", "lpass": "lastpass", "store": "git-credentials",
  "libsecret": "git-libsecret", "manager": "gcm",
]

/// Options that other programs call otherwise.
private let optionSynonyms = [
  "--username": "--account", "--user": "--account", "-u": "--account", "--force": "--yes",
  "-f": "--yes", "--notes": "--comment", "--note": "--comment",
]

extension ImportKind {
  /// The name of the kind that brings in what a program keeps; `nil` if there is none.
  static func meant(by program: String) -> String? {
    let name = importSynonyms[program] ?? program
    return isName(name) ? name : nil
  }
}

extension ParsableCommand {
  /// The first of these arguments that is an option which this command doesn't have, and the one that it may be a typing
  /// error for.
  static func unknownOption(among arguments: some Sequence<String>) -> (name: String, meant: String?)? {
    let known = CommandArguments(of: self)
    var isValue = false
    for argument in arguments {
      if argument == "--" { return nil }
      let name = String(argument.prefix { $0 != "=" })
      if isValue || !name.hasPrefix("--") || ["--help", "--version"].contains(name) {
        isValue = false
        continue
      }
      guard let option = known.option(name) else {
        return (name, known.all.flatMap(\.names).closest(to: name))
      }
      isValue = option.kind == .option && name == argument
    }
    return nil
  }

  /// The option that was meant by one of these arguments, which this command doesn't have.
  static func meantOption(among arguments: [String]) -> String? {
    let meant = arguments.compactMap { optionSynonyms[$0] }
    if meant.isEmpty { return nil }
    let help = LlaveroCommand.helpMessage(for: self)
    return meant.first { help.hasPart($0) }
  }
}

extension [String] {
  /// The element with this name in other programs.
  func synonym(of text: String) -> String? {
    let names = synonyms.first { $0.contains(text) } ?? []
    return first(where: names.contains)
  }

  /// The element with this name in other programs, or else ``closest(to:)``. Two letters could mean anything.
  func meant(by text: String) -> String? {
    synonym(of: text) ?? (text.utf8.count > 2 ? closest(to: text) : nil)
  }

  /// The element for which a text is probably a typing error, if one is close enough.
  func closest(to text: String) -> String? {
    // With two letters of a short name wrong, it could mean anything.
    let near = map { (text: $0, distance: editDistance($0, text)) }.filter {
      $0.distance <= ($0.text.count < 5 ? 1 : 2)
    }
    return near.min { $0.distance < $1.distance }?.text
  }
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two texts (the optimal string
/// alignment distance).
func editDistance(_ one: String, _ other: String) -> Int {
  let (one, other) = (Array(one.utf8), Array(other.utf8))
  // Such a long text is not a typing error, and would take long.
  if max(one.count, other.count) > 64 { return max(one.count, other.count) }
  var rows = [Array(0...other.count)]
  for (index, byte) in one.enumerated() {
    var row = [index + 1]
    for column in other.indices {
      let change = rows[index][column] + (other[column] == byte ? 0 : 1)
      var least = min(rows[index][column + 1] + 1, row[column] + 1, change)
      if index > 0, column > 0, byte == other[column - 1], one[index - 1] == other[column] {
        least = min(least, rows[index - 1][column - 1] + 1)
      }
      row.append(least)
    }
    rows.append(row)
  }
  return rows[one.count][other.count]
}
