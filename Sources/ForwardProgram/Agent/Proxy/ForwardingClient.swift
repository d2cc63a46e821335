import Bytes
import Forwarding
import Glibc

/// Where a client connects.
enum EntryPoint: Hashable, Sendable {
  /// The socket for ssh, where hosts are verified.
  case forwarding
  /// The socket of this name, for unverified clients such as a container. Everyone who reaches it has the socket's
  /// permissions.
  case socket(ByteString)
  /// The socket of `llavero forward`, by which the person controls the agent.
  case control
}

/// A client of the agent: an ssh that forwards, or a program in a container.
final class ForwardingClient {
  /// The reason why a client's next frame must wait.
  enum Waiting {
    case nothing
    case upstream
    /// The agent's reply to a bind, until a time in milliseconds since boot. After that the reply only says whether the
    /// bind is valid, and the agent's own is skipped when it comes.
    case bind(isRight: Bool, until: Int)
    /// The names of the extensions of the person's agent.
    case names(UpstreamAgent, until: Int)
    /// The answer to its request for the keychain, until a time in milliseconds since boot. After that it is told to
    /// ask again.
    case keychain(until: Int)
  }

  let descriptor: Int32
  let entry: EntryPoint
  let process: Int
  /// The session that a person's decisions apply to, and that limits how much one ssh or socket may use.
  let session: Session
  /// Larger frames than a person's agent accepts, because items may be as large.
  var incoming = AgentFrames(maximumLength: KeychainExtension.maximumSize + 64)
  var outgoing = OutgoingBytes()
  var trust = ConnectionTrust()
  /// The person's agent for this client. Once gone, it isn't replaced: a new connection would lack the binds, by which
  /// that agent knows that the client is remote, and what not to do for it.
  private(set) var upstream: UpstreamAgent?
  private(set) var hasLostUpstream = false
  var waiting = Waiting.nothing
  /// The request for the keychain under way, even after its sender was told to ask again.
  var request: KeychainRequest?
  /// The request that was refused last, and when that was logged.
  private var refusal: (of: RequestSummary, at: Int)?
  /// A person's decisions for this connection.
  var decisions = OnceDecisions()
  /// The sandbox that ends with this connection.
  var sandbox: ByteString?

  init(_ descriptor: Int32, _ entry: EntryPoint, process: Int) {
    self.descriptor = descriptor
    self.entry = entry
    self.process = process
    session = Session(entry, process)
  }

  deinit { close(descriptor) }

  func use(_ agent: UpstreamAgent) { upstream = agent }

  func loseUpstream() {
    upstream = nil
    hasLostUpstream = true
  }

  /// Whether nothing is being done for it. It may have sent a part of a frame, or not have read its reply.
  var isIdle: Bool {
    if case .nothing = waiting { return request == nil && sandbox == nil }
    return false
  }

  /// Whether its next frame may be taken. A client that doesn't read replies can't ask for more.
  var takesFrames: Bool {
    if case .nothing = waiting { return outgoing.isEmpty }
    return false
  }

  /// Whether a request only repeats one that was refused a moment ago: to say why it found nothing, a program asks once
  /// more.
  func repeatsRefusal(_ summary: RequestSummary, at now: Int) -> Bool {
    guard let refusal else { return false }
    return refusal.of == summary && now - refusal.at < Self.timeToRepeat
  }

  /// Remembers that a request has been refused; `nil` forgets it, once another answer has been given.
  func noteRefusal(of request: KeychainRequest?, at now: Int) {
    guard let request else { return refusal = nil }
    if !request.repeatsRefusal { refusal = (request.summary, now) }
  }

  /// In milliseconds.
  private static let timeToRepeat = 5000

  /// The events to wait for. A waiting client is still watched, to see it leave.
  var events: Int16 {
    var events = outgoing.isEmpty ? Int16(0) : Int16(POLLOUT)
    if takesFrames { events |= Int16(POLLIN) }
    return events | Int16(POLLRDHUP)
  }

  /// Sends a frame, at once or when the client accepts it. Returns false if the connection is broken.
  func send(_ frame: UnsafeRawBufferPointer) -> Bool {
    outgoing.append(frame)
    return outgoing.send(to: descriptor)
  }

  func send(_ frame: [UInt8]) -> Bool { frame.withUnsafeBytes { send($0) } }

  func send(_ response: ForwardResponse) -> Bool {
    let frame = AgentFrame.encode(
      AgentMessageType.extensionResponse, extensionName: KeychainExtension.name, response.encoded)
    return frame.withUnsafeBytes { send($0) }
  }

  private var POLLRDHUP: Int32 { 0x2000 }  // poll(2), a GNU extension.
}

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
  /// Whether its sender was refused the same a moment ago, so that another refusal says nothing new.
  let repeatsRefusal: Bool
  /// The sender's ticket for asking again.
  let ticket: ByteString
  /// When it is given up, in milliseconds since boot.
  let end: Int
  var state = State.queued
  /// The sender's permissions when the program was started.
  var permissions: Permissions?
  /// When that was, in milliseconds since boot.
  var start = 0

  init(
    _ hosts: [VerifiedHost], _ text: consuming Secret, _ summary: RequestSummary, repeatsRefusal: Bool,
    ticket: Int, end: Int
  ) {
    self.hosts = hosts
    self.text = text
    self.summary = summary
    self.repeatsRefusal = repeatsRefusal
    self.ticket = ByteString("\(ticket)")
    self.end = end
  }

  /// The program that opens the keychain, if it is running.
  var program: PipedProgram? {
    if case .program(let program) = state { program } else { nil }
  }
}

/// A host on the way, as named by rules and the log.
struct VerifiedHost: Hashable, Sendable {
  let host: ForwardedHost
  /// The fingerprint of its key; `nil` for a socket.
  let fingerprint: String?

  init(_ host: ForwardedHost, fingerprint: String?) {
    self.host = host
    self.fingerprint = fingerprint
  }
}
