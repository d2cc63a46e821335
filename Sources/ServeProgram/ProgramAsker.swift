import Bytes
import Keychain
import Terminals
import ToolCommands

/// Asks a person what a program may have, for the service that started it: a sentence comes in, and one of the
/// words that are its arguments goes out.
package enum ProgramAsker {
  /// The name that it is run as.
  package static let name = "llavero-serve-ask"

  /// Asks, and ends the process. Nothing is printed if there is no answer.
  package static func main() -> Never {
    Program.begin()
    do throws(Failure) {
      let input = try StandardStreams.readAll(0, limit: 16_384, what: "the question")
      let sentence = input.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let words = Array(CommandLine.arguments.dropFirst())
      if sentence.isEmpty || words.isEmpty {
        throw Failure("this program is only started by llavero serve", status: .usage)
      }
      let answer = try explaining { () throws(KeychainError) in
        try WordPrompt.answer(to: sentence, among: words)
      }
      if let answer { try StandardStreams.write(raw: answer + "\n") }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }
}
