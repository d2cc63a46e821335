package import Bytes
import CLinux
import Glibc
package import Keychain

package enum ProgramOutput {
  package struct Record: ~Copyable {
    package let ending: ProgramEnding
    package let output: Secret
    /// At most the first 64 KiB of standard error.
    package let errors: [UInt8]
  }

  package enum Fault {
    /// The status was not 0.
    case ended(ProgramEnding)
    /// The program was ended after this time.
    case tooSlow(milliseconds: Int)
    /// The program was ended because it printed more than this number of bytes.
    case tooMuch(limit: Int)
  }

  package enum Outcome: ~Copyable {
    case printed(Secret)
    case failed(Fault)
  }

  /// The fault is never ``Fault/ended(_:)``.
  package enum Recorded: ~Copyable {
    case ended(Record)
    case failed(Fault)

    fileprivate consuming func outcome() -> Outcome {
      switch consume self {
      case .failed(let fault): .failed(fault)
      case .ended(let record):
        record.ending == .exited(0) ? .printed(record.output.copy()) : .failed(.ended(record.ending))
      }
    }
  }

  private static let errorLimit = 65_536

  /// Runs a program until it ends, with `/dev/null` as its standard input, and returns its standard output.
  ///
  /// Processes that the program leaves running are not waited for. A signal that ends this process also ends the
  /// program.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with the program's name.
  ///   - withheld: variables to leave out of its environment.
  ///   - variables: variables to add, as `NAME=VALUE`. Withhold those with the same names.
  ///   - timeout: the time limit, in milliseconds.
  ///   - limit: the maximum length of the output, in bytes.
  ///   - showsErrors: whether a person sees its standard error.
  ///   - grace: how many milliseconds it may go on once ``HeldSignals`` holds back a signal; `nil` for a program that
  ///     signals end.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be started, and
  ///   ``KeychainError/promptDismissed`` after a signal.
  package static func read(
    _ arguments: [CString], withholding withheld: [String] = [], setting variables: [CString] = [],
    timeout: Int,
    limit: Int, showsErrors: Bool = true, grace: Int? = nil
  ) throws(KeychainError) -> Outcome {
    try run(
      arguments, withholding: withheld, setting: variables, errors: showsErrors ? .inherited : .null,
      timeout: timeout, limit: limit, grace: grace
    ).outcome()
  }

  /// The same for a program that reads its standard input to the end before it answers.
  ///
  /// - Parameters:
  ///   - grace: how many milliseconds it may go on once ``HeldSignals`` holds back a signal; `nil` for a program that
  ///     signals end.
  ///   - reader: a descriptor whose reader wants this, such as the standard output of git's helper; the program ends
  ///     once nobody reads from it. `nil` if nobody waits.
  /// - Throws: as ``read(_:withholding:timeout:limit:)`` does, and ``KeychainError/promptDismissed`` without a reader.
  package static func converse(
    _ arguments: [CString], sending input: borrowing Secret, timeout: Int, limit: Int, grace: Int? = nil,
    for reader: Int32? = nil
  ) throws(KeychainError) -> Outcome {
    try run(
      arguments, sending: input, takesInput: true, errors: .inherited, timeout: timeout, limit: limit,
      grace: grace,
      for: reader
    ).outcome()
  }

  /// Runs a program until it ends, and records both its standard output and its standard error.
  ///
  /// - Parameters:
  ///   - withheld: variables to leave out of its environment.
  ///   - variables: variables to add, as `NAME=VALUE`.
  /// - Throws: as ``read(_:withholding:timeout:limit:)`` does.
  package static func record(
    _ arguments: [CString], withholding withheld: [String] = [], setting variables: [CString] = [],
    sending input: borrowing Secret = Secret(), timeout: Int, limit: Int
  ) throws(KeychainError) -> Recorded {
    try run(
      arguments, withholding: withheld, setting: variables, sending: input, takesInput: true, errors: nil,
      timeout: timeout, limit: limit)
  }

  /// - Parameter standardError: its standard error; `nil` to record it.
  private static func run(
    _ arguments: [CString], withholding withheld: [String] = [], setting variables: [CString] = [],
    sending input: borrowing Secret = Secret(), takesInput: Bool = false,
    errors standardError: ProgramStart.Descriptor?, timeout: Int, limit: Int, grace: Int? = nil,
    for reader: Int32? = nil
  ) throws(KeychainError) -> Recorded {
    let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
    // A program that asks on the terminal may switch off its echo.
    let terminal = TerminalState()
    var connections = try Connections(
      for: arguments[0].text, takesInput: takesInput, recordsErrors: standardError == nil)
    var child = try ChildProcess(
      arguments,
      [
        takesInput ? .copy(of: connections.input.theirs) : .null, .copy(of: connections.output.theirs),
        standardError ?? .copy(of: connections.errors.theirs),
      ], withholding: withheld, setting: variables)
    connections.closeTheirs()
    if input.isEmpty { connections.input.closeOurs() }
    var deadline = SystemClock.awake + timeout
    var isEnding = false
    var sent = 0
    var output = Secret(capacity: 4096)
    var errors: [UInt8] = []
    func abandon() {
      child.end()
      terminal?.restore()
    }
    while true {
      // Before the last read, so that output just before the end isn't missed.
      let ending = child.poll()
      while connections.output.ours >= 0 {
        var count = 0
        output.append(count: 65_536) { buffer in
          count = StandardStreams.read(connections.output.ours, into: buffer)
          return max(0, count)
        }
        if output.count > limit {
          abandon()
          return .failed(.tooMuch(limit: limit))
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
        // A program that ends by itself leaves the terminal as it should. A pager after this program may have changed
        // it.
        if case .killed = ending { terminal?.restore() }
        return .ended(Record(ending: ending, output: output, errors: errors))
      }
      if connections.input.ours >= 0 {
        let hasMore = input.withUnsafeBytes { send($0, from: &sent, to: connections.input.ours) }
        if !hasMore { connections.input.closeOurs() }
      }
      if let grace, !isEnding, HeldSignals.isAnyPending {
        isEnding = true
        deadline = min(deadline, SystemClock.awake + grace)
      }
      let left = deadline - SystemClock.awake
      if left <= 0 {
        abandon()
        return .failed(.tooSlow(milliseconds: timeout))
      }
      var waiting = [
        pollfd(fd: notes.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.output.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.errors.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connections.input.ours, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: reader ?? -1, events: 0, revents: 0),
      ]
      // If SIGCHLD is blocked, nothing else tells that the program has ended.
      Glibc.poll(&waiting, 5, Int32(min(left, 250)))
      if waiting[4].revents & Int16(POLLERR | POLLHUP) != 0 {
        abandon()
        throw .promptDismissed
      }
      while let number = notes.next() {
        if number == SIGCHLD { continue }
        abandon()
        notes.pass(on: number)
        throw .promptDismissed
      }
    }
  }

  /// Sends as much as fits. Returns whether there is more.
  private static func send(_ bytes: UnsafeRawBufferPointer, from sent: inout Int, to socket: Int32) -> Bool {
    while sent < bytes.count {
      let count = Glibc.send(socket, bytes.start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        // A program that doesn't read has a reason, and its status gives it.
        return errno == EAGAIN
      }
    }
    return false
  }
}

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

  init(for program: String, takesInput: Bool, recordsErrors: Bool) throws(KeychainError) {
    if takesInput {
      var ends: [Int32] = [-1, -1]
      // Unlike a pipe, a socket can tell that nobody reads any more without a signal.
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else {
        throw .system(operation: "make a socket for", path: program, errno: errno)
      }
      input = Pair(ours: ends[0], theirs: ends[1])
    }
    output = try Self.pipe(for: program)
    if recordsErrors { errors = try Self.pipe(for: program) }
    // Programs expect their standard streams to block.
    for descriptor in [input.theirs, output.theirs, errors.theirs] where descriptor >= 0 {
      clinux_make_blocking(descriptor)
    }
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
