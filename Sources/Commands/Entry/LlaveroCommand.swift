import ArgumentParser
import CredentialProtocols
import Keychain
import ToolCommands

struct LlaveroCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "llavero",
    abstract: "Keep passwords and tokens encrypted, and log in git and other tools with them",
    discussion: """
      To let git log in with llavero, once and for all:

        llavero setup git

      Git asks for a login the first time, and again only if a server refuses it. By hand:

        llavero add https://github.com --account alice     (asks for the secret)
        llavero get https://github.com                     (prints it)
        llavero list

      Other tools have their own protocols, which 'llavero TOOL' speaks: \
      \(Tool.all.map(\.name).joined(separator: ", ")). See 'llavero docker --help'.

      Your logins are in your desktop's keyring or in one encrypted file, which the age tool opens too. \
      'llavero status' says which, and why.
      Exit status: 0 done, 1 nothing matched, 2 something that was needed could not be used, 64 usage. See llavero(1).
      """,
    version: "llavero \(Program.wholeVersion)",
    subcommands: Overview.groups.flatMap(\.commands))
}

/// Shows `git-credential` in the help. ``Program/main()`` handles the real call earlier.
struct GitCredentialSubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git-credential",
    abstract: "Speak git's credential helper protocol",
    discussion: GitCredentialCommand.usage)

  @Argument("get, store, erase or capability", value: "operation")
  var operation: String?

  func run() throws(KeychainError) {
    try GitCredentialCommand.run(operation.map { [ByteString($0)] } ?? [])
  }
}

/// Shows `security` in the help. ``Program/main()`` handles the real call earlier, because its options are unusual.
struct SecuritySubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "security",
    abstract: "Be Apple's security command, for scripts from macOS",
    usage: "llavero security [OPTION...] [COMMAND [OPTION...]]",
    discussion: "'llavero security help' lists its commands; llavero-security(1) has the differences.")

  @Argument(parsing: .allUnrecognized, help: .hidden)
  var words: [String] = []
}

/// Shows `run` in the help. ``Program/main()`` handles the real call earlier, because its arguments can be any bytes.
struct RunSubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a program with secrets in its environment",
    usage: "llavero run [--env NAME=REFERENCE]... [OPTION...] -- PROGRAM [ARGUMENT...]",
    discussion: """
      A reference, llavero://SERVICE/ACCOUNT or llavero+https://USER@HOST/PATH, names the secret that the variable \
      gets. 'llavero run --help' has the options.
      """)

  @Argument(parsing: .allUnrecognized, help: .hidden)
  var words: [String] = []

  func run() throws(KeychainError) {
    throw .failure("no program was given", hint: "see 'llavero run --help'", status: .usage)
  }
}

/// Shows `inject` in the help. ``Program/main()`` handles the real call earlier, as for `run`.
struct InjectSubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: InjectCommand.name,
    abstract: "Fill a template with secrets",
    usage: "llavero inject [OPTION...] [TEMPLATE] [-- PROGRAM [ARGUMENT...]]",
    discussion: """
      In the template, ${llavero://SERVICE/ACCOUNT} stands for a secret. It is printed, or kept in a file in memory for \
      as long as a program runs. 'llavero inject --help' has the options.
      """)

  @Argument(parsing: .allUnrecognized, help: .hidden)
  var words: [String] = []
}
