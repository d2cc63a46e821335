import Bytes
import CLinux
import Glibc
package import Keychain

extension Folder {
  /// Replaces the contents of `name` atomically and durably: a reader sees the old or the new contents, even after a
  /// crash. Needs the folder's lock.
  ///
  /// - Parameter write: writes the new contents, and returns 0 or an `errno`.
  /// - Parameter replaced: the file that is there now, and a name. If another program has put a different file there
  ///   by the time of the exchange, nobody has seen that one yet, and it gets this name. With `isPutBack` it gets its
  ///   place back instead, and nothing has changed.
  /// - Parameter verify: examines the finished temporary file before it takes its place. An error changes nothing.
  /// - Returns: whether the change, which is in place, survives a loss of power.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; ``KeychainError/SlotFault/changedMeanwhile`` if a
  ///   different file was put back; what `verify` throws. Nothing has changed then.
  package func replace(
    _ name: String, replaced: (status: FileStatus, otherwiseName: String, isPutBack: Bool)? = nil,
    writing write: (_ descriptor: Int32) -> Int32,
    verify: (_ temporaryName: String) throws(KeychainError) -> Void = { _ in }
  ) throws(KeychainError) -> Durability {
    let temporary = try createTemporary(for: name, isLasting: true, write)
    do throws(KeychainError) {
      try verify(temporary)
      if let replaced {
        try exchange(temporary, name, replaced)
      } else {
        try rename(temporary, to: name)
      }
    } catch {
      unlinkat(descriptor, temporary, 0)
      if replaced != nil { unlinkat(descriptor, Self.exchangeName(of: temporary), 0) }
      throw error
    }
    return synchronize()
  }

  /// Replaces the contents of `name` with bytes, atomically and durably.
  ///
  /// - Returns: whether the change, which is in place, survives a loss of power.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``. Nothing has changed then.
  package func replace(
    _ name: String, with contents: UnsafeRawBufferPointer
  ) throws(KeychainError) -> Durability {
    try replace(name, writing: { writeFully($0, contents) })
  }

  /// Replaces the contents of `name` atomically. After a loss of power it may be empty. Needs the folder's lock.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``. Nothing has changed then.
  package func replaceForNow(
    _ name: String, with contents: UnsafeRawBufferPointer
  ) throws(KeychainError) {
    let temporary = try createTemporary(for: name, isLasting: false) { writeFully($0, contents) }
    do throws(KeychainError) {
      try rename(temporary, to: name)
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
  }

  /// Makes the file `name` atomically and durably, unless it is there.
  ///
  /// - Returns: whether what was made survives a loss of power; `nil` if the file was there.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``. Nothing was made then.
  package func make(
    _ name: String, with contents: UnsafeRawBufferPointer
  ) throws(KeychainError) -> Durability? {
    let temporary = try createTemporary(for: name, isLasting: true) { writeFully($0, contents) }
    defer { unlinkat(descriptor, temporary, 0) }
    if linkat(descriptor, temporary, descriptor, name, 0) != 0 {
      if errno == EEXIST { return nil }
      // A file system may have no links.
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno),
        renameat(descriptor, temporary, descriptor, name) == 0
      else { throw .system(operation: "create", path: path(of: name), errno: errno) }
    }
    return synchronize()
  }

  /// Replaces the contents of `name` atomically without waiting for the disk: after a power failure the file may be
  /// empty. Needs the folder's lock.
  ///
  /// ext4 writes a file to the disk when it is renamed over another, and the caller would wait, so the two are
  /// exchanged.
  ///
  /// - Parameter write: writes the new contents, and returns 0 or an `errno`.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func replaceWithoutWaiting(
    _ name: String, writing write: (_ descriptor: Int32) -> Int32
  ) throws(KeychainError) {
    let temporary = try createTemporary(for: name, isLasting: false, write)
    // After an exchange, the former file has the temporary name.
    defer { unlinkat(descriptor, temporary, 0) }
    if clinux_exchange(descriptor, temporary, name) != 0 { try rename(temporary, to: name) }
  }

  private func rename(_ old: String, to new: String) throws(KeychainError) {
    if renameat(descriptor, old, descriptor, new) != 0 {
      throw .system(operation: "replace", path: path(of: new), errno: errno)
    }
  }

  /// Exchanges a temporary file with `name` and handles the former file. A process killed meanwhile leaves a whole
  /// file under the exchange name: its own or the former one.
  private func exchange(
    _ temporary: String, _ name: String,
    _ replaced: (status: FileStatus, otherwiseName: String, isPutBack: Bool)
  ) throws(KeychainError) {
    let (expected, otherwiseName) = (replaced.status, replaced.otherwiseName)
    let own = try status(of: temporary)
    let exchanged = Self.exchangeName(of: temporary)
    if renameat(descriptor, temporary, descriptor, exchanged) != 0 {
      throw .system(operation: "replace", path: path(of: name), errno: errno)
    }
    // Without a way to exchange files, or if the former file is gone, another program's file may be lost unnoticed.
    if clinux_exchange(descriptor, exchanged, name) != 0 { return try rename(exchanged, to: name) }
    // The new file is in place from here on, whatever happens to the other. A disk error may not repeat itself; a file
    // that stays is removed like other leftovers of killed writers.
    guard let former = (try? status(of: exchanged)) ?? (try? status(of: exchanged)) else { return }
    let isKept = (try? status(of: otherwiseName).isSameFile(as: former)) ?? false
    if isKept || former.isSameFile(as: expected) {
      if unlinkat(descriptor, exchanged, 0) != 0 { unlinkat(descriptor, exchanged, 0) }
    } else if replaced.isPutBack, clinux_exchange(descriptor, exchanged, name) == 0 {
      // Yet another file may have come in between; it is not ours to remove.
      if let out = try? status(of: exchanged), !out.isSameFile(as: own) {
        renameat(descriptor, exchanged, descriptor, otherwiseName)
      }
      throw .slot(.changedMeanwhile)
    } else {
      renameat(descriptor, exchanged, descriptor, otherwiseName)
    }
  }

  /// Removes temporary files that a killed writer left more than an hour ago. Needs the folder's lock. Ignores
  /// failures, which must not prevent a write.
  ///
  /// - Returns: the names of files, however old, from a writer killed during the exchange. They are whole, and may
  ///   be the only copies of another program's file.
  @discardableResult
  package func removeStaleTemporaries() -> [String] {
    guard let names = try? names() else { return [] }
    var exchanged: [String] = []
    for name in names where name.hasPrefix(".") {
      if Self.isExchanged(name) { exchanged.append(name) }
      guard Self.isTemporary(name) else { continue }
      var status = stat()
      if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        Timestamp.now.seconds - Int64(status.st_mtim.tv_sec) > 3600
      {
        unlinkat(descriptor, name, 0)
      }
    }
    return exchanged
  }

  /// Removes all temporary files for `name`; nobody is writing them. Needs the folder's lock.
  ///
  /// - Parameter former: the replaced file, which may still be there. Other exchanged files stay.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func removeTemporaries(for name: String, replaced former: FileStatus?) throws(KeychainError) {
    for temporary in try names() where temporary.hasPrefix(".\(name).") {
      if Self.isExchanged(temporary) {
        guard let former, let status = try? status(of: temporary), status.isSameFile(as: former) else {
          continue
        }
      } else if !Self.isTemporary(temporary) {
        continue
      }
      if unlinkat(descriptor, temporary, 0) != 0, errno != ENOENT {
        throw .system(operation: "remove", path: path(of: temporary), errno: errno)
      }
    }
  }

  private static let temporarySuffix = ".tmp"
  private static let exchangeSuffix = ".out.tmp"

  /// A temporary file's name during the exchange.
  private static func exchangeName(of temporary: String) -> String {
    temporary.dropLast(temporarySuffix.count) + exchangeSuffix
  }

  /// Whether a file with this name was exchanged, or was about to be.
  package static func isExchanged(_ name: String) -> Bool {
    name.hasSuffix(exchangeSuffix) && isTemporary(name.dropLast(exchangeSuffix.count) + temporarySuffix)
  }

  /// Whether the name has our form, `.NAME.`, 16 hexadecimal digits, `.tmp`. Other programs have temporary files, too.
  package static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix("."), name.hasSuffix(temporarySuffix) else { return false }
    let digits = name.dropLast(temporarySuffix.count).suffix(17)
    return digits.first == "." && digits.utf8.count == 17
      && digits.utf8.dropFirst().allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  static func temporaryName(for name: String) -> String {
    ".\(name).\(newDigits())\(temporarySuffix)"
  }

  /// Writes a new file beside `name` and returns its name.
  private func createTemporary(
    for name: String, isLasting: Bool, _ write: (_ descriptor: Int32) -> Int32
  ) throws(KeychainError) -> String {
    let temporary = Self.temporaryName(for: name)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = clinux_openat(descriptor, temporary, flags, 0o600)
    if file < 0 { throw .system(operation: "create a file in", path: path, errno: errno) }
    // After a failed fsync the kernel forgets the data, so fsync is never retried on the same file ("Can Applications
    // Recover from fsync Failures?", USENIX ATC 2020).
    var failure = write(file)
    if failure == 0, isLasting, fsync(file) != 0 { failure = errno }
    if close(file) != 0, failure == 0 { failure = errno }
    if failure != 0 {
      unlinkat(descriptor, temporary, 0)
      throw .system(operation: "write", path: path(of: name), errno: failure)
    }
    return temporary
  }
}

/// Writes all bytes. Returns 0 or an `errno`. With `waits`, waits for room even if others made a pipe non-blocking.
package func writeFully(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, waits: Bool = false) -> Int32 {
  var done = 0
  while done < bytes.count, let base = bytes.baseAddress {
    let count = write(descriptor, base + done, bytes.count - done)
    if count < 0 {
      if errno == EINTR || waits && waitsIfNonBlocking(descriptor, Int16(POLLOUT)) { continue }
      return errno
    }
    done += count
  }
  return 0
}

/// Waits for a descriptor if a call failed for lack of data or room. A program that shares a pipe with this process
/// can make it non-blocking for both, as node does. Leaves `errno` as it was if not.
package func waitsIfNonBlocking(_ descriptor: Int32, _ events: Int16) -> Bool {
  let failure = errno
  defer { errno = failure }
  guard failure == EAGAIN else { return false }
  // A blocking one reports that its time is over.
  let flags = fcntl(descriptor, F_GETFL)
  guard flags >= 0, flags & O_NONBLOCK != 0 else { return false }
  var waiting = pollfd(fd: descriptor, events: events, revents: 0)
  while poll(&waiting, 1, -1) < 0 {
    if errno != EINTR { return false }
  }
  return true
}
