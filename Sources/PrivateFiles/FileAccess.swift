import CLinux
import Glibc

/// Who may read and write a file, to give its successor the same: permissions, group and access control list (acl(5)).
package struct FileAccess {
  private var mode: mode_t
  private var group: gid_t?
  private var list: [UInt8] = []

  /// The permissions alone, for a file that replaces none.
  package init(mode: UInt32) { self.mode = mode & 0o777 }

  package init(of file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      self.init(mode: 0o600)
      return
    }
    self.init(mode: status.st_mode)
    group = status.st_gid
    var list = [UInt8](repeating: 0, count: 1 << 16)
    let count = clinux_get_access_list(file, &list, list.count)
    if count > 0 { self.list = Array(list.prefix(count)) }
  }

  /// The access to the file at a path; a private file's if there is none.
  package init(ofFileAt path: String) {
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      self.init(mode: 0o600)
      return
    }
    defer { close(file) }
    self.init(of: file)
  }

  /// Gives an open file of this user the same access. If the group or the list can't be kept, only the user and
  /// "others" keep theirs: the group's would be another group's or, with a list, the most that anybody on it may.
  ///
  /// - Returns: 0, or an `errno`.
  package func give(to file: Int32) -> Int32 {
    var status = stat()
    guard fstat(file, &status) == 0 else { return errno }
    var mode = mode
    if let group, group != status.st_gid, fchown(file, .max, group) != 0 { mode &= ~0o070 }
    // A new file may inherit a list from its folder.
    let failed = clinux_set_access_list(file, list, list.count) != 0
    if failed, !list.isEmpty { mode &= ~0o070 }
    // Last: with a list, this sets only its mask, to the same value.
    return fchmod(file, mode) == 0 ? 0 : errno
  }
}
