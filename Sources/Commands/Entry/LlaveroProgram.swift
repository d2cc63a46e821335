import ArgumentParser
import Bytes
import CredentialProtocols
import Glibc
import Keychain
package import ToolCommands

/// A command that says whether it needs `llavero-secret-service`, whichever keychain is chosen. It is asked before it
/// runs.
protocol UsingCompanion: ParsableCommand {
  func companionNeed() throws(KeychainError) -> CompanionNeed
}

/// The program that people type: `llavero`. It also answers tools, by its name and by its first operand.
package enum LlaveroProgram {
  /// Does what the program's name and first operand ask for, and ends the process.
  ///
  /// Tools are answered before ArgumentParser starts, because its reflection takes longer than an answer.
  ///
  /// - Parameter secretService: opens the Secret Service; only `llavero-secret-service` passes one.
  package static func main(secretService: SecretServiceAccess? = nil) -> Never {
    Program.begin(secretService: secretService)
    let arguments = CommandLine.arguments
    do throws(KeychainError) {
      if Program.name == SecurityCommand.name {
        Program.end(SecurityCommand.run(CString.arguments(from: 1)))
      } else if let status = try Program.answerTool() {
        Program.end(status)
      } else if arguments.count > 1, arguments[1] == CompleteCommand.name {
        CompleteCommand.run(CString.arguments(from: 2))
      } else if arguments.count == 2, arguments[1] == Clipboard.clearing {
        Clipboard.clearLater()
      } else if arguments.count == 3, arguments[1] == "--generate-completion-script",
        let shell = CompletionShell(rawValue: arguments[2])
      {
        try StandardStreams.write(raw: CompletionScript.text(for: shell))
      } else if arguments.count > 1, arguments[1] == "run" {
        Program.end(try RunCommand.run(CString.arguments(from: 2)))
      } else if arguments.count > 1, arguments[1] == InjectCommand.name {
        Program.end(try InjectCommand.run(CString.arguments(from: 2)))
      } else if arguments.count > 1, arguments[1] == SecurityCommand.name {
        Program.end(SecurityCommand.run(CString.arguments(from: 2)))
      } else {
        if arguments.count < 2 {
          try NarrowHelp.write(ShortHelp.text)
          Program.end(ExitStatus.done.rawValue)
        }
        if arguments.dropFirst().elementsEqual(["-V"]) {
          try StandardStreams.write(raw: Program.versionLine)
          Program.end(ExitStatus.done.rawValue)
        }
        try refuseGarbledArguments()
        if try HelpTopic.answer(Array(arguments.dropFirst())) { Program.end(ExitStatus.done.rawValue) }
        try refuseUnknownCommand(Array(arguments.dropFirst()))
        try runCommand(Array(arguments.dropFirst()))
      }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }

  private static func runCommand(_ arguments: [String]) throws(KeychainError) {
    do {
      var command = try LlaveroCommand.parseAsRoot(arguments)
      if let command = command as? any UsingCompanion { try command.companionNeed().execIfNeeded() }
      try command.run()
    } catch let failure as KeychainError {
      throw failure
    } catch {
      let status = LlaveroCommand.exitCode(for: error)
      // ArgumentParser reports requests for help and the version as errors too.
      if status.isSuccess {
        return try StandardStreams.write(
          raw: NarrowHelp.message { LlaveroCommand.fullMessage(for: error, columns: $0) + "\n" })
      }
      if let misplaced = misplacedOption(in: arguments) { throw misplaced }
      var message = LlaveroCommand.message(for: error)
      let (names, command) = commandPath(of: arguments)
      if let (option, meant) = command.unknownOption(among: arguments.dropFirst(names.count)) {
        if command == AddCommand.self, ["--secret", "--password", "--token"].contains(option) {
          throw KeychainError(
            "unknown option '\(option)'",
            hint: "the secret comes from standard input, or is asked for on a terminal", status: .usage)
        }
        // It explains what else seems to be missing, or too much.
        if !message.hasPrefix("Unknown option") {
          message = "Unknown option '\(option)'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
        }
      }
      // What other programs call it is surer than what looks like it.
      if message.hasPrefix("Unknown option"), let meant = command.meantOption(among: arguments) {
        message = "\(message.prefix { $0 != "\n" && $0 != "." }). Did you mean '\(meant)'?"
      }
      if message.hasPrefix("Missing expected argument") { try refuseMissingKind(arguments) }
      throw KeychainError(usage: message, helpCommand: helpCommand(for: arguments))
    }
  }

  /// The failure of an option that stands before the command that has it; `nil` if none does. It repeats no value, which
  /// may be a secret.
  private static func misplacedOption(in arguments: [String]) -> KeychainError? {
    let (names, group) = commandPath(of: arguments)
    guard let option = arguments.dropFirst(names.count).first?.prefix(while: { $0 != "=" }),
      option.hasPrefix("-"), CommandArguments(of: group).option(String(option)) == nil
    else { return nil }
    for index in arguments.indices.dropFirst(names.count + 1) {
      let (path, command) = commandPath(of: names + arguments[index...])
      if path.count == names.count { continue }
      let isPlain = command == RunSubcommand.self || command == InjectSubcommand.self
      let known =
        isPlain
        ? CommandArguments(options: CommandArguments.general, operands: []) : CommandArguments(of: command)
      guard let found = known.option(String(option)) else { continue }
      var words = ["llavero"] + path + [String(option)]
      if found.kind == .option { words.append(found.valueName.uppercased()) }
      return .failure(
        "the option '\(option)' stands before its command",
        hint: "options come after it: \(commandOf: words)", status: .usage)
    }
    return nil
  }

  /// Refuses arguments that are not UTF-8. `CommandLine.arguments` replaces their invalid bytes, so an item would be
  /// looked up or stored under a name that nobody gave.
  private static func refuseGarbledArguments() throws(KeychainError) {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      if String(validatingCString: argument) == nil {
        throw .failure(
          "argument \(index) is not UTF-8", hint: "in a URL, other bytes are written %XX", status: .usage)
      }
    }
  }

  /// The command line for the help of the innermost command in the arguments.
  private static func helpCommand(for arguments: [String]) -> String {
    (["llavero"] + commandPath(of: arguments).names + ["--help"]).joined(separator: " ")
  }

  /// Refuses an unknown command, which ArgumentParser would report as an unexpected argument.
  private static func refuseUnknownCommand(_ arguments: [String]) throws(KeychainError) {
    let (names, command) = commandPath(of: arguments)
    let known = command.configuration.subcommands.compactMap { $0.configuration.commandName }
    if known.isEmpty || arguments.count == names.count { return }
    let name = arguments[names.count]
    if name.hasPrefix("-") || name == "help" { return }
    var message = (["there is no command 'llavero"] + names).joined(separator: " ") + " \(name)'"
    let isTopic =
      names.isEmpty && (HelpTopic.all.contains { $0.name == name } || ToolRecipe.named(name) != nil)
    let all = names.isEmpty ? known + Tool.all.map(\.name) + nestedCommands + ["--version", "help"] : known
    var help = isTopic ? "llavero help \(name)" : helpCommand(for: arguments)
    if !isTopic, let similar = all.meant(by: name) {
      message += "; did you mean '\(similar)'?"
      // Its options say what it does.
      if (["update"] + nestedCommands).contains(similar) { help = "llavero \(similar) --help" }
    }
    throw .failure(message, hint: "see '\(prose: help)'", status: .usage)
  }

  /// Refuses a kind of keychain that can't be added, before what has to follow it is missed, and an import of nothing.
  private static func refuseMissingKind(_ arguments: [String]) throws(KeychainError) {
    let (names, command) = commandPath(of: arguments)
    let operands = arguments.dropFirst(names.count).filter { !$0.hasPrefix("-") }
    if command == AddKeychainCommand.self, operands.count == 2 {
      _ = try AddKeychainCommand.kind(named: operands[1])
    }
    if command == ImportCommand.self { throw ImportOperands.nothingNamed }
    if command == UseKeychainCommand.self {
      throw .failure(
        "no keychain was named", hint: KeychainError.noKeychain("").failure.hint, status: .usage)
    }
  }

  /// The command names at the start of the arguments, each a subcommand of the one before, and the last one's command.
  private static func commandPath(
    of arguments: [String]
  ) -> (names: [String], command: any ParsableCommand.Type) {
    var names: [String] = []
    var command: any ParsableCommand.Type = LlaveroCommand.self
    for argument in arguments {
      let next = command.configuration.subcommands.first { $0.configuration.commandName == argument }
      guard let next else { break }
      names.append(argument)
      command = next
    }
    return (names, command)
  }
}
