import CLinux
import Glibc
import Keychain

/// An open folder that belongs to this user alone.
///
/// Everything in it is reached through its descriptor, so that nobody can exchange a part of the path between two
/// steps. A symbolic link to a folder is followed once, on opening (people keep such folders under stow).
struct Folder: ~Copyable {
  let descriptor: Int32
  let path: String

  /// Opens the folder; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's, lets others in, or is no folder;
  ///   ``KeychainError/system(operation:path:errno:)``.
  init?(opening path: String) throws(KeychainError) {
    self.path = path
    descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if descriptor < 0 {
      switch errno {
      case ENOENT:
        // A link to nothing, as to a disk that isn't mounted, is not "nothing yet".
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw .missing(path: path) }
        return nil
      case ENOTDIR: throw .unsafeFile(path: path, .wrongKind)
      default: throw .system(operation: "open", path: path, errno: errno)
      }
    }
    let status = try FileStatus(of: descriptor, path: path)
    try status.refuseAccessByOthers(path: path)
  }

  /// Opens the folder, and first makes it and those above it where they are missing, with mode 0700.
  ///
  /// - Throws: as ``init(opening:)`` does.
  init(creating path: String) throws(KeychainError) {
    if let folder = try Folder(opening: path) {
      self = folder
      return
    }
    var end = path.startIndex
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      if mkdir(part, 0o700) == 0 {
        try Self.synchronizeParent(of: part)
      } else if errno != EEXIST {
        throw .system(operation: "create the folder", path: part, errno: errno)
      }
    }
    guard let folder = try Folder(opening: path) else { throw .missing(path: path) }
    self = folder
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path of a file in it, for messages.
  func path(of name: String) -> String { path + "/" + name }

  /// Whether there is anything of that name.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if that can't be told, for keys hang on the answer.
  func contains(_ name: String) throws(KeychainError) -> Bool {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    if errno == ENOENT { return false }
    throw .system(operation: "look for", path: path(of: name), errno: errno)
  }

  /// Opens a file for reading; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's, lets others in, is a symbolic link
  ///   or no regular file; ``KeychainError/system(operation:path:errno:)``.
  func file(_ name: String) throws(KeychainError) -> OpenFile? {
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    let file = clinux_openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .unsafeFile(path: path(of: name), .symbolicLink)
      default: throw .system(operation: "open", path: path(of: name), errno: errno)
      }
    }
    return try OpenFile(owning: file, path: path(of: name))
  }

  /// The names in it.
  func names() throws(KeychainError) -> [String] {
    let copy = clinux_openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard copy >= 0, let stream = fdopendir(copy) else {
      throw .system(operation: "list", path: path, errno: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
            String(cString: $0)
          }
        })
    }
    return names
  }

  /// Makes a new folder's entry in the one above it survive a power cut.
  private static func synchronizeParent(of path: String) throws(KeychainError) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = clinux_openat(
      AT_FDCWD, parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system(operation: "open", path: parent, errno: errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw .system(operation: "sync the folder", path: parent, errno: errno) }
  }

  /// Makes what was done to its entries survive a power cut.
  func synchronize() throws(KeychainError) {
    if fsync(descriptor) != 0 { throw .system(operation: "sync the folder", path: path, errno: errno) }
  }
}

/// What tells a file's version from any other: the inode can't be used anew while the file is open, and whoever
/// writes into it changes its times.
struct FileStatus: Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  private let owner: UInt32
  private let mode: UInt32
  private let modified: [Int]
  private let changed: [Int]

  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if the descriptor can't be asked.
  init(of descriptor: Int32, path: String) throws(KeychainError) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .system(operation: "examine", path: path, errno: errno) }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    owner = status.st_uid
    mode = status.st_mode
    modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }

  /// The status of a regular file that belongs to this user alone.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another, and as ``init(of:path:)`` does. The descriptor
  ///   is closed then.
  init(ofOwnFile descriptor: Int32, path: String) throws(KeychainError) {
    do throws(KeychainError) {
      let status = try FileStatus(of: descriptor, path: path)
      if !status.isRegularFile { throw .unsafeFile(path: path, .wrongKind) }
      try status.refuseAccessByOthers(path: path)
      self = status
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Whether both are of one file, whatever happened to it in between.
  func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  var isRegularFile: Bool { mode & S_IFMT == S_IFREG }

  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's or its mode lets others in.
  func refuseAccessByOthers(path: String) throws(KeychainError) {
    if owner != geteuid() { throw .unsafeFile(path: path, .owner(uid: owner)) }
    if mode & 0o077 != 0 { throw .unsafeFile(path: path, .mode(mode & 0o7777)) }
  }
}

/// A regular file that belongs to this user alone, open for reading.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  let status: FileStatus

  /// - Throws: ``KeychainError/unsafeFile(path:_:)``. The descriptor is closed then.
  fileprivate init(owning descriptor: Int32, path: String) throws(KeychainError) {
    status = try FileStatus(ofOwnFile: descriptor, path: path)
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Fills the buffer from `offset` on.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the file ends before;
  ///   ``KeychainError/system(operation:path:errno:)``.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(KeychainError) {
    let failure = readFully(descriptor, at: offset, into: buffer)
    if failure == 0 { return }
    if failure < 0 { throw .damaged(path: path, detail: "it ends too early") }
    throw .system(operation: "read", path: path, errno: failure)
  }

  /// All of it.
  ///
  /// - Parameter limit: the most that is read, in bytes.
  /// - Throws: ``KeychainError/tooLarge(what:limit:)`` and as ``read(at:into:)`` does.
  func contents(limit: Int) throws(KeychainError) -> Secret {
    if status.size > limit { throw .tooLarge(what: path, limit: limit) }
    return try contents(first: status.size)
  }

  /// The first `count` bytes.
  ///
  /// - Throws: as ``read(at:into:)`` does.
  func contents(first count: Int) throws(KeychainError) -> Secret {
    var contents = Secret(capacity: count)
    try contents.append(count: count) { (buffer) throws(KeychainError) -> Int in
      try read(at: 0, into: buffer)
      return buffer.count
    }
    return contents
  }
}

/// Fills the buffer from a file's `offset` on. Returns 0, an `errno`, or -1 if the file ends before.
func readFully(_ descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
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
