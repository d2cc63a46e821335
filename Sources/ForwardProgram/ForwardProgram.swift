import Bytes
import Glibc
import Keychain
import ToolCommands

/// `llavero-forward`, the companion that forwards the keychain. `llavero forward` starts it; people don't.
package enum ForwardProgram {
  /// Runs as the agent, or as the program that answers one request, and ends the process.
  package static func main() -> Never {
    if Program.name == ForwardAnswerProgram.name { ForwardAnswerProgram.main() }
    if Program.name == AskingProgram.name { AskingProgram.main() }
    Program.begin()
    let arguments = CString.arguments(from: 1).map(\.text)
    switch arguments.first {
    case AgentCommand.operand?: AgentCommand.main(Array(arguments.dropFirst()))
    case "--version"?, "-V"?:
      do throws(KeychainError) {
        try StandardStreams.write(raw: Program.versionLine)
      } catch {
        Program.end(error)
      }
      Program.end(ExitStatus.done.rawValue)
    default:
      Program.end(
        KeychainError(
          "llavero-forward is started by llavero", hint: "see \(command: "llavero", "forward", "--help")",
          status: .usage))
    }
  }
}
