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

  private let process: pid_t
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
    var descriptors: [ProgramStart.Descriptor] = [.null, .null, .inherited]
    // The program's own ends, which are closed here after its start.
    var given: [Int32] = []
    defer { for descriptor in given { close(descriptor) } }
    if let text {
      guard let ends = Self.pipe() else { return nil }
      given.append(ends.reading)
      clinux_make_blocking(ends.reading)
      // The pipe has room for it, so this doesn't block.
      let isWritten = text.secret.withUnsafeBytes {
        write(ends.writing, $0.baseAddress, $0.count) == $0.count
      }
      close(ends.writing)
      if !isWritten { return nil }
      descriptors[0] = .copy(of: ends.reading)
    }
    var output: Int32 = -1
    if readsOutput {
      guard let ends = Self.pipe() else { return nil }
      given.append(ends.writing)
      clinux_make_blocking(ends.writing)
      (output, descriptors[1]) = (ends.reading, .copy(of: ends.writing))
    }
    let words = ([name ?? arguments[0]] + arguments).map { CString(pointer: strdup($0)) }
    defer { for word in words { free(UnsafeMutablePointer(mutating: word.pointer)) } }
    let start = ProgramStart([words[0]] + words.dropFirst(2), at: words[1], descriptors, .plugin)
    guard let process = try? start.run() else {
      if output >= 0 { close(output) }
      return nil
    }
    self.process = process
    let reporting = Report(output) { [weak self] ending in
      self?.hasEnded = true
      report(ending)
    }
    g_child_watch_add_full(
      G_PRIORITY_DEFAULT, process,
      { _, status, data in
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
