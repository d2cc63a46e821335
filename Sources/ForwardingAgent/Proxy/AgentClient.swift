package import Bytes
package import Forwarding
import Glibc
import SSH

/// Where a client comes in.
package enum EntryPoint: Hashable, Sendable {
  /// The socket for ssh, where hosts are verified.
  case forwarding
  /// The socket of this name, for what can't be verified, such as a container. Whoever reaches it may have what the
  /// rules for the socket say.
  case socket(ByteString)
}

/// A client of the agent: an ssh that forwards, or a program in a container.
final class AgentClient {
  /// What a client waits for. Until it has come, the client's next frame is left where it is.
  enum Waiting {
    case nothing
    /// The person's agent.
    case upstream
    /// Its reply to a bind, until a time in milliseconds since boot. After that the connection to it is given up, and
    /// the reply is whether the bind is right.
    case bind(isRight: Bool, until: Int)
    /// The names of the extensions of the person's agent.
    case names(UpstreamAgent, until: Int)
    /// A place among the programs that open the keychain.
    case turn(KeychainRequest)
    /// The program that opens the keychain.
    case program(KeychainRequest, KeychainProgram)
  }

  let descriptor: Int32
  let entry: EntryPoint
  /// The process at the other end, for the bounds on what one ssh may take.
  let process: Int
  /// Larger frames than a person's agent takes, for items may be as large.
  var incoming = AgentFrames(maximumLength: KeychainExtension.maximumSize + 64)
  var outgoing = OutgoingBytes()
  var trust = ConnectionTrust()
  var upstream: UpstreamAgent?
  var waiting = Waiting.nothing
  /// A request whose sender was told to ask again.
  var parked: KeychainRequest?

  init(_ descriptor: Int32, _ entry: EntryPoint, process: Int) {
    self.descriptor = descriptor
    self.entry = entry
    self.process = process
  }

  deinit { close(descriptor) }

  var isIdle: Bool {
    if case .nothing = waiting { return parked == nil && incoming.count == 0 && outgoing.isEmpty }
    return false
  }

  /// The events to wait for. A client that is waiting is still watched, to see it go.
  var events: Int16 {
    var events = outgoing.isEmpty ? Int16(0) : Int16(POLLOUT)
    if case .nothing = waiting { events |= Int16(POLLIN) }
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
  /// The hosts on the way, or the socket.
  let hosts: [VerifiedHost]
  /// The request as it came.
  let text: Secret
  /// The same, parsed; without its changes, which may hold secrets.
  let summary: RequestSummary
  /// What the sender may have.
  let permissions: Permissions

  init(
    _ hosts: [VerifiedHost], _ text: consuming Secret, _ summary: RequestSummary, _ permissions: Permissions
  ) {
    self.hosts = hosts
    self.text = text
    self.summary = summary
    self.permissions = permissions
  }
}

/// A host on the way, as rules and the log name it.
package struct VerifiedHost: Hashable, Sendable {
  /// The host.
  package let host: ForwardedHost
  /// The fingerprint of its key; `nil` for a socket.
  package let fingerprint: String?

  /// Makes a host.
  package init(_ host: ForwardedHost, fingerprint: String?) {
    self.host = host
    self.fingerprint = fingerprint
  }
}
