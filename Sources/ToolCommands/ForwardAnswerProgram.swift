import Bytes
import Forwarding
import Glibc
import Keychain
import KeychainChoice

/// Answers one request from another machine, for the agent that forwards the keychain: it reads work, and writes the
/// outcome.
package enum ForwardAnswerProgram {
  /// Its name as a program.
  package static let name = "llavero-forward-answer"

  /// Answers, and ends the process.
  ///
  /// - Parameter secretService: opens the Secret Service; only `llavero-secret-service` passes one.
  package static func main(secretService: SecretServiceAccess? = nil) -> Never {
    Program.begin(secretService: secretService)
    do throws(KeychainError) {
      // Before anything is read: for the Secret Service, another program takes over here. This one may start before
      // there is work, and has to use the keychain chosen by then.
      guard waitsForWork() else { Program.end(ExitStatus.done.rawValue) }
      var selection = KeychainSelection()
      selection.isForTool = true
      selection.readsSecrets = true
      selection.mayBeForwarded = false
      let opener = try selection.chooseOrExec()
      let text = try StandardStreams.readAll(0, limit: ForwardingWork.maximumSize, what: "the work")
      try StandardStreams.write(answer(text, opener).encoded)
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }

  /// Returns `false` if no work will come.
  private static func waitsForWork() -> Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, -1) < 0 {}
    return input.revents & Int16(POLLIN) != 0
  }

  private static func answer(
    _ text: borrowing Secret, _ opener: ProgramOpener
  ) throws(KeychainError) -> ForwardingService.Outcome {
    let work: ForwardingWork
    do throws(ForwardingWork.Malformed) {
      work = try text.withUnsafeBytes { (bytes) throws(ForwardingWork.Malformed) in
        try ForwardingWork(parsing: bytes)
      }
    } catch {
      throw .failure("this program is only started by llavero-forward", status: .usage)
    }
    guard let request = work.request.withUnsafeBytes({ try? ForwardRequest(parsing: $0) }) else {
      return .response(.fault(.malformed))
    }
    let isInvited = work.permissions.invites(request.query, by: request.tool)
    let open = try (isInvited ? opener : opener.withoutAsking).open()
    let outcome = ForwardingService(open.keychain, work.permissions).answer(request)
    if case .response(.items) = outcome, case .change = request.action { open.remember(isSaid: false) }
    return outcome
  }
}
