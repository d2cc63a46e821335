import Bytes
import Glibc

/// A running plugin, and the sockets that are its standard input and output (C2SP age-plugin.md, "IPC protocol").
/// When this object is gone, the plugin has ended and was waited for.
///
/// It inherits our environment, working directory and process group, so that it may ask on the terminal, but none of
/// our descriptors except standard error.
final class PluginProcess {
  /// Our end of its standard input, non-blocking.
  let input: Int32
  /// Our end of its standard output, non-blocking.
  let output: Int32
  private let id: pid_t
  private var isRunning = true

  /// How long a plugin may take to end by itself after its input is closed, and again after SIGTERM, in milliseconds.
  private static let patience = 1000

  /// Starts `path --age-plugin=STATEMACHINE`.
  init(path: String, stateMachine: String, standardError: PluginStandardError) throws(PluginFault) {
    let (input, theirInput) = try Self.makeSockets()
    // If the plugin runs, it has the only copies of these ends.
    defer { close(theirInput) }
    let output: Int32
    let theirOutput: Int32
    do throws(PluginFault) {
      (output, theirOutput) = try Self.makeSockets()
    } catch {
      close(input)
      throw error
    }
    defer { close(theirOutput) }
    var id: pid_t = 0
    let failure = Self.spawn(
      &id, path, "--age-plugin=\(stateMachine)", input: theirInput, output: theirOutput, standardError)
    guard failure == 0 else {
      close(input)
      close(output)
      throw .notStarted(errno: failure)
    }
    (self.id, self.input, self.output) = (id, input, output)
  }

  deinit {
    if isRunning { _ = end(patiently: false) }
    close(input)
    close(output)
  }

  /// Closes the plugin's input and makes sure that it ends: by SIGTERM, after a second if `patiently`, and by SIGKILL
  /// another second later. Returns how it ended if it did so by itself.
  func end(patiently: Bool) -> PluginEnd {
    guard isRunning else { return .unknown }
    isRunning = false
    shutdown(input, Int32(SHUT_RDWR))
    shutdown(output, Int32(SHUT_RDWR))
    if let end = wait(for: patiently ? Self.patience : 0) { return end }
    kill(id, SIGTERM)
    if wait(for: Self.patience) == nil {
      kill(id, SIGKILL)
      while waitpid(id, nil, 0) < 0, errno == EINTR {}
    }
    return .unknown
  }

  /// Waits for at most this many milliseconds; nil if it is still running.
  private func wait(for limit: Int) -> PluginEnd? {
    let deadline = SystemClock.awake + limit
    var pause: Int = 100_000
    while true {
      var status: Int32 = 0
      let result = waitpid(id, &status, WNOHANG)
      if result == id {
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
      }
      // A program that ignores SIGCHLD or waits for all children has taken the status.
      if result < 0, errno != EINTR { return .unknown }
      if SystemClock.awake >= deadline { return nil }
      var time = timespec(tv_sec: 0, tv_nsec: pause)
      nanosleep(&time, nil)
      pause = min(2 * pause, 10_000_000)
    }
  }

  /// Two connected sockets: ours, which is non-blocking, and the plugin's. Both are closed by exec, and neither has
  /// the number of a standard stream, even if one of ours is closed.
  private static func makeSockets() throws(PluginFault) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .connection(errno: errno) }
    var failure: Int32 = 0
    for index in 0...1 where ends[index] <= 2 {
      let other = fcntl(ends[index], F_DUPFD_CLOEXEC, 3)
      if other < 0 { failure = errno }
      close(ends[index])
      ends[index] = other
    }
    if failure == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 { failure = errno }
    guard failure == 0 else {
      close(ends[0])
      close(ends[1])
      throw .connection(errno: failure)
    }
    return (ends[0], ends[1])
  }

  /// Returns 0 or an errno. No shell and no search: `path` is run as given.
  private static func spawn(
    _ id: inout pid_t, _ path: String, _ argument: String, input: Int32, output: Int32,
    _ standardError: PluginStandardError
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    if standardError == .discarded || fcntl(2, F_GETFD) < 0 {
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    for descriptor in openDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }

    // The plugin doesn't inherit this thread's blocked signals or an ignored SIGPIPE.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    return path.withCString { path in
      argument.withCString { argument in
        let words = [UnsafeMutablePointer(mutating: path), UnsafeMutablePointer(mutating: argument), nil]
        return posix_spawn(&id, path, &actions, &attributes, words, environ)
      }
    }
  }

  /// All descriptors of this process except the standard streams, whether or not exec would close them. Those that
  /// another thread opens meanwhile are missing; without /proc, so are those above 1023.
  private static func openDescriptors() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return Array(3..<1024) }
    defer { closedir(folder) }
    var descriptors: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let descriptor = Int32(name), descriptor > 2, descriptor != dirfd(folder) {
        descriptors.append(descriptor)
      }
    }
    return descriptors
  }
}

/// The path of `age-plugin-NAME` in the first absolute folder of the search path that contains it as an executable
/// file.
func pluginPath(_ name: String, searchPath: String) -> String? {
  for folder in searchPath.utf8.split(separator: UInt8(ascii: ":"))
  where folder.first == UInt8(ascii: "/") {
    let path = "\(Substring(folder))/age-plugin-\(name)"
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
  }
  return nil
}
