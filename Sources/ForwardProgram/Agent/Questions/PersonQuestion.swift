import Bytes
import Forwarding
import Keychain

/// A question that a person is being asked, or will be, with the clients that wait for its answer.
final class PersonQuestion {
  let session: ForwardingSession
  let hosts: [VerifiedHost]
  let tool: ByteString
  let question: ForwardingService.Question
  var clients: [ForwardingClient]
  /// The asking program, and when it is given up, in milliseconds since boot.
  var program: (PipedProgram, end: Int)?

  init(_ client: ForwardingClient, _ request: KeychainRequest, _ question: ForwardingService.Question) {
    session = client.session
    hosts = request.hosts
    tool = request.summary.tool
    self.question = question
    clients = [client]
  }

  /// Whether an answer to this one answers the other as well.
  func isSame(as other: PersonQuestion) -> Bool {
    session == other.session && hosts == other.hosts && tool == other.tool
      && question.right == other.question.right
      && question.item.key.primaryKey == other.question.item.key.primaryKey
  }

  var text: QuestionText {
    QuestionText(hosts: hosts.map { ByteString($0.host.description) }, tool: tool, question)
  }
}
