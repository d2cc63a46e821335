import Bytes
import Glibc

/// A running process, as the kernel describes it.
struct RunningProcess {
  /// Truncated to 15 bytes by the kernel.
  let programName: ByteString
  /// The process that started it, or 0.
  let parent: pid_t
  /// In ticks since boot.
  let start: ByteString

  /// `nil` if it doesn't exist, or can't be seen.
  init?(_ identifier: pid_t) {
    // proc(5): the number, the name in parentheses, which may contain parentheses itself, and fields separated by
    // spaces.
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

  /// Whether git itself asks its helpers, rather than a program by `git credential`, such as git-lfs. Both send the
  /// same, byte for byte. But git's own requests come from the program that talks to the server, `git-remote-https`; a
  /// shell and `git credential-llavero` may be between it and this process.
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
