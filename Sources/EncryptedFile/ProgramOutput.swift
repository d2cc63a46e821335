import CLinux
import Glibc
import Keychain

/// What a program prints, for a passphrase that another password store keeps.
enum ProgramOutput {
  /// How many seconds a program has.
  static let patience = 60
  /// The most bytes that it may print.
  static let limit = 64 << 10
  /// Set for the programs that are run, so that one that comes back here runs no further ones.
  static let marker = "LLAVERO_COMMAND_SLOT"

  /// Runs a program, which is looked for along the PATH unless its name has a slash, and takes what it prints, without
  /// one last line feed. No shell is involved. It reads nothing (`/dev/null`), has this process's standard error,
  /// and no other descriptor.
  ///
  /// - Returns: `nil` if it can't be run, fails, prints nothing or too much, or takes too long; then it is killed.
  static func passphrase(of command: [String], patience: Int = patience) -> Secret? {
    // Its own child must not be asked for the very passphrase that is being had.
    if getenv(marker) != nil { return nil }
    // Where a parent ignores the ends of children, so would this process, and never hear how the program ended.
    var before = sigaction()
    var plain = sigaction()
    sigaction(SIGCHLD, &plain, &before)
    defer { sigaction(SIGCHLD, &before, nil) }
    guard let child = start(command) else { return nil }
    var output = Secret(capacity: 4096)
    let deadline = milliseconds() + patience * 1000
    let isRead = read(child.output, until: deadline, into: &output)
    close(child.output)
    let hasSucceeded = end(child.process, by: isRead ? deadline : milliseconds())
    guard isRead, hasSucceeded, output.count <= limit else { return nil }
    if output.withUnsafeBytes({ $0.last }) == 0x0a { output.truncate(to: output.count - 1) }
    if output.isEmpty { return nil }
    return output
  }

  private static func start(_ command: [String]) -> (process: pid_t, output: Int32)? {
    guard let program = command.first else { return nil }
    var pipes: [Int32] = [-1, -1]
    guard pipe(&pipes) == 0 else { return nil }
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(pipes[1]) }
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    clinux_close_from(&actions, 3)
    // It begins as from a shell, whatever this process ignores or blocks.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let failure = withCStrings(command) { arguments in
      withCStrings(environment()) { environment in
        posix_spawnp(&process, program, &actions, &attributes, arguments, environment)
      }
    }
    if failure != 0 {
      close(pipes[0])
      return nil
    }
    return (process, pipes[0])
  }

  /// Whether all was read before the deadline.
  private static func read(_ descriptor: Int32, until deadline: Int, into output: inout Secret) -> Bool {
    while output.count <= limit {
      let left = deadline - milliseconds()
      if left <= 0 { return false }
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&event, 1, Int32(left))
      if ready < 0, errno != EINTR { return false }
      if ready <= 0 { continue }
      var count = 0
      output.append(count: 4096) { buffer in
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        return max(0, count)
      }
      if count == 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
    return false
  }

  /// Waits for the program, and kills it where it stays. Returns whether it said that it succeeded.
  private static func end(_ process: pid_t, by deadline: Int) -> Bool {
    var status: Int32 = 0
    var pause: UInt32 = 200
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status == 0 }
      if ended < 0, errno != EINTR { return false }
      if milliseconds() >= deadline { break }
      usleep(pause)
      pause = min(pause * 2, 50_000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return false
  }

  private static func environment() -> [String] {
    var variables = ["\(marker)=1"]
    var next = environ
    while let variable = next.pointee {
      variables.append(String(cString: variable))
      next += 1
    }
    return variables
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  private static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
