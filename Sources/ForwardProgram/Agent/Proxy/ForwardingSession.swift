import Bytes
import Forwarding
import Glibc

/// The session of a decision "for this session": one ssh login, or one socket.
enum ForwardingSession: Hashable, Sendable {
  /// Everything through one ssh. A process is identified by its number and start, because numbers are reused.
  case process(Int, start: UInt64)
  /// Everything through a socket of this name.
  case socket(ByteString)

  init(_ entry: EntryPoint, _ process: Int) {
    if case .socket(let name) = entry {
      self = .socket(name)
    } else {
      self = .process(process, start: Self.start(of: process))
    }
  }

  var isThere: Bool {
    switch self {
    case .process(let process, let start): Self.start(of: process) == start
    case .socket: true
    }
  }

  /// When a process started, in ticks since boot (proc(5), field 22 of `stat`); 0 if unknown.
  private static func start(of process: Int) -> UInt64 {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    if file < 0 { return 0 }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(file, &bytes, bytes.count)
    // The name before the other fields may contain anything.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return 0 }
    let fields = bytes[(end + 1)..<count].split(separator: 0x20)
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) ?? 0 : 0
  }
}
