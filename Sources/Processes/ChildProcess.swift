import Bytes
import CLinux
import Glibc
package import Keychain

/// A program started by this one. It is ended when this value is destroyed.
///
/// It gets only descriptors 0 to 2, and the environment without the variables that name programs to run for a
/// passphrase. So a `llavero` that it runs can't call it again without end, and doesn't ask a user who is being asked
/// already.
package struct ChildProcess: ~Copyable {
  /// The connections of its standard input and output. Its standard error is that of this process.
  package enum Streams {
    /// `/dev/null` as input, and a descriptor for output.
    case output(Int32)
    /// The same, without what it says on its standard error.
    case outputAlone(Int32)
    /// A socket for both.
    case conversation(Int32)
    /// A descriptor for each, and one for its standard error.
    case recorded(input: Int32, output: Int32, errors: Int32)

    /// The program's end for its output.
    var descriptor: Int32 {
      switch self {
      case .output(let descriptor), .outputAlone(let descriptor), .conversation(let descriptor): descriptor
      case .recorded(_, let descriptor, _): descriptor
      }
    }
  }

  /// How a program ended.
  package enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private let identifier: pid_t
  /// Whether it holds back the signal that asks it to end, as the thread that started it did.
  private let holdsSignals: Bool
  private var ending: Ending?

  /// Variables that no child process gets.
  static let withheldVariables = [
    "LLAVERO_PASSPHRASE_COMMAND", "LLAVERO_PINENTRY", "LLAVERO_ASKPASS", "SSH_ASKPASS_PROMPT",
  ]

  /// Tells a `llavero` among the child processes why it is run.
  package static let markerVariable = "LLAVERO_ASKING"
  private static var marker: CString { CString("LLAVERO_ASKING=1") }

  /// Starts a program, which is found on the PATH if its name has no slash.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with the program's name.
  ///   - withheld: further variables that it doesn't get.
  ///   - variables: variables that it gets, as `NAME=VALUE`. Those with the same names have to be withheld.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package init(
    _ arguments: [CString], _ streams: Streams, withholding withheld: [String] = [],
    setting variables: [CString] = []
  ) throws(KeychainError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch streams {
    case .output(let descriptor):
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
    case .outputAlone(let descriptor):
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    case .conversation(let socket):
      posix_spawn_file_actions_adddup2(&actions, socket, 0)
      posix_spawn_file_actions_adddup2(&actions, socket, 1)
    case .recorded(let input, let output, let errors):
      posix_spawn_file_actions_adddup2(&actions, input, 0)
      posix_spawn_file_actions_adddup2(&actions, output, 1)
      posix_spawn_file_actions_adddup2(&actions, errors, 2)
    }
    // Close inherited descriptors too, such as that of another passphrase.
    clinux_close_from(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Restore the signals that this program ignores.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // It inherits what this thread holds back. In a process group of its own it could not ask on the terminal.
    var held = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &held)

    let names = Self.withheldVariables + withheld + [Self.markerVariable]
    var environment = Self.environment { variable in names.contains { Self.is(variable, $0) } }
    environment += variables.map { UnsafeMutablePointer(mutating: $0.pointer) }
    environment += [UnsafeMutablePointer(mutating: Self.marker.pointer), nil]
    var pointers = arguments.map {
      UnsafeMutablePointer(mutating: $0.pointer) as UnsafeMutablePointer<CChar>?
    }
    pointers.append(nil)
    var identifier: pid_t = 0
    let failure = posix_spawnp(
      &identifier, arguments[0].pointer, &actions, &attributes, pointers, environment)
    if failure != 0 { throw .system(operation: "run", path: arguments[0].text, errno: failure) }
    self.identifier = identifier
    holdsSignals = sigismember(&held, SIGTERM) == 1
  }

  deinit {
    if ending == nil { Self.end(identifier, atOnce: holdsSignals) }
  }

  /// How the program ended; `nil` if it is still running.
  package mutating func poll() -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    let result = waitpid(identifier, &status, WNOHANG)
    if result == identifier {
      ending = Ending(waitStatus: status)
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

  private static func environment(
    without isWithheld: (UnsafeMutablePointer<CChar>) -> Bool
  ) -> [UnsafeMutablePointer<CChar>?] {
    var kept: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      if !isWithheld(variable) { kept.append(variable) }
      next += 1
    }
    return kept
  }

  /// Whether a `NAME=VALUE` variable has this name.
  private static func `is`(_ variable: UnsafePointer<CChar>, _ name: String) -> Bool {
    let length = name.utf8.count
    return strncmp(variable, name, length) == 0 && variable[length] == CChar(bitPattern: 0x3d)
  }
}

extension ChildProcess.Ending {
  /// Decodes the status of an ended process from waitpid(2): the signal is in the lowest seven bits, the exit status in
  /// bits 8 to 15.
  package init(waitStatus status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
  }

  /// A description that follows "it".
  package var text: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal)"
    }
  }
}

/// A C string from the environment or the program, which lives as long as the process.
package struct CString {
  package let pointer: UnsafePointer<CChar>

  /// The value of a variable; `nil` if it isn't set or is empty.
  package init?(variable name: String) {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    pointer = UnsafePointer(value)
  }

  package init(_ literal: StaticString) {
    pointer = UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Copies a text that is not secret; the copy is never freed.
  package init(copying text: String) {
    guard let copy = strdup(text) else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  /// Copies bytes that are not secret; the copy is never freed.
  package init(copying bytes: ByteString) {
    let copy = (bytes.bytes + [0]).withUnsafeBytes { bytes -> UnsafeMutablePointer<CChar>? in
      bytes.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
    }
    guard let copy else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  /// This program's arguments from an index on.
  package static func arguments(from first: Int) -> [CString] {
    let count = Int(CommandLine.argc)
    return (min(first, count)..<count).compactMap { index in
      CommandLine.unsafeArgv[index].map { CString(pointer: UnsafePointer($0)) }
    }
  }

  /// The bytes of this program's arguments from an index on.
  package static func bytesOfArguments(from first: Int) -> [ByteString] {
    var bytes: [ByteString] = []
    var index = first
    while let argument = argument(at: index) {
      bytes.append(argument.bytes)
      index += 1
    }
    return bytes
  }

  /// An argument of this program; `nil` if there are fewer.
  package static func argument(at index: Int) -> CString? {
    guard index < Int(CommandLine.argc), let argument = CommandLine.unsafeArgv[index] else { return nil }
    return CString(pointer: UnsafePointer(argument))
  }

  package init(pointer: UnsafePointer<CChar>) { self.pointer = pointer }

  /// Passes arguments to `body` in the form that execve(2) takes.
  package static func withPointers<Result>(
    _ arguments: [CString], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    body(arguments.map { UnsafeMutablePointer(mutating: $0.pointer) } + [nil])
  }

  /// The bytes, without the NUL at the end.
  package var bytes: ByteString { ByteString(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))) }

  /// The text, with bytes that are not UTF-8 replaced.
  package var text: String { String(cString: pointer) }
}
