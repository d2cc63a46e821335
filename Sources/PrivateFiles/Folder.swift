import Bytes
import CLinux
import Glibc
package import Keychain

/// An open folder that belongs only to this user.
///
/// Everything in it is accessed through its descriptor, so that nobody can exchange a part of the path between two
/// steps. A symbolic link to a folder is followed once, on opening (people manage such folders with stow).
package struct Folder: ~Copyable {
  package let descriptor: Int32
  package let path: String

  /// Opens the folder; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's, accessible to others, or not a folder;
  ///   ``KeychainError/system(operation:path:errno:)``.
  package init?(opening path: String) throws(KeychainError) {
    try self.init(at: AT_FDCWD, path, path: path)
  }

  private init?(at parent: Int32, _ name: String, path: String) throws(KeychainError) {
    self.path = path
    descriptor = clinux_openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if descriptor < 0 {
      switch errno {
      case ENOENT:
        if let link = Self.linkToNothing(in: path) { throw .missing(path: link) }
        return nil
      case ENOTDIR: throw .unsafeFile(path: path, .wrongKind)
      default: throw .system(operation: "open", path: path, errno: errno)
      }
    }
    let status = try FileStatus(of: descriptor, path: path)
    try status.refuseAccessByOthers(path: path)
  }

  /// The first symbolic link in a path that leads nowhere, as to an unmounted disk: no folder must be made there.
  private static func linkToNothing(in path: String) -> String? {
    var end = path.startIndex
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      var status = stat()
      if stat(part, &status) == 0 { continue }
      return lstat(part, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? part : nil
    }
    return nil
  }

  /// The user's home folder, by `HOME`, if it doesn't exist.
  private static var missingHome: String? {
    guard let home = getenv("HOME"), home.pointee == 0x2f else { return nil }
    var status = stat()
    return stat(home, &status) != 0 && errno == ENOENT ? String(cString: home) : nil
  }

  /// Opens the folder, and makes it and its parents with mode 0700 if they are missing. Never makes the home folder,
  /// which may be on an unmounted disk.
  ///
  /// - Throws: as ``init(opening:)`` does; ``KeychainError/missing(path:)`` with the path of the home folder.
  package init(creating path: String) throws(KeychainError) {
    if let folder = try Folder(opening: path) {
      self = folder
      return
    }
    if let home = Self.missingHome {
      var prefix = home[...]
      while prefix.hasSuffix("/") { prefix.removeLast() }
      if path.hasPrefix(prefix + "/") { throw .missing(path: home) }
    }
    var end = path.startIndex
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      if mkdir(part, 0o700) == 0 {
        do throws(KeychainError) {
          try Self.synchronizeParent(of: part)
        } catch {
          rmdir(part)
          throw error
        }
      } else if errno != EEXIST {
        throw .system(operation: "create the folder", path: part, errno: errno)
      }
    }
    guard let folder = try Folder(opening: path) else { throw .missing(path: path) }
    self = folder
  }

  /// Opens a folder in this one, wherever that has been moved, and makes it if it is missing.
  ///
  /// - Throws: as ``init(opening:)`` does.
  package func folder(creating name: String) throws(KeychainError) -> Folder {
    let path = path(of: name)
    if let folder = try Folder(at: descriptor, name, path: path) { return folder }
    if mkdirat(descriptor, name, 0o700) == 0 {
      do throws(KeychainError) {
        try synchronize().required()
      } catch {
        unlinkat(descriptor, name, AT_REMOVEDIR)
        throw error
      }
    } else if errno != EEXIST {
      throw .system(operation: "create the folder", path: path, errno: errno)
    }
    guard let folder = try Folder(at: descriptor, name, path: path) else { throw .missing(path: path) }
    return folder
  }

  /// Whether the folder's path now leads to nothing or to another folder. If in doubt, it counts as in place.
  package var wasMovedAway: Bool {
    var (own, present) = (stat(), stat())
    if stat(path, &present) != 0 { return errno == ENOENT || errno == ENOTDIR }
    return fstat(descriptor, &own) == 0 && (own.st_dev != present.st_dev || own.st_ino != present.st_ino)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path of a file in the folder, for messages.
  package func path(of name: String) -> String { path + "/" + name }

  /// Whether anything has this name.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if that can't be told: keys depend on the answer.
  package func contains(_ name: String) throws(KeychainError) -> Bool {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    if errno == ENOENT { return false }
    throw .system(operation: "look for", path: path(of: name), errno: errno)
  }

  /// The status of the file with this name, without following a symbolic link.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func status(of name: String) throws(KeychainError) -> FileStatus {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
      throw .system(operation: "examine", path: path(of: name), errno: errno)
    }
    return FileStatus(status)
  }

  package func copyDate(of file: borrowing OpenFile, to name: String) throws(KeychainError) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else {
      throw .system(operation: "examine", path: file.path, errno: errno)
    }
    let times = [status.st_atim, status.st_mtim]
    if utimensat(descriptor, name, times, AT_SYMLINK_NOFOLLOW) != 0 {
      throw .system(operation: "date", path: path(of: name), errno: errno)
    }
  }

  /// Sets a file's modification date; by default to now.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func setDate(_ date: Timestamp? = nil, of name: String) throws(KeychainError) {
    let times = date.map { date in
      let time = timespec(
        tv_sec: Int(date.milliseconds / 1000), tv_nsec: Int(date.milliseconds % 1000) * 1_000_000)
      return [time, time]
    }
    if utimensat(descriptor, name, times, AT_SYMLINK_NOFOLLOW) != 0 {
      throw .system(operation: "date", path: path(of: name), errno: errno)
    }
  }

  /// Opens a file for reading; `nil` if there is none.
  ///
  /// - Parameter isTightened: whether to make a file of this user private first, for files that another program put
  ///   into a folder that nobody else can enter.
  /// - Parameter shownPath: the path for errors, if the file is a copy of another.
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if it is another user's, accessible to others, a symbolic link
  ///   or not a regular file; ``KeychainError/system(operation:path:errno:)``.
  package func file(
    _ name: String, isTightened: Bool = false, shownAs shownPath: String? = nil
  ) throws(KeychainError) -> OpenFile? {
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    let file = clinux_openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .unsafeFile(path: path(of: name), .symbolicLink)
      default: throw .system(operation: "open", path: path(of: name), errno: errno)
      }
    }
    var status = stat()
    // Only if needed, because a change would make it another version of the file.
    if isTightened, fstat(file, &status) == 0, status.st_uid == ownUser, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 != 0
    {
      fchmod(file, 0o600)
    }
    return try OpenFile(owning: file, path: shownPath ?? path(of: name))
  }

  /// The names in the folder, without `.` and `..`.
  ///
  /// - Parameter isWanted: whether to include a name. It gets the bytes, so that only included names become strings.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package func names(
    where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  ) throws(KeychainError) -> [String] {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw .system(operation: "list", path: path, errno: errno)
    }
    var names: [String] = []
    // Without opendir(3), which needs another descriptor and much memory, at every answer.
    let failure = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer -> Int32 in
      guard let base = buffer.baseAddress else { return ENOMEM }
      while true {
        let count = clinux_read_directory(descriptor, base, buffer.count)
        if count <= 0 { return count == 0 ? 0 : errno }
        var position = 0
        while position < count {
          // struct linux_dirent64: inode and offset (8 bytes each), the record's length (2), the type (1), the name.
          let length = Int(buffer.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
          let start = base + position + 19
          let name = UnsafeRawBufferPointer(
            start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
          position += length
          if Self.isItselfOrParent(name) || !isWanted(name) { continue }
          names.append(String(decoding: name, as: UTF8.self))
        }
      }
    }
    if failure != 0 { throw .system(operation: "list", path: path, errno: failure) }
    return names
  }

  private static func isItselfOrParent(_ name: UnsafeRawBufferPointer) -> Bool {
    let dot = UInt8(ascii: ".")
    return name.count == 1 && name[0] == dot || name.count == 2 && name[0] == dot && name[1] == dot
  }

  /// Makes a new folder's entry in its parent survive a power cut.
  private static func synchronizeParent(of path: String) throws(KeychainError) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = clinux_openat(
      AT_FDCWD, parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system(operation: "open", path: parent, errno: errno) }
    defer { close(descriptor) }
    try synchronize(descriptor, parent).required()
  }

  /// Makes changes of the folder's entries, already in place, survive a loss of power.
  package func synchronize() -> Durability { Self.synchronize(descriptor, path) }

  /// Some network file systems can't sync folders and return EINVAL: nothing can be done there.
  private static func synchronize(_ descriptor: Int32, _ path: String) -> Durability {
    if fsync(descriptor) == 0 || errno == EINVAL { return .lasting }
    return .unsure(.system(operation: "sync the folder", path: path, errno: errno))
  }
}
