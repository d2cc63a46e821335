import Bytes
import CLinux
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

extension FileAsRead {
  /// Removes the file and overwrites it. Another program's writing until then stays.
  ///
  /// - Returns: whether it was overwritten.
  /// - Throws: ``KeychainError`` if that fails, or another program has changed the file.
  func removeWhole(_ file: Int32, _ real: String) throws(KeychainError) -> Bool {
    let aside = ImportLeftover.aside(real)
    // Nothing readable should be left under the other name.
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    // Another program may have replaced the file by now, or written into it. Nobody has read that yet.
    if rename(real, aside) != 0 { throw failed("remove", errno) }
    if !isAsRead(aside, file) {
      // If there is an even newer one, both stay.
      if link(aside, real) == 0 { unlink(aside) }
      throw changedMeanwhile
    }
    let isOverwritten = overwrite(file)
    if unlink(aside) != 0 { throw failed("remove", errno) }
    return isOverwritten
  }

  /// Puts new contents in the file's place, and overwrites the old file.
  ///
  /// - Returns: whether it was overwritten.
  /// - Throws: ``KeychainError`` if that fails, or another program has changed the file.
  func replace(
    _ file: Int32, _ real: String, with contents: borrowing Secret
  ) throws(KeychainError) -> Bool {
    let aside = ImportLeftover.aside(real)
    try write(contents, to: aside, like: file)
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    if clinux_exchange(AT_FDCWD, aside, real) != 0 {
      // If the file system can't exchange files, a change in this moment goes unnoticed.
      guard isAsRead(real, file) else {
        unlink(aside)
        throw changedMeanwhile
      }
      if rename(aside, real) != 0 {
        let number = errno
        unlink(aside)
        throw failed("write", number)
      }
      return overwrite(file)
    }
    if !isAsRead(aside, file) {
      if clinux_exchange(AT_FDCWD, aside, real) == 0 { unlink(aside) }
      throw changedMeanwhile
    }
    let isOverwritten = overwrite(file)
    unlink(aside)
    return isOverwritten
  }

  private func write(_ contents: borrowing Secret, to path: String, like former: Int32) throws(KeychainError)
  {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = clinux_openat(AT_FDCWD, path, flags, 0o600)
    if descriptor < 0 { throw failed("write", errno) }
    var failure = contents.withUnsafeBytes { writeFully(descriptor, $0) }
    if failure == 0 { failure = FileAccess(of: former).give(to: descriptor) }
    if failure == 0, fsync(descriptor) != 0 { failure = errno }
    close(descriptor)
    if failure != 0 {
      unlink(path)
      throw failed("write", failure)
    }
  }

  /// Overwrites the file that was read, unless it has other hard links. This erases the old contents only if the file
  /// system writes to the same blocks.
  func overwrite(_ file: Int32) -> Bool {
    if status.st_nlink > 1 { return false }
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    var rest = Int(status.st_size)
    if lseek(file, 0, SEEK_SET) != 0 { return false }
    while rest > 0 {
      let part = min(rest, zeros.count)
      let failure = zeros.withUnsafeBytes { writeFully(file, UnsafeRawBufferPointer(rebasing: $0[..<part])) }
      if failure != 0 { return false }
      rest -= part
    }
    return fsync(file) == 0
  }
}
