import Bytes
import CLinux
import Glibc

/// Replaces or makes a file in any folder, such as another program's configuration: the bytes are written to a
/// temporary file beside it, `PATH.PID.tmp`, forced to disk and moved into place.
///
/// - Parameters:
///   - path: the file. A symbolic link is replaced by the file.
///   - mode: the permissions of the new file.
///   - mayReplace: whether a file that is there may be replaced. If not, the result is `EEXIST` then.
///   - verify: examines the finished temporary file.
/// - Returns: 0, or an `errno`. The file is unchanged then.
/// - Throws: what `verify` throws. The file is unchanged then.
package func replaceFile<Fault: Error>(
  _ path: String, with bytes: UnsafeRawBufferPointer, mode: UInt32, mayReplace: Bool = true,
  verify: (_ temporary: String) throws(Fault) -> Void
) throws(Fault) -> Int32 {
  let temporary = "\(path).\(getpid()).tmp"
  unlink(temporary)
  let file = clinux_openat(AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
  if file < 0 { return errno }
  var failure = writeFully(file, bytes)
  if failure == 0, fchmod(file, mode) != 0 || fsync(file) != 0 { failure = errno }
  if close(file) != 0, failure == 0 { failure = errno }
  // After a rename there is nothing left to remove.
  defer { unlink(temporary) }
  if failure != 0 { return failure }
  try verify(temporary)
  let result = mayReplace ? rename(temporary, path) : link(temporary, path)
  return result == 0 ? 0 : errno
}

/// Replaces or makes a file in any folder; see ``replaceFile(_:with:mode:mayReplace:verify:)``.
package func replaceFile(
  _ path: String, with bytes: UnsafeRawBufferPointer, mode: UInt32, mayReplace: Bool = true
) -> Int32 {
  replaceFile(path, with: bytes, mode: mode, mayReplace: mayReplace) { _ in }
}
