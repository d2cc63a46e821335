import Forwarding
import Keychain

/// A request for the keychain under way.
final class KeychainRequest {
  enum State {
    /// It waits for its turn among the programs.
    case queued
    /// The program opens the keychain.
    case program(PipedProgram)
    case asking
    /// The answer, which its sender has not fetched yet, and the log's outcome.
    case answered(ForwardResponse, LoggedRequest.Outcome)
  }

  /// The hosts on the way, or the socket.
  let hosts: [VerifiedHost]
  /// The request as received.
  let text: Secret
  /// The parsed request, without its changes, which may contain secrets.
  let summary: RequestSummary
  /// The sender's ticket for asking again.
  let ticket: ByteString
  /// When it came, and when it is given up, in milliseconds since boot.
  let arrival: Int
  let end: Int
  var state = State.queued
  /// The sender's permissions when the program was started.
  var permissions: Permissions?
  /// When that was, in milliseconds since boot.
  var start = 0

  init(
    _ hosts: [VerifiedHost], _ text: consuming Secret, _ summary: RequestSummary, ticket: Int, arrival: Int,
    end: Int
  ) {
    self.hosts = hosts
    self.text = text
    self.summary = summary
    self.ticket = ByteString("\(ticket)")
    self.arrival = arrival
    self.end = end
  }

  /// The program that opens the keychain, if it is running.
  var program: PipedProgram? {
    if case .program(let program) = state { program } else { nil }
  }
}
