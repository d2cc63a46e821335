import Bytes
import CLinux
import Glibc
package import Keychain

/// The right to change a keychain: an open-file-description lock on a file of its own, which is never renamed or
/// deleted. The kernel takes the lock back when its holder ends, however it ends.
package struct FileLock: ~Copyable {
  private let file: LockFile

  /// The lock's file, for what its holder leaves there or hands the lock on with.
  package var descriptor: Int32 { file.descriptor }

  /// Waits for the lock.
  ///
  /// - Parameters:
  ///   - name: what the lock's file is called.
  ///   - patience: how many seconds to wait at most.
  ///   - onWaiting: called once, after five seconds of waiting.
  /// - Throws: ``KeychainError/busy(path:seconds:)`` if somebody held it for so long;
  ///   ``KeychainError/system(operation:path:errno:)``, also where the file system knows no locks: then nothing
  ///   is written.
  package init(
    _ name: String, in folder: borrowing Folder, patience: Int, onWaiting: () -> Void
  ) throws(KeychainError) {
    let path = folder.path(of: name)
    let start = SystemClock.awake
    let limit = min(max(patience, 0), 86_400) * 1000
    var hasSaidSo = false
    while true {
      let file = try LockFile(name, in: folder)
      var pause: UInt32 = 1000
      while clinux_try_exclusive_lock(file.descriptor) != 0 {
        if errno == EINTR { continue }
        guard errno == EAGAIN || errno == EACCES else {
          throw .system(operation: "lock", path: path, errno: errno)
        }
        let waited = SystemClock.awake - start
        if waited >= limit { throw .busy(path: path, seconds: patience) }
        if waited >= 5000, !hasSaidSo {
          hasSaidSo = true
          onWaiting()
        }
        // Random, so that many who wait don't all come at once.
        usleep(UInt32.random(in: pause / 2...pause))
        pause = min(pause * 2, 50_000)
      }
      // Somebody may have deleted the file meanwhile; then others lock another one.
      if try LockFile(name, in: folder).status.isSameFile(as: file.status) {
        self.file = file
        return
      }
    }
  }

  /// Throws if the lock could not be had: takes it for a moment, where its file is there already, and makes none.
  ///
  /// - Throws: as ``init(_:in:patience:onWaiting:)`` does.
  package static func check(_ name: String, in folder: borrowing Folder, patience: Int) throws(KeychainError)
  {
    guard try folder.contains(name) else { return }
    let lock = try FileLock(name, in: folder, patience: patience) {}
    withExtendedLifetime(lock) {}
  }
}

/// The lock's file, open.
private struct LockFile: ~Copyable {
  let descriptor: Int32
  let status: FileStatus

  /// Opens the file, and first makes it where it is missing.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)``, ``KeychainError/system(operation:path:errno:)``.
  init(_ name: String, in folder: borrowing Folder) throws(KeychainError) {
    let path = folder.path(of: name)
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = clinux_openat(folder.descriptor, name, flags, 0o600)
    if descriptor < 0 {
      if errno == ELOOP { throw .unsafeFile(path: path, .symbolicLink) }
      throw .system(operation: "open", path: path, errno: errno)
    }
    status = try FileStatus(ofOwnFile: descriptor, path: path)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
