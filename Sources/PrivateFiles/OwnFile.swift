import Bytes
import CLinux
import Glibc
package import Keychain

/// Tells every version of a file apart: an open file's inode can't be reused, and writing to it changes its times.
package struct FileStatus: Equatable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  let owner: UInt32
  let group: UInt32
  let mode: UInt32
  private let modified: FileTime
  private let changed: FileTime

  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if the descriptor can't be examined.
  package init(of descriptor: Int32, path: String) throws(KeychainError) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .system(operation: "examine", path: path, errno: errno) }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    owner = status.st_uid
    group = status.st_gid
    mode = status.st_mode
    modified = FileTime(status.st_mtim)
    changed = FileTime(status.st_ctim)
  }

  /// The status of a regular file that belongs only to this user. With `mayBeRead`, others may read it.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is not such a file, and as ``init(of:path:)`` does. The
  ///   descriptor is then closed.
  package init(ofOwnFile descriptor: Int32, path: String, mayBeRead: Bool = false) throws(KeychainError) {
    do throws(KeychainError) {
      let status = try FileStatus(of: descriptor, path: path)
      if !status.isRegularFile { throw .unsafeFile(path: path, .wrongKind) }
      try status.refuseAccessByOthers(path: path, mayBeRead: mayBeRead)
      self = status
    } catch {
      close(descriptor)
      throw error
    }
  }

  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// When the contents at a path last changed; `nil` if nothing is there.
  package static func modificationDate(of path: String) -> Timestamp? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return Timestamp(
      milliseconds: Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
  }

  package var modificationDate: Timestamp {
    Timestamp(milliseconds: Int64(modified.seconds) * 1000 + Int64(modified.nanoseconds) / 1_000_000)
  }

  /// Whether both are of the same file, whatever happened to it in between.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }

  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's or accessible to others; with
  ///   `mayBeRead`, if others can change it.
  package func refuseAccessByOthers(path: String, mayBeRead: Bool = false) throws(KeychainError) {
    if owner != ownUser { throw .unsafeFile(path: path, .owner(uid: owner)) }
    if mode & (mayBeRead ? 0o022 : 0o077) != 0 { throw .unsafeFile(path: path, .mode(mode & 0o7777)) }
  }
}

/// The user who owns these files. Our programs never change their user.
let ownUser = geteuid()

/// A time in a file's status, to compare. An array would cost an allocation for each file.
private struct FileTime: Equatable {
  let seconds: Int
  let nanoseconds: Int

  init(_ time: timespec) {
    seconds = time.tv_sec
    nanoseconds = time.tv_nsec
  }
}

/// A regular file that belongs only to this user, open for reading.
package struct OpenFile: ~Copyable {
  package let descriptor: Int32
  package let path: String
  package let status: FileStatus

  /// - Throws: ``KeychainError/unsafeFile(path:_:)``. The descriptor is then closed.
  init(owning descriptor: Int32, path: String, mayBeRead: Bool = false) throws(KeychainError) {
    status = try FileStatus(ofOwnFile: descriptor, path: path, mayBeRead: mayBeRead)
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file anywhere, named by a person; follows symbolic links. `nil` if there is none.
  ///
  /// - Parameter mayBeRead: whether others may read it, because it holds no secret. They may never change it.
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's, accessible to others, or not a regular
  ///   file; ``KeychainError/system(operation:path:errno:)``.
  package init?(path: String, mayBeRead: Bool = false) throws(KeychainError) {
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system(operation: "open", path: path, errno: errno)
    }
    try self.init(owning: file, path: path, mayBeRead: mayBeRead)
  }

  /// Opens a regular file in a folder, whatever its owner and mode, to see what it is; `nil` if it can't be opened.
  /// Don't rely on its contents. Symbolic links are not followed.
  package init?(ofAnyone name: String, in folder: borrowing Folder) {
    let file = clinux_openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 { return nil }
    let path = folder.path(of: name)
    guard let status = try? FileStatus(of: file, path: path), status.isRegularFile else {
      close(file)
      return nil
    }
    descriptor = file
    self.path = path
    self.status = status
  }

  deinit { close(descriptor) }

  /// Fills the buffer from `offset` on.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the file ends before the buffer is full;
  ///   ``KeychainError/system(operation:path:errno:)``.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(KeychainError) {
    let failure = readFully(descriptor, at: offset, into: buffer)
    if failure == 0 { return }
    if failure < 0 { throw .damaged(path: path, detail: "it ends too early") }
    throw .system(operation: "read", path: path, errno: failure)
  }

  /// Copies the contents to the end of another file. Returns 0 or an `errno`.
  package func copy(to other: Int32) -> Int32 {
    var part = [UInt8](repeating: 0, count: min(status.size, 1 << 20))
    var position = 0
    while position < status.size {
      let count = min(part.count, status.size - position)
      let failure = part.withUnsafeMutableBytes { part in
        let part = UnsafeMutableRawBufferPointer(rebasing: part[..<count])
        let failure = readFully(descriptor, at: position, into: part)
        return failure == 0 ? writeFully(other, UnsafeRawBufferPointer(part)) : failure
      }
      if failure != 0 { return failure < 0 ? EIO : failure }
      position += count
    }
    return 0
  }

  /// The whole contents.
  ///
  /// - Parameter limit: the largest size in bytes that is read.
  /// - Throws: ``KeychainError/tooLarge(what:limit:)`` and as ``read(at:into:)`` does.
  package func contents(limit: Int) throws(KeychainError) -> Secret {
    if status.size > limit { throw .tooLarge(what: path, limit: limit) }
    return try contents(first: status.size)
  }

  /// The first `count` bytes.
  ///
  /// - Throws: as ``read(at:into:)`` does.
  package func contents(first count: Int) throws(KeychainError) -> Secret {
    var contents = Secret(capacity: count)
    try contents.append(count: count) { (buffer) throws(KeychainError) -> Int in
      try read(at: 0, into: buffer)
      return buffer.count
    }
    return contents
  }
}

/// Fills the buffer from a file's `offset` on. Returns 0, an `errno`, or -1 if the file ends before that.
package func readFully(_ descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer)
  -> Int32
{
  var done = 0
  while done < buffer.count, let base = buffer.baseAddress {
    let count = pread(descriptor, base + done, buffer.count - done, offset + done)
    if count == 0 { return -1 }
    if count < 0 {
      if errno == EINTR { continue }
      return errno
    }
    done += count
  }
  return 0
}
