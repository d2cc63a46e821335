import CLinux
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// The remains of a file from which an import was taking logins when it was killed. They are beside the file.
enum ImportLeftover {
  static let ending = ".llavero-tmp"

  static func isOne(_ path: String) -> Bool { path.hasSuffix(ending) }

  /// Where a file is, or its replacement, until the import is done with it.
  static func aside(_ real: String) -> String { real + ending }

  /// The path of the file whose remains these are.
  static func place(of left: String) -> String { String(left.dropLast(ending.utf8.count)) }

  /// The remains of a file after an import was killed; the file itself may be gone.
  static func path(of path: String) -> String? {
    if isOne(path) { return nil }
    // For a link, they are beside the file that the link leads to, or led to.
    var real = realPath(path) ?? path
    if access(path, F_OK) != 0, let target = ProgramLinks.linkTarget(path) {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      real = target.first == "/" ? target : folder + target
    }
    let aside = self.aside(real)
    return access(aside, F_OK) == 0 ? aside : nil
  }

  /// Removes the remains of a file that are partly overwritten, and so safely elsewhere, or were not written yet.
  /// Returns whether it was such a file.
  static func removeOverwritten(_ left: String) throws(KeychainError) -> Bool {
    let file = clinux_openat(AT_FDCWD, left, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    if file < 0 { return false }
    defer { close(file) }
    var first: UInt8 = 0
    // A file without contents is a new one that was never written.
    guard pread(file, &first, 1, 0) >= 0, first == 0 else { return false }
    if unlink(left) != 0 {
      throw .failure("cannot remove \(left): \(errorText(errno))", status: .keychain)
    }
    StandardStreams.say("removed \(left), which an import that was ended had left")
    return true
  }
}
