import Bytes
import Glibc

/// A running plugin, and the sockets that are its standard input and output (C2SP age-plugin.md, "IPC protocol"). When
/// this object is gone, the plugin has ended and was waited for.
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

  /// How long a plugin may take to end after its input is closed, and again after SIGTERM, in milliseconds.
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
    let descriptors: [ProgramStart.Descriptor] = [
      .copy(of: theirInput), .copy(of: theirOutput), standardError == .discarded ? .null : .inherited,
    ]
    let start = path.withCString { path in
      "--age-plugin=\(stateMachine)".withCString { argument in
        // No shell and no search: the path is run as given.
        let path = CString(pointer: path)
        return Result { () throws(ProgramStart.Failure) in
          try ProgramStart([path, CString(pointer: argument)], at: path, descriptors, .plugin).run()
        }
      }
    }
    switch start {
    case .success(let process): id = process
    case .failure(let failure):
      close(input)
      close(output)
      throw .notStarted(errno: failure.errno)
    }
    (self.input, self.output) = (input, output)
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
        switch ProgramEnding(waitStatus: status) {
        case .exited(let status): return .exited(status)
        case .killed(let signal): return .signalled(signal)
        }
      }
      // A program that ignores SIGCHLD or waits for all children has taken the status.
      if result < 0, errno != EINTR { return .unknown }
      if SystemClock.awake >= deadline { return nil }
      var time = timespec(tv_sec: 0, tv_nsec: pause)
      nanosleep(&time, nil)
      pause = min(2 * pause, 10_000_000)
    }
  }

  /// Two connected sockets: ours, which is non-blocking, and the plugin's. exec closes both, and neither has the
  /// number of a standard stream, even if one of ours is closed.
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
}

/// The path of the executable file `age-plugin-NAME` in the first absolute folder of the search path that has one.
func pluginPath(_ name: String, searchPath: String) -> String? {
  for folder in searchPath.utf8.split(separator: UInt8(ascii: ":"))
  where folder.first == UInt8(ascii: "/") {
    let path = "\(Substring(folder))/age-plugin-\(name)"
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
  }
  return nil
}
