import Bytes
import CLinux
import Glibc
import PrivateFiles

/// Recognizes the programs that bind a connection themselves, before a byte of the other side comes over it.
///
/// Others pass on anything from the other side, so a bind over them can be one that a host has kept from another
/// connection. OpenSSH's client binds first since 8.9, and is recognized by two texts in its executable: its name for
/// itself and that of the bind. Programs on this machine aren't the attacker's.
struct SSHPrograms {
  private var known: [(status: FileStatus, binds: Bool)] = []

  private static let maximumSize = 64 << 20
  private static let maximumKnown = 16
  private static let marks: [StaticString] = ["OpenSSH_", "session-bind@openssh.com"]

  /// Whether a process runs such a program; false if unknown.
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
