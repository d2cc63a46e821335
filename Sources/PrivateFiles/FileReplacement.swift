import Bytes
import CLinux
import Glibc
package import Keychain

extension Folder {
  /// Gives `name` new contents, all at once and lasting: whoever opens it sees the old or the new ones, also
  /// after a crash. Needs the folder's lock.
  ///
  /// - Parameter isLasting: whether it has to survive a power cut, too.
  /// - Parameter replaced: the file that is there now, and a name. If another program has put a file there by the time
  ///   of the exchange, nobody has seen that one yet, and it gets the name.
  /// - Parameter verify: called with the name of the finished temporary file before it takes its place; if it
  ///   throws, nothing has changed.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; what `verify` throws.
  package func replace(
    _ name: String, with contents: UnsafeRawBufferPointer, isLasting: Bool = true,
    replaced: (status: FileStatus, otherwiseName: String)? = nil,
    verify: (_ temporaryName: String) throws(KeychainError) -> Void = { _ in }
  ) throws(KeychainError) {
    let temporary = try createTemporary(for: name, contents, isLasting: isLasting)
    do throws(KeychainError) {
      try verify(temporary)
      if let replaced {
        try exchange(temporary, name, replaced.status, replaced.otherwiseName)
      } else {
        try rename(temporary, to: name)
      }
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
    if isLasting { try synchronize() }
  }

  private func rename(_ old: String, to new: String) throws(KeychainError) {
    if renameat(descriptor, old, descriptor, new) != 0 {
      throw .system(operation: "replace", path: path(of: new), errno: errno)
    }
  }

  /// Puts a temporary file in the place of `name`, and sees to what was there.
  private func exchange(
    _ temporary: String, _ name: String, _ expected: FileStatus, _ otherwiseName: String
  ) throws(KeychainError) {
    // Where the file system can't, or nothing is there any more, there is a moment that nobody watches.
    if clinux_exchange(descriptor, temporary, name) != 0 { return try rename(temporary, to: name) }
    // From here on the new file is in place, whatever becomes of the other.
    guard let former = try? status(of: temporary) else { return }
    let isKept = (try? status(of: otherwiseName).isSameFile(as: former)) ?? false
    if isKept || former.isSameFile(as: expected) {
      // Disks that fail once mostly don't twice; what stays is removed like all that a killed writer leaves.
      if unlinkat(descriptor, temporary, 0) != 0 { unlinkat(descriptor, temporary, 0) }
    } else {
      renameat(descriptor, temporary, descriptor, otherwiseName)
    }
  }

  /// Removes temporary files that a killed writer left more than an hour ago. Needs the folder's lock. Failing to
  /// is no reason not to write.
  package func removeStaleTemporaries() {
    guard let names = try? names() else { return }
    for name in names where Self.isTemporary(name) {
      var status = stat()
      if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        Timestamp.now.seconds - Int64(status.st_mtim.tv_sec) > 3600
      {
        unlinkat(descriptor, name, 0)
      }
    }
  }

  /// Removes all temporary files for `name`, which nobody writes. Needs the folder's lock.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func removeTemporaries(for name: String) throws(KeychainError) {
    for temporary in try names() where temporary.hasPrefix(".\(name).") && Self.isTemporary(temporary) {
      if unlinkat(descriptor, temporary, 0) != 0, errno != ENOENT {
        throw .system(operation: "remove", path: path(of: temporary), errno: errno)
      }
    }
  }

  private static let temporarySuffix = ".tmp"

  /// Whether it is a name of ours: `.NAME.`, 16 hexadecimal digits, `.tmp`. Other programs have such files too.
  private static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix("."), name.hasSuffix(temporarySuffix) else { return false }
    let digits = name.dropLast(temporarySuffix.count).suffix(17)
    return digits.first == "." && digits.utf8.count == 17
      && digits.utf8.dropFirst().allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  private static func randomDigits() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Writes a new file beside `name` down to the disk, and returns what it is called.
  private func createTemporary(
    for name: String, _ contents: UnsafeRawBufferPointer, isLasting: Bool
  ) throws(KeychainError) -> String {
    let temporary = ".\(name).\(Self.randomDigits())\(Self.temporarySuffix)"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = clinux_openat(descriptor, temporary, flags, 0o600)
    if file < 0 { throw .system(operation: "create a file in", path: path, errno: errno) }
    // After a failed fsync the kernel forgets what it could not write, so it is never tried again on the same
    // file ("Can Applications Recover from fsync Failures?", USENIX ATC 2020).
    var failure = writeFully(file, contents)
    if failure == 0, isLasting, fsync(file) != 0 { failure = errno }
    if close(file) != 0, failure == 0 { failure = errno }
    if failure != 0 {
      unlinkat(descriptor, temporary, 0)
      throw .system(operation: "write", path: path(of: name), errno: failure)
    }
    return temporary
  }
}

/// Writes all bytes. Returns 0 or an `errno`.
package func writeFully(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
  var done = 0
  while done < bytes.count, let base = bytes.baseAddress {
    let count = write(descriptor, base + done, bytes.count - done)
    if count < 0 {
      if errno == EINTR { continue }
      return errno
    }
    done += count
  }
  return 0
}
