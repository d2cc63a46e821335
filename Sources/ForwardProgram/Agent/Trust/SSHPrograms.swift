import Bytes
import CLinux
import Glibc
import PrivateFiles

/// Which programs say themselves where they forward to, before a byte of the other side comes over the connection.
///
/// Others pass on whatever the other side sends, so a bind that comes over them can be one that a host has kept from
/// another connection. OpenSSH's client does it since 8.9, and is known by what its executable holds: its name for
/// itself and that of the bind. What runs on this machine isn't the attacker's.
struct SSHPrograms {
  private var known: [(status: FileStatus, binds: Bool)] = []

  private static let maximumSize = 64 << 20
  private static let maximumKnown = 16
  private static let marks: [StaticString] = ["OpenSSH_", "session-bind@openssh.com"]

  /// Whether a process runs such a program. False if that can't be told.
  mutating func bindsFirst(_ process: Int) -> Bool {
    guard process > 0, let file = ReadableFile(path: "/proc/\(process)/exe", maximumSize: Self.maximumSize)
    else {
      return false
    }
    if let known = known.first(where: { $0.status == file.status }) { return known.binds }
    let binds = Self.marks.allSatisfy { file.contains($0) }
    if known.count >= Self.maximumKnown { known.removeFirst() }
    known.append((file.status, binds))
    return binds
  }
}
