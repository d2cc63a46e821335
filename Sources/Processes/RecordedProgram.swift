package import Bytes
import CLinux
import Glibc
package import Keychain
import Terminals

/// Runs a program, and records what it prints on both its standard output and its standard error.
package enum RecordedProgram {
  /// What the program has printed, and how it ended.
  package struct Record: ~Copyable {
    package let ending: ChildProcess.Ending
    package let output: Secret
    /// Its standard error, of which the first 64 KiB are kept.
    package let errors: [UInt8]
  }

  /// How it went.
  package enum Outcome: ~Copyable {
    case ended(Record)
    /// The program was ended after this time.
    case tooSlow(milliseconds: Int)
    /// The program was ended because it printed more than this number of bytes.
    case tooMuch(limit: Int)
  }

  private static let errorLimit = 65_536

  /// Runs a program until it ends. Processes that it leaves running are not waited for. A signal that ends this process
  /// also ends the program.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with the program's name.
  ///   - withheld: variables that it doesn't get.
  ///   - variables: variables that it gets, as `NAME=VALUE`.
  ///   - input: what it reads from its standard input.
  ///   - timeout: the time limit, in milliseconds.
  ///   - limit: the maximum length of the output, in bytes.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be started.
  package static func run(
    _ arguments: [CString], withholding withheld: [String], setting variables: [CString],
    sending input: borrowing Secret, timeout: Int, limit: Int
  ) throws(KeychainError) -> Outcome {
    let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
    let terminal = TerminalState()
    var connections = try Connections(for: arguments[0].text)
    var child = try ChildProcess(
      arguments,
      .recorded(
        input: connections.input.theirs, output: connections.output.theirs, errors: connections.errors.theirs),
      withholding: withheld, setting: variables)
    connections.closeTheirs()
    if input.isEmpty { connections.input.closeOurs() }

    var sent = 0
    var output = Secret(capacity: 4096)
    var errors: [UInt8] = []
    let deadline = SystemClock.awake + timeout
    func abandon() {
      child.end()
      terminal?.restore()
    }
    while true {
      // Before the last read, so that what was printed just before the end isn't missed.
      let ending = child.poll()
      while connections.output.ours >= 0 {
        var count = 0
        output.append(count: 65_536) { buffer in
          count = StandardStreams.read(connections.output.ours, into: buffer)
          return max(0, count)
        }
        if output.count > limit {
          abandon()
          return .tooMuch(limit: limit)
        }
        if count == 0 { connections.output.closeOurs() }
        if count <= 0 { break }
      }
      while connections.errors.ours >= 0 {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { StandardStreams.read(connections.errors.ours, into: $0) }
        if count > 0 { errors += buffer.prefix(min(count, max(0, errorLimit - errors.count))) }
        if count == 0 { connections.errors.closeOurs() }
        if count <= 0 { break }
      }
      if let ending {
        if case .killed = ending { terminal?.restore() }
        return .ended(Record(ending: ending, output: output, errors: errors))
      }
      if connections.input.ours >= 0 {
        let hasMore = input.withUnsafeBytes { bytes in
          send(bytes, from: &sent, to: connections.input.ours)
        }
        if !hasMore { connections.input.closeOurs() }
      }
      let left = deadline - SystemClock.awake
      if left <= 0 {
        abandon()
        return .tooSlow(milliseconds: timeout)
      }
      var waiting = [
        pollfd(fd: notes.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.output.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.errors.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.input.ours, events: Int16(POLLOUT), revents: 0),
      ]
      // If SIGCHLD is blocked, nothing else tells that the program has ended.
      Glibc.poll(&waiting, 4, Int32(min(left, 250)))
      while let number = notes.next() {
        if number == SIGCHLD { continue }
        abandon()
        notes.pass(on: number)
        throw .promptDismissed
      }
    }
  }

  /// Sends what fits. Returns whether there is more to send.
  private static func send(_ bytes: UnsafeRawBufferPointer, from sent: inout Int, to socket: Int32) -> Bool {
    while sent < bytes.count, let base = bytes.baseAddress {
      let count = Glibc.send(socket, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        // A program that doesn't read has a reason, and its status says it.
        return errno == EAGAIN
      }
    }
    return false
  }
}

/// The connections to a program's standard streams.
private struct Connections: ~Copyable {
  struct Pair {
    var ours: Int32 = -1
    var theirs: Int32 = -1

    mutating func closeOurs() {
      if ours >= 0 { close(ours) }
      ours = -1
    }

    mutating func closeTheirs() {
      if theirs >= 0 { close(theirs) }
      theirs = -1
    }
  }

  var input = Pair()
  var output = Pair()
  var errors = Pair()

  init(for program: String) throws(KeychainError) {
    var ends: [Int32] = [-1, -1]
    // Unlike a pipe, a socket can tell that nobody reads any more without a signal.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else {
      throw .system(operation: "make a socket for", path: program, errno: errno)
    }
    input = Pair(ours: ends[0], theirs: ends[1])
    output = try Self.pipe(for: program)
    errors = try Self.pipe(for: program)
    // Programs don't expect that of their standard streams.
    for descriptor in [input.theirs, output.theirs, errors.theirs] { clinux_make_blocking(descriptor) }
  }

  private static func pipe(for program: String) throws(KeychainError) -> Pair {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      throw .system(operation: "make a pipe for", path: program, errno: errno)
    }
    return Pair(ours: ends[0], theirs: ends[1])
  }

  mutating func closeTheirs() {
    input.closeTheirs()
    output.closeTheirs()
    errors.closeTheirs()
  }

  deinit {
    for pair in [input, output, errors] {
      for descriptor in [pair.ours, pair.theirs] where descriptor >= 0 { close(descriptor) }
    }
  }
}
