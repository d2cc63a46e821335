import ArgumentParser
import CLinux
import CredentialProtocols
import EncryptedFile
import Glibc
import UnlockCache

/// The program, whichever name it is called by.
public enum Program {
  /// The version of all executables (Semantic Versioning 2.0.0).
  public static let version = "0.1.0"

  // Set once, before anything else runs.
  nonisolated(unsafe) static private(set) var secretService: SecretServiceProvider?

  /// This program, as what keeps a vault unlocked where the kernel's keyring can't be used.
  static let agent = AgentProgram(path: "/proc/self/exe", name: "llavero-agent")

  static let versionLine = "llavero \(version)\n"

  /// Runs what the program's name and first operand ask for, and ends the process.
  ///
  /// `git-credential-llavero` is a link to `llavero`; `llavero git-credential` is the same for where there are no
  /// links. This is decided before ArgumentParser starts, whose reflection takes longer than an answer.
  ///
  /// - Parameter secretService: the way to the Secret Service, which only `llavero-secret-service` has.
  public static func main(secretService: SecretServiceProvider? = nil) -> Never {
    self.secretService = secretService
    ProcessSettings.make()
    StandardStreams.occupy()
    let name = CommandLine.arguments.first?.split(separator: "/").last
    if name == agent.name[...] {
      clinux_refuse_core_for_good()
      Agent.main()
    }
    let arguments = CommandLine.arguments
    do throws(Failure) {
      if name == agent.name[...] {
        throw Failure(
          "llavero starts its agent by itself", hint: "see 'llavero unlock --help'", status: .usage)
      } else if name == ProgramLinks.git[...] {
        try GitCredentialCommand.run(Array(arguments.dropFirst()))
      } else if name == SecurityCommand.name[...] {
        _exit(SecurityCommand.run(CString.arguments(from: 1)))
      } else if let name, let tool = Tool.called(name) {
        _exit(ToolCommand.run(tool, as: String(name), argumentsFrom: 1))
      } else if arguments.count > 1, arguments[1] == "git-credential" {
        try GitCredentialCommand.run(Array(arguments.dropFirst(2)))
      } else if arguments.count > 1, arguments[1] == CompleteCommand.name {
        CompleteCommand.run(CString.arguments(from: 2))
      } else if arguments.count == 3, arguments[1] == "--generate-completion-script",
        let shell = CompletionShell(rawValue: arguments[2])
      {
        try StandardStreams.write(CompletionScript.text(for: shell))
      } else if arguments.count > 1, arguments[1] == "run" {
        _exit(try RunCommand.run(CString.arguments(from: 2)))
      } else if arguments.count > 1, arguments[1] == SecurityCommand.name {
        _exit(SecurityCommand.run(CString.arguments(from: 2)))
      } else if arguments.count > 1, let tool = Tool.named(arguments[1]) {
        _exit(ToolCommand.run(tool, as: tool.programName, argumentsFrom: 2))
      } else {
        if arguments.count < 2 {
          throw Failure("no command was given", hint: "see 'llavero --help'", status: .usage)
        }
        try refuseGarbledArguments()
        if try HelpTopic.answer(Array(arguments.dropFirst())) { _exit(Status.done.rawValue) }
        try runCommand(Array(arguments.dropFirst()))
      }
    } catch {
      error.report()
      exit(error.status.rawValue)
    }
    // Nothing is buffered, and what others have registered for the end takes time.
    _exit(Status.done.rawValue)
  }

  private static func runCommand(_ arguments: [String]) throws(Failure) {
    do {
      var command = try LlaveroCommand.parseAsRoot(arguments)
      try command.run()
    } catch let failure as Failure {
      throw failure
    } catch {
      let status = LlaveroCommand.exitCode(for: error)
      // Help and version are asked for by "errors" that are none.
      if status.isSuccess { LlaveroCommand.exit(withError: error) }
      throw Failure(
        usage: LlaveroCommand.message(for: error), helpCommand: helpCommand(for: arguments))
    }
  }

  /// Refuses arguments that are not UTF-8: `CommandLine.arguments` has other bytes in their place, and an item
  /// would be looked for, or stored, under a name that nobody gave.
  private static func refuseGarbledArguments() throws(Failure) {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      if String(validatingCString: argument) == nil {
        throw Failure(
          "argument \(index) is not UTF-8", hint: "in a URL, other bytes are written %XX", status: .usage)
      }
    }
  }

  private static func helpCommand(for arguments: [String]) -> String {
    let names = LlaveroCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    return arguments.first.flatMap { names.contains($0) ? "llavero \($0) --help" : nil } ?? "llavero --help"
  }

  /// A variable of the environment as git reads booleans; `nil` if it isn't set.
  static func environmentFlag(_ name: String) -> Bool? {
    VaultLocation.environmentVariable(name).map {
      !["0", "false", "no", "off", ""].contains($0.lowercased())
    }
  }
}
