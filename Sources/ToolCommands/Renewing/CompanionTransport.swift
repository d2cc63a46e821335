import Bytes
import CLinux
import Glibc
import Keychain
package import SignIn

/// Exchanges requests with servers through the network program, for one without network. That starts at the first
/// request, keeps its connections, and ends with this object.
package final class CompanionTransport: Transport {
  private let path: String
  private let setup: ExchangeSetup
  private var running: Conversation?

  /// `nil` if the program isn't installed or can't be started, or `LLAVERO_NETWORK` is `never`.
  package init?(_ setup: ExchangeSetup) {
    guard let companion = NetworkCompanion() else { return nil }
    path = companion.path
    self.setup = setup
  }

  package func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    // More than the program's own time limit, which it reports itself.
    let deadline = SystemClock.awake + setup.timeout + 5000
    let text = try answer(to: request.encoded(), until: deadline)
    let outcome: ExchangeOutcome
    do throws(JSONReader.Malformed) {
      outcome = try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try ExchangeOutcome(parsing: text)
      }
    } catch {
      throw abandon(at: deadline)
    }
    switch consume outcome {
    case .reply(let reply): return reply
    case .fault(let fault): throw fault
    }
  }

  private func answer(to message: consuming Secret, until deadline: Int) throws(TransportFault) -> Secret {
    let conversation = try started()
    guard conversation.send(ExchangeFrame.framed(message), until: deadline) else {
      throw abandon(at: deadline)
    }
    guard let answer = conversation.message(until: deadline) else { throw abandon(at: deadline) }
    return answer
  }

  private func started() throws(TransportFault) -> Conversation {
    if let running { return running }
    let conversation: Conversation
    do throws(KeychainError) {
      conversation = try Conversation(path)
    } catch {
      throw .unreachable("\(Executables.network) can't be started")
    }
    guard conversation.send(ExchangeFrame.framed(setup.encoded), until: SystemClock.awake + setup.timeout)
    else { throw .unreachable("\(Executables.network) has ended") }
    running = conversation
    return conversation
  }

  /// Ends the program: anything it still sends would not answer the next request.
  private func abandon(at deadline: Int) -> TransportFault {
    running = nil
    return SystemClock.awake >= deadline
      ? .tooSlow(milliseconds: setup.timeout) : .unreachable("\(Executables.network) has ended")
  }
}

extension CompanionTransport: BrowserVisiting {
  package static var patience: Int { 600_000 }

  package func visit(_ visit: borrowing BrowserVisit) throws(TransportFault) -> BrowserReturn {
    let deadline = SystemClock.awake + Self.patience + 5000
    let text = try answer(to: visit.encoded(), until: deadline)
    do throws(JSONReader.Malformed) {
      return try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try BrowserReturn(parsing: text)
      }
    } catch {
      throw abandon(at: deadline)
    }
  }
}

private final class Conversation {
  private let socket: Int32
  private var child: ChildProcess

  init(_ path: String) throws(KeychainError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else {
      throw .system(operation: "make a socket for", path: path, errno: errno)
    }
    defer { close(ends[1]) }
    clinux_make_blocking(ends[1])
    do throws(KeychainError) {
      child = try ChildProcess(
        [CString(copying: path), CString("exchange")], [.copy(of: ends[1]), .copy(of: ends[1]), .inherited])
    } catch {
      close(ends[0])
      throw error
    }
    socket = ends[0]
  }

  deinit { close(socket) }

  /// Returns whether all of it could be sent in time.
  func send(_ frame: borrowing Secret, until deadline: Int) -> Bool {
    frame.withUnsafeBytes(TimedSocket(socket, until: deadline).send)
  }

  /// `nil` if none came in time, or it is invalid.
  func message(until deadline: Int) -> Secret? {
    let socket = TimedSocket(socket, until: deadline)
    guard let length = socket.receive(ExchangeFrame.lengthSize),
      let size = length.withUnsafeBytes({ ExchangeFrame.size($0) })
    else { return nil }
    return socket.receive(size)
  }
}
