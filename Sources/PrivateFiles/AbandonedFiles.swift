import Bytes
import CLinux
import Glibc
package import Keychain

extension Folder {
  /// Makes an empty file, locked as soon as it has its name. So an unlocked one was left by a killed process.
  ///
  /// - Parameter names: the names to try, until one isn't taken.
  /// - Returns: the name, and the open file, which holds the lock until it is closed.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func makeLockedFile(
    _ names: some Sequence<String>
  ) throws(KeychainError) -> (name: String, descriptor: Int32) {
    removeStaleTemporaries()
    let temporary = Self.temporaryName(for: "locked")
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = clinux_openat(descriptor, temporary, flags, 0o600)
    if file < 0 { throw .system(operation: "create a file in", path: path, errno: errno) }
    defer { unlinkat(descriptor, temporary, 0) }
    var failure = clinux_try_exclusive_lock(file) == 0 ? EEXIST : errno
    if failure == EEXIST {
      for name in names {
        if linkat(descriptor, temporary, descriptor, name, 0) == 0 { return (name, file) }
        failure = errno
        // A file system may have no links.
        if [EPERM, EOPNOTSUPP, ENOSYS].contains(failure),
          renameat(descriptor, temporary, descriptor, name) == 0
        {
          return (name, file)
        }
        if failure != EEXIST { break }
      }
    }
    close(file)
    throw .system(operation: "create a file in", path: path, errno: failure)
  }

  /// Calls `remove` for each file of ``makeLockedFile(_:)`` that a killed process left and whose name `isMeant`.
  package func forEachAbandonedFile(
    where isMeant: (UnsafeRawBufferPointer) -> Bool, remove: (_ name: String) -> Void
  ) {
    for name in (try? names(where: isMeant)) ?? [] {
      let file = clinux_openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
      if file < 0 { continue }
      defer { close(file) }
      if clinux_try_exclusive_lock(file) == 0 { remove(name) }
    }
  }
}
