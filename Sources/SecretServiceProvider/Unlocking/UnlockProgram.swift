import Bytes
import CLinux
import CSecret
import Glibc

/// A program that unlocks the keychain, and asks a person if it has to.
final class UnlockProgram {
  private final class Report {
    let run: (_ hasSucceeded: Bool) -> Void
    init(_ run: @escaping (Bool) -> Void) { self.run = run }
  }

  private let process: GPid
  private var hasEnded = false

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: the program's path, and its arguments.
  ///   - passphrase: what it gets on its standard input; otherwise that is empty.
  ///   - report: called on the main thread when it has ended.
  init?(
    _ arguments: [String], passphrase: SharedSecret? = nil,
    then report: @escaping (_ hasSucceeded: Bool) -> Void
  ) {
    var input: Int32 = -1
    if let passphrase {
      var ends: [Int32] = [-1, -1]
      // A passphrase is shorter than a pipe's room, so nobody has to read before this returns.
      guard clinux_pipe(&ends) == 0 else { return nil }
      clinux_make_blocking(ends[0])
      let isWritten = passphrase.secret.withUnsafeBytes {
        write(ends[1], $0.baseAddress, $0.count) == $0.count
      }
      close(ends[1])
      guard isWritten else {
        close(ends[0])
        return nil
      }
      input = ends[0]
    }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: GPid = 0
    let flags = GSpawnFlags(
      rawValue: G_SPAWN_DO_NOT_REAP_CHILD.rawValue | G_SPAWN_STDOUT_TO_DEV_NULL.rawValue)
    let isStarted = g_spawn_async_with_fds(
      nil, &words, nil, flags, nil, nil, &process, input, -1, -1, nil)
    if input >= 0 { close(input) }
    guard isStarted != 0 else { return nil }
    self.process = process
    let reporting = Report { [weak self] hasSucceeded in
      self?.hasEnded = true
      report(hasSucceeded)
    }
    g_child_watch_add_full(
      G_PRIORITY_DEFAULT, process,
      { process, status, data in
        g_spawn_close_pid(process)
        if let data { Unmanaged<Report>.fromOpaque(data).takeUnretainedValue().run(status == 0) }
      }, Unmanaged.passRetained(reporting).toOpaque(),
      { data in if let data { Unmanaged<Report>.fromOpaque(data).release() } })
  }

  /// Ends the program, if it hasn't ended. What it asked disappears.
  func end() { if !hasEnded { kill(process, SIGTERM) } }
}
