import CLinux
import Glibc
import Synchronization
import TestSupport

/// A unix socket whose other end follows a script, once for each connection.
final class ScriptedBus: Sendable {
  /// A step of the script.
  enum Step: Sendable {
    /// Reads a whole request of the handshake.
    case read
    case send(String)
    /// Sends a byte every ten milliseconds, until this side closes the connection.
    case drip(UInt8)
    /// Sends bytes as fast as they are read, until this side closes the connection.
    case flood(UInt8)
    /// Does nothing until this side closes the connection.
    case wait
  }

  private let folder = TemporaryFolder()
  private let received = Mutex<[UInt8]>([])
  private let listener: Int32
  private let hasThread: Bool

  var path: String { folder["bus"] }
  var address: String { "unix:path=" + path }

  /// The bytes received so far.
  var request: [UInt8] { received.withLock { $0 } }

  /// Listens; with `steps`, a separate thread accepts connections.
  init(_ steps: [Step]?) {
    listener = clinux_listen_unix(folder["bus"], 10)
    precondition(listener >= 0, "cannot listen at \(folder["bus"])")
    clinux_make_blocking(listener)
    hasThread = steps != nil
    guard let steps else { return }
    let job = Job(listener, steps, self)
    onThreadOfItsOwn { job.run() }
  }

  deinit {
    // This wakes the thread, which closes the socket.
    if hasThread { shutdown(listener, Int32(SHUT_RDWR)) } else { close(listener) }
  }

  private final class Job: Sendable {
    let listener: Int32
    let steps: [Step]
    // The thread must not keep alive the bus that ends it.
    nonisolated(unsafe) weak var bus: ScriptedBus?

    init(_ listener: Int32, _ steps: [Step], _ bus: ScriptedBus) {
      self.listener = listener
      self.steps = steps
      self.bus = bus
    }

    func run() {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { break }
        for step in steps { perform(step, on: connection) }
        // A program that another test has started meanwhile may have a copy, so closing alone may not hang up.
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
      }
      close(listener)
    }

    private func perform(_ step: Step, on connection: Int32) {
      switch step {
      case .read:
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while !text(line).hasSuffix("BEGIN\r\n"), read(connection, &byte, 1) == 1 { line.append(byte) }
        bus?.received.withLock { $0 = line }
      case .send(let text): _ = put(Array(text.utf8), connection)
      case .drip(let byte): while put([byte], connection) { usleep(10_000) }
      case .flood(let byte): while put([UInt8](repeating: byte, count: 4096), connection) {}
      case .wait:
        var byte: UInt8 = 0
        while read(connection, &byte, 1) == 1 {}
      }
    }

    private func put(_ bytes: [UInt8], _ connection: Int32) -> Bool {
      send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.suffix(7), as: UTF8.self) }
  }
}
