package import CLinux
import Glibc

/// A program to start, and its share of this process. Every program starts this way (posix_spawn(3)).
package struct ProgramStart {
  package enum Descriptor {
    /// This process's descriptor of that number; `/dev/null` if it is closed here.
    case inherited
    /// `/dev/null`, for reading and writing.
    case null
    /// A copy of this one, whatever its number.
    case copy(of: Int32)
  }

  /// What the program inherits besides its first descriptors.
  package struct Policy {
    /// Whether it has every descriptor that exec(3) leaves open, instead of only the given ones.
    package var keepsDescriptors = false
    /// The signals blocked at its start; `nil` for those of this thread.
    package var blocked: sigset_t?
    /// The signals with their default effect again, even if this process ignores them.
    package var restored = sigset_t()
    /// Whether it has no terminal and gets no signals sent to the process group.
    package var hasOwnSession = false

    private static var none: sigset_t {
      var signals = sigset_t()
      sigemptyset(&signals)
      return signals
    }

    private static var all: sigset_t {
      var signals = sigset_t()
      sigfillset(&signals)
      return signals
    }

    /// A program that may ask the person on the terminal. It blocks the same signals as this thread: in the middle of
    /// a change, Ctrl-C ends neither.
    package static var attended: Policy {
      var restored = none
      // This program ignores it for itself, not for its caller.
      sigaddset(&restored, SIGXFSZ)
      return Policy(restored: restored)
    }

    /// A program that may ask on the terminal, started by a library whose process may ignore and block any signals.
    package static var plugin: Policy {
      var policy = attended
      policy.blocked = none
      sigaddset(&policy.restored, SIGPIPE)
      return policy
    }

    /// A program that replaces this one for its caller.
    ///
    /// - Parameter blocked: the signals blocked by the caller.
    package static func standIn(blocked: sigset_t) -> Policy {
      Policy(keepsDescriptors: true, blocked: blocked, restored: none)
    }

    /// A program that works for this one, and can always be ended.
    package static var worker: Policy { Policy(blocked: none, restored: all) }

    /// A program that goes on by itself.
    package static var background: Policy { Policy(blocked: none, restored: all, hasOwnSession: true) }
  }

  package struct Failure: Error {
    package let errno: Int32
  }

  /// The arguments, beginning with its name.
  package var arguments: [CString]
  /// The executable; `nil` for the one that the first argument names, searched on the PATH unless it has a slash.
  package var path: CString?
  /// Its variables, `NAME=VALUE`; `nil` for those of this process.
  package var environment: [CString]?
  /// Its descriptors from 0 on.
  package var descriptors: [Descriptor]
  package var policy: Policy

  package init(
    _ arguments: [CString], at path: CString? = nil, _ descriptors: [Descriptor], _ policy: Policy,
    environment: [CString]? = nil
  ) {
    (self.arguments, self.path, self.descriptors) = (arguments, path, descriptors)
    (self.policy, self.environment) = (policy, environment)
  }

  /// - Returns: the process, which has to be waited for.
  /// - Throws: ``Failure`` if it can't be started.
  package func run() throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Out of the way of the numbers replaced below.
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (number, descriptor) in zip(Int32(0)..., descriptors) {
      switch descriptor {
      case .copy(of: let source):
        let copy =
          source < descriptors.count ? clinux_duplicate(source, Int32(max(3, descriptors.count))) : source
        if copy < 0 { throw Failure(errno: errno) }
        if copy != source { copies.append(copy) }
        posix_spawn_file_actions_adddup2(&actions, copy, number)
      case .inherited where policy.keepsDescriptors || fcntl(number, F_GETFD) >= 0: continue
      case .inherited, .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    if !policy.keepsDescriptors { clinux_close_from(&actions, Int32(max(3, descriptors.count))) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var flags = Int16(POSIX_SPAWN_SETSIGDEF)
    var restored = policy.restored
    posix_spawnattr_setsigdefault(&attributes, &restored)
    if var blocked = policy.blocked {
      posix_spawnattr_setsigmask(&attributes, &blocked)
      flags |= Int16(POSIX_SPAWN_SETSIGMASK)
    }
    // POSIX_SPAWN_SETSID, a GNU extension (spawn.h).
    if policy.hasOwnSession { flags |= 0x80 }
    posix_spawnattr_setflags(&attributes, flags)

    var process: pid_t = 0
    let environment = environment ?? CString.environment { _ in true }
    let start = { (path: UnsafePointer<CChar>) in
      CString.withPointers(arguments) { words in
        CString.withPointers(environment) { variables in
          posix_spawn(&process, path, &actions, &attributes, words, variables)
        }
      }
    }
    let failure = path.map { start($0.pointer) } ?? ProgramSearch.run(arguments[0], start)
    if failure != 0 { throw Failure(errno: failure) }
    return process
  }
}
