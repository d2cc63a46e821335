import Bytes
import CLinux
import Glibc
package import Keychain
import Terminals

/// Reads the output of a program.
package enum ProgramOutput {
  /// The reason why there is no output.
  package enum Fault {
    /// The program ended with a status other than 0.
    case ended(ChildProcess.Ending)
    /// The program was ended after this time.
    case tooSlow(milliseconds: Int)
    /// The program was ended because it printed more than this number of bytes.
    case tooMuch(limit: Int)
  }

  /// Output or failure.
  package enum Outcome: ~Copyable {
    case printed(Secret)
    case failed(Fault)
  }

  /// Runs a program until it ends, and returns its standard output. Its standard input is `/dev/null`.
  ///
  /// Processes that the program leaves running are not waited for. A signal that ends this process also ends the
  /// program.
  ///
  /// - Parameters:
  ///   - timeout: the time limit, in milliseconds.
  ///   - limit: the maximum length of the output, in bytes.
  ///   - showsErrors: whether a person sees what it says on its standard error.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be started.
  package static func read(
    _ arguments: [CString], withholding withheld: [String] = [], timeout: Int, limit: Int,
    showsErrors: Bool = true
  ) throws(KeychainError) -> Outcome {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      throw .system(operation: "make a pipe for", path: arguments[0].text, errno: errno)
    }
    return try read(
      arguments, from: ends[0], showsErrors ? .output(ends[1]) : .outputAlone(ends[1]), withholding: withheld,
      timeout: timeout, limit: limit
    ) { _ in }
  }

  /// The same for a program that reads its standard input to the end before it answers.
  ///
  /// - Parameters:
  ///   - input: what it reads.
  ///   - grace: for how many milliseconds it may go on once a signal is pending that ``HeldSignals`` holds back; `nil`
  ///     for a program that signals end.
  ///   - reader: a descriptor whose other end somebody reads who wants this, such as the standard output of git's helper;
  ///     the program ends once nobody does. `nil` if nobody is waited for.
  /// - Throws: as ``read(_:withholding:timeout:limit:)`` does, and ``KeychainError/promptDismissed`` without a reader.
  package static func converse(
    _ arguments: [CString], sending input: borrowing Secret, timeout: Int, limit: Int, grace: Int? = nil,
    for reader: Int32? = nil
  ) throws(KeychainError) -> Outcome {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else {
      throw .system(operation: "make a socket for", path: arguments[0].text, errno: errno)
    }
    return try read(
      arguments, from: ends[0], .conversation(ends[1]), withholding: [], timeout: timeout, limit: limit,
      grace: grace, for: reader
    ) { socket in
      // A program that has ended doesn't read, and its status says why.
      input.withUnsafeBytes { send($0, to: socket, until: SystemClock.awake + timeout) }
      shutdown(socket, Int32(SHUT_WR))
    }
  }

  private static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32, until deadline: Int) {
    var sent = 0
    while sent < bytes.count {
      let count = Glibc.send(socket, bytes.start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      if count > 0 { sent += count }
      if count > 0 || errno == EINTR { continue }
      let left = deadline - SystemClock.awake
      guard errno == EAGAIN, left > 0 else { return }
      var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      poll(&room, 1, Int32(min(left, 1000)))
    }
  }

  private static func read(
    _ arguments: [CString], from output: Int32, _ streams: ChildProcess.Streams,
    withholding withheld: [String],
    timeout: Int, limit: Int, grace: Int? = nil, for reader: Int32? = nil, begin: (Int32) -> Void
  ) throws(KeychainError) -> Outcome {
    let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
    // A program that asks on the terminal may switch off its echo.
    let terminal = TerminalState()
    defer { close(output) }
    let theirs = streams.descriptor
    // Only this end is non-blocking, because programs don't expect that of their standard streams.
    clinux_make_blocking(theirs)
    var child: ChildProcess
    do throws(KeychainError) {
      child = try ChildProcess(arguments, streams, withholding: withheld)
    } catch {
      close(theirs)
      throw error
    }
    close(theirs)
    begin(output)

    func abandon() {
      child.end()
      terminal?.restore()
    }

    var deadline = SystemClock.awake + timeout
    var isEnding = false
    var printed = Secret(capacity: 4096)
    var isOpen = true
    while true {
      // Before the last read from the pipe, so that output printed just before the end isn't missed.
      let ending = child.poll()
      var hasMore = isOpen
      while hasMore {
        var count = 0
        printed.append(count: 4096) { buffer in
          count = StandardStreams.read(output, into: buffer)
          return max(0, count)
        }
        if printed.count > limit {
          abandon()
          return .failed(.tooMuch(limit: limit))
        }
        if count == 0 { isOpen = false }
        hasMore = count > 0
      }
      if ending == .exited(0) { return .printed(printed) }
      if let ending {
        // One that ends by itself leaves the terminal as it should. A pager after this program may have changed it.
        if case .killed = ending { terminal?.restore() }
        return .failed(.ended(ending))
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
        pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: reader ?? -1, events: 0, revents: 0),
      ]
      // If SIGCHLD is blocked, nothing else tells that the program has ended.
      Glibc.poll(&waiting, 3, Int32(min(left, 250)))
      if waiting[2].revents & Int16(POLLERR | POLLHUP) != 0 {
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
}
