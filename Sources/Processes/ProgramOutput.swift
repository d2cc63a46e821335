import Bytes
import CLinux
import Glibc
package import Keychain
import Terminals

/// What a program prints.
package enum ProgramOutput {
  /// Why there is none.
  package enum Fault {
    /// It ended otherwise than with status 0.
    case ended(ChildProcess.Ending)
    /// It was ended after that many milliseconds.
    case tooSlow(milliseconds: Int)
    /// It was ended, for it printed more than that many bytes.
    case tooMuch(limit: Int)
  }

  /// Either.
  package enum Outcome: ~Copyable {
    case printed(Secret)
    case failed(Fault)
  }

  /// Runs a program until it ends, and returns what it has printed on standard output. Its standard input is
  /// `/dev/null`.
  ///
  /// What a program leaves running is not waited for. A signal that ends this process ends the program too.
  ///
  /// - Parameters:
  ///   - timeout: how many milliseconds it may take.
  ///   - limit: the most that it may print, in bytes.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be started.
  package static func read(
    _ arguments: [CString], withholding withheld: [String] = [], timeout: Int, limit: Int
  ) throws(KeychainError) -> Outcome {
    let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
    // One that asks on the terminal may switch its echo off.
    let terminal = TerminalState()
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      throw .system(operation: "make a pipe for", path: arguments[0].text, errno: errno)
    }
    let output = ends[0]
    defer { close(output) }
    // Only this end waits for nothing: a program does not expect that of its standard output.
    clinux_make_blocking(ends[1])
    var child: ChildProcess
    do throws(KeychainError) {
      child = try ChildProcess(arguments, .output(ends[1]), withholding: withheld)
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])

    func abandon() {
      child.end()
      terminal?.restore()
    }

    let deadline = SystemClock.awake + timeout
    var printed = Secret(capacity: 4096)
    var isOpen = true
    while true {
      // Before the last look at the pipe, so that nothing printed before the end is missed.
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
      if let ending { return ending == .exited(0) ? .printed(printed) : .failed(.ended(ending)) }
      let left = deadline - SystemClock.awake
      if left <= 0 {
        abandon()
        return .failed(.tooSlow(milliseconds: timeout))
      }
      var waiting = [
        pollfd(fd: notes.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0),
      ]
      // Where SIGCHLD is blocked, nothing else tells that it has ended.
      Glibc.poll(&waiting, 2, Int32(min(left, 250)))
      while let number = notes.next() {
        if number == SIGCHLD { continue }
        abandon()
        notes.pass(on: number)
        throw .promptDismissed
      }
    }
  }
}
