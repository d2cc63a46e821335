import Bytes
import CLinux
import CSecret
import Glibc

/// A started program that asks a person, or unlocks the keychain.
final class ChildProgram {
  struct Ending {
    let hasSucceeded: Bool
    /// Its output, if read: at most ``outputLimit`` bytes.
    let output: String
  }

  private final class Report {
    let run: (Ending) -> Void
    /// A pipe from its output; -1 if not read.
    let output: Int32
    init(_ output: Int32, _ run: @escaping (Ending) -> Void) { (self.output, self.run) = (output, run) }
    deinit { if output >= 0 { close(output) } }
  }

  private static let outputLimit = 64

  private let process: GPid
  private var hasEnded = false

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: the program's path, and its arguments.
  ///   - name: the name to run it as, if that isn't its path.
  ///   - input: its standard input, shorter than a pipe's capacity; empty by default.
  ///   - readsOutput: whether to read its standard output after its end.
  ///   - report: called on the main thread after its end.
  init?(
    _ arguments: [String], as name: String? = nil, input text: SharedSecret? = nil, readsOutput: Bool = false,
    then report: @escaping (Ending) -> Void
  ) {
    var input: Int32 = -1
    if let text {
      guard let ends = Self.pipe() else { return nil }
      clinux_make_blocking(ends.reading)
      // The pipe has room for it, so this doesn't block.
      let isWritten = text.secret.withUnsafeBytes {
        write(ends.writing, $0.baseAddress, $0.count) == $0.count
      }
      close(ends.writing)
      input = ends.reading
      if !isWritten {
        close(input)
        return nil
      }
    }
    defer { if input >= 0 { close(input) } }
    var output: (reading: Int32, writing: Int32) = (-1, -1)
    if readsOutput {
      guard let ends = Self.pipe() else { return nil }
      clinux_make_blocking(ends.writing)
      output = ends
    }
    defer { if output.writing >= 0 { close(output.writing) } }
    let all = name.map { [arguments[0], $0] + arguments.dropFirst() } ?? arguments
    var words: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: GPid = 0
    let flags = GSpawnFlags(
      rawValue: G_SPAWN_DO_NOT_REAP_CHILD.rawValue | (readsOutput ? 0 : G_SPAWN_STDOUT_TO_DEV_NULL.rawValue)
        | (name == nil ? 0 : G_SPAWN_FILE_AND_ARGV_ZERO.rawValue))
    let isStarted = g_spawn_async_with_fds(
      nil, &words, nil, flags, nil, nil, &process, input, output.writing, -1, nil)
    guard isStarted != 0 else {
      if output.reading >= 0 { close(output.reading) }
      return nil
    }
    self.process = process
    let reporting = Report(output.reading) { [weak self] ending in
      self?.hasEnded = true
      report(ending)
    }
    g_child_watch_add_full(
      G_PRIORITY_DEFAULT, process,
      { process, status, data in
        g_spawn_close_pid(process)
        guard let data else { return }
        let report = Unmanaged<Report>.fromOpaque(data).takeUnretainedValue()
        report.run(Ending(hasSucceeded: status == 0, output: ChildProgram.printed(report.output)))
      }, Unmanaged.passRetained(reporting).toOpaque(),
      { data in if let data { Unmanaged<Report>.fromOpaque(data).release() } })
  }

  private static func pipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    return clinux_pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
  }

  private static func printed(_ output: Int32) -> String {
    if output < 0 { return "" }
    var bytes = [UInt8](repeating: 0, count: outputLimit)
    let count = read(output, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Ends the program if it still runs; its question disappears.
  func end() { if !hasEnded { kill(process, SIGTERM) } }

  /// Waits up to a second for its end, as the last thing done here: it may have to restore a terminal.
  func waitForEnd() {
    let deadline = SystemClock.awake + 1000
    while !hasEnded, waitpid(process, nil, WNOHANG) == 0, SystemClock.awake < deadline { usleep(2000) }
  }
}
