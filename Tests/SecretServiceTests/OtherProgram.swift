import CLinux
import Glibc

/// Another program, which the test ends.
final class Program {
  let process: pid_t

  /// Starts the program.
  ///
  /// - Parameter stated: the name to pass to it, if not its own.
  init(_ name: String, _ arguments: [String], as stated: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // What another test has just opened would stay open as long as the program.
    clinux_close_from(&actions, 3)
    let words = ([stated ?? name] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, name, &actions, nil, words + [nil], environ)
    if failure != 0 { throw CannotStart(name: name, errno: failure) }
    self.process = process
  }

  func end() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  struct CannotStart: Error {
    let name: String
    let errno: Int32
  }
}

/// Waits until a condition holds, for at most a minute.
func waitUntil(_ isSo: () throws -> Bool) throws {
  for _ in 0..<6000 {
    if try isSo() { return }
    usleep(10_000)
  }
  throw TookTooLong()
}

struct TookTooLong: Error {}
