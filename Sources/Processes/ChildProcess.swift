import Bytes
import CLinux
import Glibc
package import Keychain

/// A program that this one has started, and that is gone when this one lets go of it.
///
/// It gets descriptors 0 to 2 and no other, and the environment without what names programs to run for a passphrase: a
/// `llavero` that it runs in turn can't come back here for ever, nor does it ask a person who is being asked already.
package struct ChildProcess: ~Copyable {
  /// Where its standard input and output lead. Its standard error is that of this process.
  package enum Streams {
    /// `/dev/null`, and a descriptor.
    case output(Int32)
    /// One socket for both.
    case conversation(Int32)
  }

  /// How it ended.
  package enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private let identifier: pid_t
  private var ending: Ending?

  /// Variables that no child sees.
  static let withheldVariables = [
    "LLAVERO_PASSPHRASE_COMMAND", "LLAVERO_PINENTRY", "LLAVERO_ASKPASS", "SSH_ASKPASS_PROMPT",
  ]

  /// Tells a `llavero` among them what it is run for.
  package static let markerVariable = "LLAVERO_ASKING"
  private static var marker: CString { CString("LLAVERO_ASKING=1") }

  /// Starts a program, found along the PATH if its name has no slash.
  ///
  /// - Parameters:
  ///   - arguments: from the program's own name on.
  ///   - withheld: further variables that it doesn't see.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package init(
    _ arguments: [CString], _ streams: Streams, withholding withheld: [String] = []
  ) throws(KeychainError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch streams {
    case .output(let descriptor):
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
    case .conversation(let socket):
      posix_spawn_file_actions_adddup2(&actions, socket, 0)
      posix_spawn_file_actions_adddup2(&actions, socket, 1)
    }
    // Also what this process was given, such as the descriptor of another passphrase.
    clinux_close_from(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this program ignores for itself.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    let names = Self.withheldVariables + withheld + [Self.markerVariable]
    var environment = Self.environment { variable in names.contains { Self.is(variable, $0) } }
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
  }

  deinit {
    if ending == nil { Self.end(identifier) }
  }

  /// How it ended; `nil` if it still runs.
  package mutating func poll() -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    let result = waitpid(identifier, &status, WNOHANG)
    if result == identifier {
      ending = Ending(waitStatus: status)
    } else if result < 0, errno != EINTR {
      // Somebody else has asked after all children.
      ending = .exited(0)
    }
    return ending
  }

  /// Asks it to end, and a second later does not ask. Returns when it is gone.
  package mutating func end() {
    if ending != nil { return }
    Self.end(identifier)
    ending = .killed(signal: SIGKILL)
  }

  private static func end(_ identifier: pid_t) {
    var status: Int32 = 0
    kill(identifier, SIGTERM)
    // One that is stopped would not notice.
    kill(identifier, SIGCONT)
    let deadline = SystemClock.awake + 1000
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

  /// Whether a variable, `NAME=VALUE`, has this name.
  private static func `is`(_ variable: UnsafePointer<CChar>, _ name: String) -> Bool {
    let length = name.utf8.count
    return strncmp(variable, name, length) == 0 && variable[length] == CChar(bitPattern: 0x3d)
  }
}

extension ChildProcess.Ending {
  /// What waitpid(2) says of a process that has ended: the signal is in the lowest seven bits, the exit status in the
  /// eight above the lowest.
  package init(waitStatus status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
  }

  /// In words, after "it".
  package var text: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal)"
    }
  }
}

/// A text of the environment or of this program, which lives as long as the process, byte for byte.
package struct CString {
  package let pointer: UnsafePointer<CChar>

  /// A variable; `nil` if it isn't set, or is empty.
  package init?(variable name: String) {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    pointer = UnsafePointer(value)
  }

  package init(_ literal: StaticString) {
    pointer = UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Copies a text, which is no secret, for good.
  package init(copying text: String) {
    guard let copy = strdup(text) else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  /// Copies bytes, which are no secret, for good.
  package init(copying bytes: ByteString) {
    let copy = (bytes.bytes + [0]).withUnsafeBytes { bytes -> UnsafeMutablePointer<CChar>? in
      bytes.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
    }
    guard let copy else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  /// This program's arguments from a position on.
  package static func arguments(from first: Int) -> [CString] {
    let count = Int(CommandLine.argc)
    return (min(first, count)..<count).compactMap { index in
      CommandLine.unsafeArgv[index].map { CString(pointer: UnsafePointer($0)) }
    }
  }

  /// One of this program's arguments; `nil` if there are not so many.
  package static func argument(at index: Int) -> CString? {
    guard index < Int(CommandLine.argc), let argument = CommandLine.unsafeArgv[index] else { return nil }
    return CString(pointer: UnsafePointer(argument))
  }

  /// This program's arguments from a position on: what is not UTF-8 in them becomes U+FFFD. It is
  /// quicker than `CommandLine.arguments`, which makes several arrays of them.
  package static func texts(from first: Int) -> [String] {
    var texts: [String] = []
    for index in first..<max(first, Int(CommandLine.argc)) {
      if let argument = CommandLine.unsafeArgv[index] { texts.append(String(cString: argument)) }
    }
    return texts
  }

  package init(pointer: UnsafePointer<CChar>) { self.pointer = pointer }

  /// Lends arguments as execve(2) takes them.
  package static func withPointers<Result>(
    _ arguments: [CString], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    body(arguments.map { UnsafeMutablePointer(mutating: $0.pointer) } + [nil])
  }

  /// Its bytes, without the NUL at the end.
  package var bytes: ByteString { ByteString(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))) }

  /// As far as it is UTF-8.
  package var text: String { String(cString: pointer) }
}
