import Bytes
import CLinux
import Forwarding
import Glibc
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// Answers one request from the keychain, for the agent that started it: work comes in, and its outcome goes out.
enum AnsweringProgram {
  /// The name that it is run as.
  static let name = "llavero-forward-answer"

  /// Answers, and ends the process.
  static func main() -> Never {
    do throws(Failure) {
      // Before anything is read: with the Secret Service, another program takes over here.
      var selection = KeychainSelection()
      selection.isForTool = true
      selection.readsSecrets = true
      let selected = try selection.choose()
      let text = try StandardStreams.readAll(0, limit: ForwardingWork.maximumSize, what: "the work")
      try StandardStreams.write(answer(text, selected).encoded)
    } catch {
      Program.end(error)
    }
    Program.end(Status.done.rawValue)
  }

  private static func answer(
    _ text: borrowing Secret, _ selected: SelectedKeychain
  ) throws(Failure) -> ForwardingService.Outcome {
    let work: ForwardingWork
    do throws(ForwardingWork.Malformed) {
      work = try text.withUnsafeBytes { (bytes) throws(ForwardingWork.Malformed) in
        try ForwardingWork(parsing: bytes)
      }
    } catch {
      throw Failure("this program is only started by llavero-forward", status: .usage)
    }
    guard let request = work.request.withUnsafeBytes({ try? ForwardRequest(parsing: $0) }) else {
      return .response(.fault(.malformed))
    }
    return ForwardingService(try selected.open().keychain, work.permissions).answer(request)
  }
}
