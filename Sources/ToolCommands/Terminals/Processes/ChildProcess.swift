package import Bytes
import Glibc
package import Keychain

/// A child program that may ask the person. It is ended when this value is destroyed.
///
/// It gets only descriptors 0 to 2, and no variables that name programs to run for a passphrase. So a `llavero` that
/// it runs can't call it again without end, and doesn't ask a user who is already being asked.
package struct ChildProcess: ~Copyable {
  private let identifier: pid_t
  /// Whether it holds back the signal to end, as the thread that started it did.
  private let holdsSignals: Bool
  private var ending: ProgramEnding?

  private static let withheldVariables = [
    "LLAVERO_PASSPHRASE_COMMAND", "LLAVERO_PINENTRY", "LLAVERO_ASKPASS", "SSH_ASKPASS_PROMPT",
  ]

  /// Tells a `llavero` among the child processes why it is run.
  package static let markerVariable = "LLAVERO_ASKING"
  private static var marker: CString { CString("LLAVERO_ASKING=1") }

  /// Starts a program, looked up on the PATH if its name has no slash.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with the program's name.
  ///   - streams: its standard input, output and error.
  ///   - withheld: further variables to leave out of its environment.
  ///   - variables: variables to add, as `NAME=VALUE`; existing ones of the same name have to be withheld.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package init(
    _ arguments: [CString], _ streams: [ProgramStart.Descriptor], withholding withheld: [String] = [],
    setting variables: [CString] = []
  ) throws(KeychainError) {
    let names = Self.withheldVariables + withheld + [Self.markerVariable]
    let kept = CString.environment { variable in !names.contains { variable.isVariable($0) } }
    do throws(ProgramStart.Failure) {
      identifier = try ProgramStart(
        arguments, streams, .attended, environment: kept + variables + [Self.marker]
      ).run()
    } catch {
      throw .system(operation: "run", path: arguments[0].text, errno: error.errno)
    }
    var held = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &held)
    holdsSignals = sigismember(&held, SIGTERM) == 1
  }

  deinit {
    if ending == nil { Self.end(identifier, atOnce: holdsSignals) }
  }

  /// `nil` if the program is still running.
  package mutating func poll() -> ProgramEnding? {
    if let ending { return ending }
    var status: Int32 = 0
    let result = waitpid(identifier, &status, WNOHANG)
    if result == identifier {
      ending = ProgramEnding(waitStatus: status)
    } else if result < 0, errno != EINTR {
      // Someone else has waited for all children.
      ending = .exited(0)
    }
    return ending
  }

  /// Asks the program to end, and kills it after a second, or at once if it would not notice. Returns when it is gone.
  package mutating func end() {
    if ending != nil { return }
    Self.end(identifier, atOnce: holdsSignals)
    ending = .killed(signal: SIGKILL)
  }

  private static func end(_ identifier: pid_t, atOnce: Bool) {
    var status: Int32 = 0
    let deadline = SystemClock.awake + (atOnce ? 0 : 1000)
    if !atOnce {
      kill(identifier, SIGTERM)
      // A stopped process would not notice.
      kill(identifier, SIGCONT)
    }
    while SystemClock.awake < deadline {
      if waitpid(identifier, &status, WNOHANG) != 0 { return }
      usleep(2000)
    }
    kill(identifier, SIGKILL)
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
  }
}
