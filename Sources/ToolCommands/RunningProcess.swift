import Bytes
import Glibc
import Terminals

/// A running process, as the kernel describes it.
struct RunningProcess {
  /// The name of its program, of which the kernel keeps 15 bytes.
  let programName: ByteString
  /// The process that started it, or 0.
  let parent: pid_t
  /// The start time, in ticks since boot.
  let start: ByteString

  /// `nil` if there is none, or it can't be seen.
  init?(_ identifier: pid_t) {
    // proc(5): the number, the name in parentheses, which may contain some itself, and fields separated by spaces.
    let text = Self.contents(of: "/proc/\(identifier)/stat")
    guard let open = text.firstIndex(of: UInt8(ascii: "(")),
      let close = text.lastIndex(of: UInt8(ascii: ")")),
      open < close
    else { return nil }
    programName = ByteString(Array(text[(open + 1)..<close]))
    // The parent is field 4, the start time field 22, and the fields after the name begin with 3.
    let fields = text[(close + 1)...].split(separator: 0x20)
    guard fields.count > 19 else { return nil }
    parent = pid_t(String(decoding: fields[1], as: UTF8.self)) ?? 0
    start = ByteString(Array(fields[19]))
  }

  /// Whether git itself wants to know what it asks its helpers, and not a program that asks by `git credential`, such as
  /// git-lfs. What both send is the same, byte for byte. But git's own requests come from the program that speaks to the
  /// server, `git-remote-https`; between it and this process are a shell and `git credential-llavero`, or neither.
  static var isAskedByGit: Bool {
    var identifier = getppid()
    for _ in 0..<4 {
      guard identifier > 1, let running = RunningProcess(identifier) else { return false }
      if running.programName.bytes.starts(with: "git-remote-http".utf8) { return true }
      identifier = running.parent
    }
    return false
  }

  private static func contents(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return [] }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = buffer.withUnsafeMutableBytes { StandardStreams.read(file, into: $0) }
    return Array(buffer.prefix(max(0, count)))
  }
}
