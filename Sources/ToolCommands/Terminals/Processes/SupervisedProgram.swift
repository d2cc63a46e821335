package import Bytes
import CLinux
import Glibc
package import Keychain

/// A program that this process starts and stands in for: both have the same descriptors, terminal and process group,
/// and signals sent to this process are passed on.
package struct SupervisedProgram: ~Copyable {
  private let signals: Int32
  private let callersMask: sigset_t

  /// Holds back signals from now on, for the program that will be started.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package init() throws(KeychainError) {
    // If SIGCHLD is ignored, a child's exit status is lost.
    signal(SIGCHLD, SIG_DFL)
    var mask = sigset_t()
    signals = clinux_passed_signals(&mask)
    if signals < 0 { throw .system(operation: "take over", path: "signals", errno: errno) }
    callersMask = mask
  }

  deinit {
    close(signals)
    var mask = callersMask
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  package enum Outcome {
    case ended(ProgramEnding)
    /// With this `errno`.
    case failed(Int32)
  }

  /// Starts the program, and returns when it has ended.
  ///
  /// - Parameters:
  ///   - outputs: the pipes that it writes into.
  ///   - hasStarted: called once it runs.
  package borrowing func run(
    _ arguments: [CString], _ environment: borrowing ProgramEnvironment, _ outputs: [FilteredOutput] = [],
    hasStarted: () -> Void = {}
  ) -> Outcome {
    // Earlier signals have reached no program, even those from the terminal.
    var isFromProcess = false
    var early: [Int32] = []
    var waiting = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 0) > 0 { early.append(clinux_next_signal(signals, &isFromProcess)) }
    let descriptors =
      (Int32(0)...2).map { number in
        outputs.first { $0.descriptors.contains(number) }.map { .copy(of: $0.input) } ?? .inherited
      } as [ProgramStart.Descriptor]
    var child: pid_t = 0
    var failure: ProgramStart.Failure?
    environment.withVariables { variables in
      do throws(ProgramStart.Failure) {
        child = try ProgramStart(
          arguments, descriptors, .standIn(blocked: callersMask), environment: variables
        ).run()
      } catch {
        failure = error
      }
    }
    // If none was started, they are held back again for the next one.
    for number in early where number > 0 && number != SIGCHLD {
      kill(failure == nil ? child : getpid(), number)
    }
    if let failure { return .failed(failure.errno) }
    hasStarted()
    return .ended(wait(for: child))
  }

  private func wait(for child: pid_t) -> ProgramEnding {
    while true {
      var isFromProcess = false
      let number = clinux_next_signal(signals, &isFromProcess)
      if number > 0, number != SIGCHLD {
        // Signals from the terminal have reached the program already.
        if isFromProcess { kill(child, number) }
        continue
      }
      while true {
        var status: Int32 = 0
        let result = waitpid(child, &status, number > 0 ? WNOHANG | WUNTRACED : WUNTRACED)
        if result == 0 { break }
        if result < 0, errno == EINTR { continue }
        if result < 0 { return .exited(ExitStatus.keychain.rawValue) }
        if status & 0xff == 0x7f {
          // The program was stopped. Stop this process too, so that the shell notices, until both are continued.
          kill(getpid(), SIGSTOP)
          kill(child, SIGCONT)
          continue
        }
        return ProgramEnding(waitStatus: status)
      }
    }
  }
}
