import Bytes
import CredentialProtocols
import Glibc
import Keychain

/// `llavero-credential`, which git and other tools wait for. It has only their protocols, so that it is small and
/// starts fast.
package enum CredentialProgram {
  /// Answers the calling tool, and ends the process.
  package static func main() -> Never {
    Program.begin()
    do throws(KeychainError) {
      if let status = try Program.answerTool() { Program.end(status) }
      switch CString.arguments(from: 1).first?.text {
      case "--help"?, "-h"?: try StandardStreams.write(raw: usage)
      case "--version"?, "-V"?: try StandardStreams.write(raw: Program.versionLine)
      case let operand: throw refusal(of: operand)
      }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }

  private static func refusal(of operand: String?) -> KeychainError {
    guard let operand, !operand.hasPrefix("-") else {
      return .failure(
        "no tool was named whose protocol \(Executables.tools) is to speak",
        hint: "see \(command: Executables.tools, "--help")", status: .usage)
    }
    return .failure(
      "\(Executables.tools) has no command '\(operand)', because it only speaks the protocols of tools",
      hint: "run \(command: "llavero", operand)", status: .usage)
  }

  private static var usage: String {
    """
    usage: \(Executables.tools) TOOL [ARGUMENT...]

    Speaks a tool's protocol, as it does by the name of a link that the tool calls; see llavero-credential(1).
    There are \(([GitCredentialCommand.operand] + Tool.all.map(\.name)).joined(separator: ", ")).
    All that a person types, llavero does.

    """
  }
}
