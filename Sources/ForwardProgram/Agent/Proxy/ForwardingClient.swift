import Bytes
import Forwarding
import Glibc

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
  let session: ForwardingSession
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
  /// What was logged last of its requests, and when.
  private var logged: (entry: LoggedRequest, answer: Int, at: Int)?
  /// A person's decisions for this connection.
  var decisions = OnceDecisions()
  /// The sandbox that ends with this connection.
  var sandbox: ByteString?

  init(_ descriptor: Int32, _ entry: EntryPoint, process: Int) {
    self.descriptor = descriptor
    self.entry = entry
    self.process = process
    session = ForwardingSession(entry, process)
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

  /// Whether an entry only repeats the one that was logged a moment ago, but for its date, and the client has got the very
  /// same answer: a program finds out what there is, and asks once more to take it, or to say why there is nothing. If it
  /// doesn't, it counts as logged.
  ///
  /// - Parameters:
  ///   - answer: the answer's hash.
  ///   - time: when the request came, in milliseconds since boot.
  func repeats(_ entry: LoggedRequest, answer: Int, cameAt time: Int) -> Bool {
    if let logged, logged.answer == answer, time - logged.at < Self.timeToRepeat {
      var former = logged.entry
      former.date = entry.date
      if former == entry { return true }
    }
    logged = (entry, answer, SystemClock.sinceBoot)
    return false
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
