import Bytes
import Forwarding
import Glibc
import SSH

/// Where a client comes in.
enum EntryPoint: Hashable, Sendable {
  /// The socket for ssh, where hosts are verified.
  case forwarding
  /// The socket of this name, for what can't be verified, such as a container. Whoever reaches it may have what the
  /// rules for the socket say.
  case socket(ByteString)
  /// The socket of `llavero forward`, with which the person controls the agent.
  case control
}

/// A client of the agent: an ssh that forwards, or a program in a container.
final class ForwardingClient {
  /// What a client waits for. Until it has come, the client's next frame is left where it is.
  enum Waiting {
    case nothing
    /// The person's agent.
    case upstream
    /// Its reply to a bind, until a time in milliseconds since boot. After that the reply is whether the bind is right,
    /// and the agent's own is passed over when it comes.
    case bind(isRight: Bool, until: Int)
    /// The names of the extensions of the person's agent.
    case names(UpstreamAgent, until: Int)
    /// The answer to its request for the keychain, until a time in milliseconds since boot. After that it is told to
    /// ask again.
    case keychain(until: Int)
  }

  let descriptor: Int32
  let entry: EntryPoint
  /// The process at the other end.
  let process: Int
  /// The session that a person's decisions count for, and the bounds on what one ssh or socket may take.
  let session: Session
  /// Larger frames than a person's agent takes, for items may be as large.
  var incoming = AgentFrames(maximumLength: KeychainExtension.maximumSize + 64)
  var outgoing = OutgoingBytes()
  var trust = ConnectionTrust()
  /// The person's agent for this client. Once it is gone, there is no other: a new connection would lack the binds, by
  /// which that agent knows that the client is a remote one, and what it must not do for it.
  private(set) var upstream: UpstreamAgent?
  private(set) var hasLostUpstream = false
  var waiting = Waiting.nothing
  /// The request for the keychain that is being answered, also while its sender was told to ask again.
  var request: KeychainRequest?
  /// What a person has decided for this connection.
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

  /// Whether its next frame may be taken. Who doesn't read replies can't ask for more of them.
  var takesFrames: Bool {
    if case .nothing = waiting { return outgoing.isEmpty }
    return false
  }

  /// The events to wait for. A client that is waiting is still watched, to see it go.
  var events: Int16 {
    var events = outgoing.isEmpty ? Int16(0) : Int16(POLLOUT)
    if takesFrames { events |= Int16(POLLIN) }
    return events | Int16(POLLRDHUP)
  }

  /// Sends a frame, now or when the client takes it. Returns false if the connection is broken.
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

/// A request for the keychain on its way.
final class KeychainRequest {
  /// How far it is.
  enum State {
    /// It waits for a place among the programs.
    case queued
    /// The program opens the keychain.
    case program(PipedProgram)
    /// A person is being asked, or will be.
    case asking
    /// This is the answer, which its sender has not taken yet, and what the log says of it.
    case answered(ForwardResponse, LoggedRequest.Outcome)
  }

  /// The hosts on the way, or the socket.
  let hosts: [VerifiedHost]
  /// The request as it came.
  let text: Secret
  /// The same, parsed; without its changes, which may hold secrets.
  let summary: RequestSummary
  /// What its sender asks again with.
  let ticket: ByteString
  /// When it is given up, in milliseconds since boot.
  let end: Int
  var state = State.queued
  /// What its sender might have when the program was started.
  var permissions: Permissions?
  /// When that was, in milliseconds since boot.
  var start = 0

  init(
    _ hosts: [VerifiedHost], _ text: consuming Secret, _ summary: RequestSummary, ticket: Int, end: Int
  ) {
    self.hosts = hosts
    self.text = text
    self.summary = summary
    self.ticket = ByteString("\(ticket)")
    self.end = end
  }

  /// The program that opens the keychain, if it runs.
  var program: PipedProgram? {
    if case .program(let program) = state { program } else { nil }
  }
}

/// A host on the way, as rules and the log name it.
struct VerifiedHost: Hashable, Sendable {
  /// The host.
  let host: ForwardedHost
  /// The fingerprint of its key; `nil` for a socket.
  let fingerprint: String?

  /// Makes a host.
  init(_ host: ForwardedHost, fingerprint: String?) {
    self.host = host
    self.fingerprint = fingerprint
  }
}
