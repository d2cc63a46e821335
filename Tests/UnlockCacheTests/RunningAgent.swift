import CLinux
import Glibc
import PrivateFiles
import Synchronization
import TestSupport

@testable import UnlockCache

/// An agent on a thread of this process.
final class RunningAgent: Sendable {
  let folder = TemporaryFolder()
  private let hasEnded = Mutex(false)

  /// Starts the agent.
  init() throws {
    let place = try Folder(creating: folder.path)
    let listener = clinux_listen_unix(Agent.socketPath(in: place), 64)
    precondition(listener >= 0, "cannot listen: errno \(errno)")
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // The thread keeps this object alive until the agent has ended, which the test waits for.
    onThreadOfItsOwn {
      Agent(listener: listener, folder: descriptor, signals: -1)?.run()
      close(listener)
      close(descriptor)
      self.hasEnded.withLock { $0 = true }
    }
  }

  /// A client of this agent.
  var client: AgentClient { AgentClient(in: folder.path) }

  /// A cache that uses this agent.
  func cache(idle: Int = 900, total: Int = 28_800) -> UnlockCache {
    UnlockCache(
      mode: .agent, limits: UnlockLimits(idle: idle, total: total), runtimeFolder: nil,
      stateFolder: folder.path)
  }

  /// Waits until the agent has ended, for at most 20 seconds.
  func ends() -> Bool {
    for _ in 0..<400 {
      if hasEnded.withLock({ $0 }) { return true }
      usleep(50_000)
    }
    return false
  }
}

extension AgentClient {
  /// A client of the agent in a folder. What it forgets is forgotten there alone: a cache that forgets all keys takes
  /// those out of this user's keyring, too, which other tests keep there meanwhile.
  init(in folder: String) {
    self.init(places: AgentPlaces(runtimeFolder: nil, stateFolder: folder), program: nil)
  }
}
