import Bytes
import Glibc

/// A connection that exchanges frames with a plugin, within its time limits.
final class PluginConnection {
  private let process: PluginProcess
  private let settings: PluginSettings
  private let received = Secret(uninitialized: PluginSettings.maximumStanzaSize)
  private var count = 0
  /// In milliseconds.
  private var timeLeft: Int
  private var attendedTimeLeft: Int?

  /// Whether a person may be doing something for the plugin.
  var isAttended = false

  init(_ name: String, stateMachine: String, _ settings: PluginSettings) throws(PluginFault) {
    guard let path = pluginPath(name, searchPath: settings.searchPath) else { throw .notFound }
    self.settings = settings
    timeLeft = Self.milliseconds(settings.timeLimit)
    attendedTimeLeft = settings.attendedTimeLimit.map(Self.milliseconds)
    process = try PluginProcess(
      path: path, stateMachine: stateMachine, standardError: settings.standardError)
  }

  /// Lets the plugin end by itself once it is done.
  func finish() {
    _ = process.end(patiently: true)
  }

  func send(
    _ words: String..., secretWord: UnsafeRawBufferPointer? = nil,
    body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(PluginFault) {
    try PluginFrame.withEncoded(words, secretWord: secretWord, body: body) {
      (frame) throws(PluginFault) in
      try send(frame)
    }
  }

  /// Sends a stanza of a file, preceded by the command and the file's index.
  func send(_ stanza: Stanza) throws(PluginFault) {
    try stanza.body.withUnsafeBytes { body in
      Result { () throws(PluginFault) in
        try PluginFrame.withEncoded(["recipient-stanza", "0", stanza.type] + stanza.arguments, body: body) {
          (frame) throws(PluginFault) in
          try send(frame)
        }
      }
    }.get()
  }

  private func send(_ frame: UnsafeRawBufferPointer) throws(PluginFault) {
    var sent = 0
    while sent < frame.count {
      let rest = frame.part(sent, frame.count - sent)
      let result = Glibc.send(process.input, rest.start, rest.count, Int32(MSG_NOSIGNAL))
      if result >= 0 {
        sent += result
      } else if errno == EAGAIN {
        try wait(for: process.input, POLLOUT)
      } else if errno == EPIPE || errno == ECONNRESET {
        throw .ended(process.end(patiently: true))
      } else if errno != EINTR {
        throw .connection(errno: errno)
      }
    }
  }

  /// The next frame, lent in memory that is wiped.
  func receive() throws(PluginFault) -> PluginFrame {
    let memory = received.unsafeMemory
    var boundary = PluginFrame.Boundary()
    while true {
      let bytes = UnsafeRawBufferPointer(memory.part(0, count))
      if let size = try boundary.find(in: bytes) {
        let frame = try PluginFrame(parsing: bytes.part(0, size))
        memory.copyMemory(from: bytes.part(size, count - size))
        count -= size
        return frame
      }
      guard count < memory.count else { throw .stanzaTooLarge }
      let free = memory.part(count, memory.count - count)
      let result = recv(process.output, free.start, free.count, 0)
      if result > 0 {
        count += result
      } else if result == 0 || errno == ECONNRESET {
        throw .ended(process.end(patiently: true))
      } else if errno == EAGAIN {
        try wait(for: process.output, POLLIN)
      } else if errno != EINTR {
        throw .connection(errno: errno)
      }
    }
  }

  /// Waits until a socket is ready. The time counts against the present limit.
  private func wait(for socket: Int32, _ event: Int32) throws(PluginFault) {
    let start = SystemClock.awake
    let left = isAttended ? attendedTimeLeft : timeLeft
    var descriptor = pollfd(fd: socket, events: Int16(event), revents: 0)
    let ready = left == 0 ? 0 : poll(&descriptor, 1, left.map { Int32(clamping: $0) } ?? -1)
    let failure = errno
    let passed = SystemClock.awake - start
    if isAttended {
      attendedTimeLeft = attendedTimeLeft.map { max($0 - passed, 0) }
    } else {
      timeLeft = max(timeLeft - passed, 0)
    }
    if ready < 0, failure != EINTR { throw .connection(errno: failure) }
    if ready <= 0, (isAttended ? attendedTimeLeft : timeLeft) == 0 { throw .timedOut }
  }

  /// Rounded up. A duration that doesn't fit exceeds a lifetime.
  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return min(max(Int(seconds), 0), 1 << 32) * 1000 + (max(Int(attoseconds), 0) + 999_999_999_999_999)
      / 1_000_000_000_000_000
  }
}
