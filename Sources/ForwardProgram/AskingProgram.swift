import Bytes
import Forwarding
import Keychain
import ToolCommands

/// Asks a person about a host's request, for the agent that started it: reads a question and prints a word.
enum AskingProgram {
  /// The name to run it as.
  static let name = "llavero-forward-ask"

  /// How long it asks, in milliseconds: the agent ends it before. If it ended by itself, that would be a no.
  private static let patience = 300_000

  /// Asks, and ends the process. Prints nothing without an answer.
  static func main() -> Never {
    Program.begin()
    do throws(KeychainError) {
      let input = try StandardStreams.readAll(0, limit: QuestionText.maximumSize, what: "the question")
      guard let question = input.withUnsafeBytes({ try? QuestionText(parsing: $0) }) else {
        throw .failure("this program is only started by llavero-forward", status: .usage)
      }
      let words = Decision.allCases.map(\.rawValue)
      let answer = try WordPrompt.answer(to: question.sentence, among: words, within: patience)
      if let answer { try StandardStreams.write(raw: answer + "\n") }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }
}
