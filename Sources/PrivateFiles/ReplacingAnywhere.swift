import Bytes
import CLinux
import Glibc

/// Replaces or makes a file in any folder, such as another program's configuration: writes a temporary file beside it,
/// `PATH.llavero-PID.tmp`, forces it to disk and moves it into place.
///
/// - Parameters:
///   - path: the file. A symbolic link is replaced by the file.
///   - access: who may read and write the new file.
///   - mayReplace: whether an existing file may be replaced. If not, the result is `EEXIST` then.
///   - verify: examines the finished temporary file.
/// - Returns: 0, or an `errno`. The file is unchanged then.
/// - Throws: what `verify` throws. The file is unchanged then.
package func replaceFile<Fault: Error>(
  _ path: String, with bytes: UnsafeRawBufferPointer, access: FileAccess, mayReplace: Bool = true,
  verify: (_ temporary: String) throws(Fault) -> Void
) throws(Fault) -> Int32 {
  let temporary = temporaryName(of: path)
  unlink(temporary)
  let file = clinux_openat(AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
  if file < 0 { return errno }
  var failure = writeFully(file, bytes)
  if failure == 0 { failure = access.give(to: file) }
  if failure == 0, fsync(file) != 0 { failure = errno }
  if close(file) != 0, failure == 0 { failure = errno }
  // After a rename there is nothing left to remove.
  defer { unlink(temporary) }
  if failure != 0 { return failure }
  try verify(temporary)
  let result = mayReplace ? rename(temporary, path) : link(temporary, path)
  return result == 0 ? 0 : errno
}

/// The same without `verify`.
package func replaceFile(
  _ path: String, with bytes: UnsafeRawBufferPointer, access: FileAccess, mayReplace: Bool = true
) -> Int32 {
  replaceFile(path, with: bytes, access: access, mayReplace: mayReplace) { _ in }
}

/// The name of a process's temporary file beside a file. Others' files `NAME.NUMBER.tmp` must not be taken for it.
package func temporaryName(of path: String, for process: Int32 = getpid()) -> String {
  "\(path).llavero-\(process).tmp"
}

/// The process whose temporary file beside `path` has that name; `nil` for other files.
package func temporaryOwner(_ name: String, of path: String) -> Int32? {
  let prefix = "\(path).llavero-"
  guard name.hasPrefix(prefix), name.hasSuffix(".tmp"),
    let process = Int32(name.dropFirst(prefix.count).dropLast(4)), process > 0,
    name == temporaryName(of: path, for: process)
  else { return nil }
  return process
}
