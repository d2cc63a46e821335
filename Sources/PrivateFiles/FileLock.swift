import Bytes
import CLinux
import Glibc
package import Keychain

/// A lock that grants the right to change a keychain: an open-file-description lock on a file of its own, which is
/// never renamed or deleted. The kernel releases it however its holder ends.
///
/// It is released before its descriptor is closed: a program that another thread is just starting has a copy of the
/// descriptor until it runs, and would hold the lock that long.
package struct FileLock: ~Copyable {
  private let file: LockFile

  /// The descriptor of the lock's file, to leave data there or hand the lock on.
  package var descriptor: Int32 { file.descriptor }

  /// Waits for the lock.
  ///
  /// - Parameters:
  ///   - name: the name of the lock's file.
  ///   - patience: the longest wait in seconds.
  ///   - onWaiting: called once, after five seconds of waiting.
  /// - Throws: ``KeychainError/busy(path:seconds:)`` if another process held it that long;
  ///   ``KeychainError/system(operation:path:errno:)``, also if the file system has no locks: then nothing is written.
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
        // Random, so that many waiting processes don't retry at once.
        usleep(UInt32.random(in: pause / 2...pause))
        pause = min(pause * 2, 50_000)
      }
      // If the file was deleted meanwhile, others lock a new one.
      if try LockFile(name, in: folder).status.isSameFile(as: file.status) {
        self.file = file
        return
      }
    }
  }

  /// Leaves the lock to the holder of a copy of the descriptor.
  package consuming func handOn() { file.leaveLocked() }

  /// Throws if the lock can't be taken. Takes it for a moment if its file exists, and doesn't make the file.
  ///
  /// - Throws: as ``init(_:in:patience:onWaiting:)`` does.
  package static func check(_ name: String, in folder: borrowing Folder, patience: Int) throws(KeychainError)
  {
    guard try folder.contains(name) else { return }
    let lock = try FileLock(name, in: folder, patience: patience) {}
    withExtendedLifetime(lock) {}
  }
}

private struct LockFile: ~Copyable {
  let descriptor: Int32
  let status: FileStatus

  /// Opens the file, and makes it if it is missing.
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

  consuming func leaveLocked() {
    close(descriptor)
    discard self
  }

  deinit {
    clinux_unlock(descriptor)
    close(descriptor)
  }
}
