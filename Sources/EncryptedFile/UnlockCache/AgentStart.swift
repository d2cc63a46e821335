import Bytes
import CLinux
import Glibc
import Keychain
import PrivateFiles

/// The program that becomes an agent.
public struct AgentProgram: Hashable, Sendable {
  /// The executable.
  public let path: String
  /// The name to run it as, which makes it an agent.
  public let name: String

  /// Takes the executable, and the name to run it as.
  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}

/// The descriptors that an agent starts with.
package enum AgentDescriptor {
  package static let listener: Int32 = 3
  /// The lock, held by the agent as long as it lives.
  package static let lock: Int32 = 4
  /// The folder of both.
  package static let folder: Int32 = 5
}

extension AgentProgram {
  static let lockName = "agent.lock"

  /// Whether there is an agent in the folder, or one is being started. It holds the lock as long as it lives.
  static func lives(in path: String) -> Bool {
    guard let folder = try? Folder(opening: path) else { return false }
    do throws(KeychainError) {
      try FileLock.check(lockName, in: folder, patience: 0)
      return false
    } catch .busy {
      return true
    } catch {
      return false
    }
  }

  /// Starts an agent in the folder, unless there is one.
  ///
  /// The socket listens before the agent runs, so clients that connect meanwhile wait for it. The lock passes to the
  /// agent; its holder may replace the socket left by a dead agent.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``, ``KeychainError/unsafeFile(path:_:)``.
  func start(in path: String) throws(KeychainError) {
    let folder = try Folder(creating: path)
    let lock: FileLock
    do throws(KeychainError) {
      lock = try FileLock(Self.lockName, in: folder, patience: 0) {}
    } catch .busy {
      return
    }
    unlinkat(folder.descriptor, Agent.socketName, 0)
    let listener = clinux_listen_unix(Agent.socketPath(in: folder), 256)
    if listener < 0 { throw .system(operation: "make a socket in", path: path, errno: errno) }
    defer { close(listener) }
    let descriptors: [ProgramStart.Descriptor] =
      [.null, .null, .null] + [listener, lock.descriptor, folder.descriptor].map { .copy(of: $0) }
    let start = self.path.withCString { path in
      name.withCString { name in
        Result { () throws(ProgramStart.Failure) in
          try ProgramStart(
            [CString(pointer: name)], at: CString(pointer: path), descriptors, .background,
            environment: [Self.tunables]
          ).run()
        }
      }
    }
    if case .failure(let failure) = start {
      unlinkat(folder.descriptor, Agent.socketName, 0)
      throw .system(operation: "start", path: self.path, errno: failure.errno)
    }
    lock.handOn()
  }

  /// Overwrites freed memory before it is reused. Nothing else of this process's environment is passed on.
  private static var tunables: CString {
    CString("GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165")
  }
}

extension Agent {
  /// Becomes an agent with the descriptors passed by ``AgentProgram/start(in:)``, and ends the process.
  ///
  /// - Returns: only without the descriptors, for example if a person has run the program under the agent's name.
  package static func main() {
    guard clinux_is_listening(AgentDescriptor.listener) else { return }
    for descriptor in AgentDescriptor.listener...AgentDescriptor.folder {
      clinux_close_on_exec(descriptor)
    }
    chdir("/")
    // Executed as /proc/self/exe, it would otherwise be named "exe".
    clinux_name_thread("llavero-agent")
    guard
      let agent = Agent(
        listener: AgentDescriptor.listener, folder: AgentDescriptor.folder, signals: clinux_ending_signals())
    else {
      unlinkat(AgentDescriptor.folder, socketName, 0)
      _exit(1)
    }
    agent.run()
    _exit(0)
  }
}
