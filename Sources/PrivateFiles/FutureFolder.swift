import Glibc
package import Keychain

/// A folder, or the nearest existing parent in which it would be made.
package struct FutureFolder {
  private let path: String

  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if something else is in the way;
  ///   ``KeychainError/system(operation:path:errno:)``.
  package init(_ path: String) throws(KeychainError) {
    var path = path
    while true {
      var status = stat()
      if stat(path, &status) == 0 {
        if status.st_mode & S_IFMT != S_IFDIR { throw .unsafeFile(path: path, .wrongKind) }
        self.path = path
        return
      }
      if errno != ENOENT || path == "/" { throw .system(operation: "examine", path: path, errno: errno) }
      let above = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
      path = above.isEmpty ? "/" : above
    }
  }

  /// Throws if files can't be written there, as far as it is known without trying. A quota can't be seen.
  ///
  /// - Parameter room: how many bytes the files would take.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` with `EACCES`, `EROFS` or `ENOSPC`.
  package func check(room: Int) throws(KeychainError) {
    if access(path, W_OK | X_OK) != 0 { throw .system(operation: "write to", path: path, errno: errno) }
    var system = statvfs()
    if statvfs(path, &system) != 0 { throw .system(operation: "examine", path: path, errno: errno) }
    if system.f_flag & UInt(ST_RDONLY) != 0 { throw .system(operation: "write to", path: path, errno: EROFS) }
    let free = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
    // Some file systems don't count blocks or inodes.
    let hasNoInode = system.f_files > 0 && system.f_favail == 0
    let hasNoRoom = system.f_blocks > 0 && !free.overflow && free.partialValue < UInt64(room)
    if hasNoInode || hasNoRoom {
      throw .system(operation: "write to", path: path, errno: ENOSPC)
    }
  }
}
