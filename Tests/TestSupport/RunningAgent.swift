import Age
import CLinux
public import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import Synchronization

/// An agent on a thread of this process. It ends when this is released at the latest.
public final class RunningAgent: Sendable {
  /// The folder that the agent is in.
  public let path: String
  private let folder: TemporaryFolder?
  private let end: Int32
  private let ending = Ending()

  /// What the thread shares with this object, and may hold longer.
  private final class Ending: Sendable {
    let isOver = Mutex(false)
  }

  /// Starts an agent in a fresh folder. It ends when it keeps nothing any more.
  public convenience init() throws {
    let folder = TemporaryFolder()
    try self.init(folder.path, folder)
  }

  /// Starts an agent in a folder, such as a keychain's state folder. It keeps a key of its own, so that it goes on when
  /// the keychain is locked.
  public convenience init(in path: String) throws {
    try self.init(path, nil)
    let uuid = "00000000-0000-0000-0000-000000000000"
    try cache().keep(X25519Identity(), Secret(String(repeating: "k", count: 32)), of: uuid)
  }

  private init(_ path: String, _ folder: TemporaryFolder?) throws {
    var ends: [Int32] = [-1, -1]
    clinux_pipe(&ends)
    (self.path, self.folder, end) = (path, folder, ends[1])
    let place = try Folder(creating: path)
    let listener = clinux_listen_unix(Agent.socketPath(in: place), 64)
    precondition(listener >= 0, "cannot listen: errno \(errno)")
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    onThreadOfItsOwn { [signals = ends[0], ending] in
      Agent(listener: listener, folder: descriptor, signals: signals)?.run()
      for descriptor in [listener, descriptor, signals] { close(descriptor) }
      ending.isOver.withLock { $0 = true }
    }
  }

  deinit { close(end) }

  /// A cache that uses this agent.
  public func cache(idle: Int = 900, total: Int = 28_800) -> UnlockCache {
    UnlockCache(limits: UnlockLimits(idle: idle, total: total), runtimeFolder: nil, stateFolder: path)
  }

  /// Waits until the agent has ended, for at most 20 seconds.
  public func ends() -> Bool {
    for _ in 0..<400 {
      if ending.isOver.withLock({ $0 }) { return true }
      usleep(50_000)
    }
    return false
  }
}
