import Bytes
import Keychain
import ToolCommands

/// Asks a person about a program's access, for the service that started it: it reads a sentence, and prints one of the
/// words given as its arguments.
package enum ProgramAsker {
  /// Its name as a program.
  package static let name = "llavero-serve-ask"

  /// Asks, and ends the process. Prints nothing if there is no answer.
  package static func main() -> Never {
    Program.begin()
    do throws(KeychainError) {
      let input = try StandardStreams.readAll(0, limit: 16_384, what: "the question")
      let sentence = input.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let words = Array(CommandLine.arguments.dropFirst())
      if sentence.isEmpty || words.isEmpty {
        throw .failure("this program is only started by llavero serve", status: .usage)
      }
      let answer = try WordPrompt.answer(to: sentence, among: words)
      if let answer { try StandardStreams.write(raw: answer + "\n") }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }
}
