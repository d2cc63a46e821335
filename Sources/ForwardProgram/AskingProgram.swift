import Bytes
import Forwarding
import Keychain
import Terminals
import ToolCommands

/// Asks a person what a host may have, for the agent that started it: a question comes in, and a word goes out.
enum AskingProgram {
  /// The name that it is run as.
  static let name = "llavero-forward-ask"

  /// How long it asks at most, in milliseconds: the agent ends it before. If it ended by itself, that would be a no.
  private static let patience = 300_000

  /// Asks, and ends the process. Nothing is printed if there is no answer.
  static func main() -> Never {
    Program.begin()
    do throws(Failure) {
      let input = try StandardStreams.readAll(0, limit: QuestionText.maximumSize, what: "the question")
      guard let question = input.withUnsafeBytes({ try? QuestionText(parsing: $0) }) else {
        throw Failure("this program is only started by llavero-forward", status: .usage)
      }
      let words = Decision.allCases.map(\.rawValue)
      let answer = try explaining { () throws(KeychainError) in
        try WordPrompt.answer(to: question.sentence, among: words, within: patience)
      }
      if let answer { try StandardStreams.write(raw: answer + "\n") }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }
}
