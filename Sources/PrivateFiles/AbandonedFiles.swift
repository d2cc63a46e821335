import Bytes
import CLinux
import Glibc
import Keychain

extension Folder {
  /// Calls `remove` for each file that a process has left which was killed. A process locks its file while it lives; a
  /// new one is briefly unlocked, so what is younger than ten seconds stays.
  ///
  /// - Parameter isMeant: whether a name is that of such a file.
  package func forEachAbandonedFile(
    where isMeant: (UnsafeRawBufferPointer) -> Bool, remove: (_ name: String) -> Void
  ) {
    for name in (try? names(where: isMeant)) ?? [] {
      let file = clinux_openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
      if file < 0 { continue }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, SystemClock.date / 1000 - status.st_mtim.tv_sec > 10,
        clinux_try_exclusive_lock(file) == 0
      else { continue }
      remove(name)
    }
  }
}
