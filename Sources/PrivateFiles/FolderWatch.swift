import Bytes
import CLinux
import Glibc
package import Keychain

/// Watches for files added to or removed from a folder (inotify(7)), which need not exist yet.
///
/// A thread waits for the kernel's reports until the watch is stopped or released; then it ends and the descriptors
/// are closed.
package final class FolderWatch: Sendable {
  private let waiter: Waiter

  /// Starts to watch. Everything that happens after it returns is reported.
  ///
  /// - Parameters:
  ///   - path: the folder's absolute path. Symbolic links in it are followed when the watch starts.
  ///   - isWanted: whether files of this name are of interest.
  ///   - report: called on the watch's own thread when something has happened to such a file, or may have. It must
  ///     not hold a reference to the watch.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``, with `EMFILE` if this user has too many watches.
  package init(
    _ path: String, isWanted: @escaping @Sendable (_ name: UnsafeRawBufferPointer) -> Bool,
    report: @escaping @Sendable () -> Void
  ) throws(KeychainError) {
    let waiter = try Waiter(path, isWanted, report)
    self.waiter = waiter
    guard startThread("keychain-watch", { waiter.work() }) else {
      throw .system(operation: "watch", path: path, errno: EAGAIN)
    }
  }

  deinit { waiter.stop() }

  /// Stops watching. May be called several times.
  package func stop() { waiter.stop() }
}

/// The part of a watch that its thread holds.
private final class Waiter: @unchecked Sendable {
  // Unchecked is sound: after `init` only `work` changes anything, and `stop` only writes to a pipe.
  private let path: String
  private let isWanted: @Sendable (UnsafeRawBufferPointer) -> Bool
  private let report: @Sendable () -> Void
  private let descriptor: Int32
  private let stopping: Descriptors
  /// The kernel's number for the folder's watch; `nil` while a folder above it is watched instead.
  private var folder: Int32?
  private var ancestor: Int32?

  /// A pipe that tells the thread to end.
  private struct Descriptors {
    var reading: Int32 = -1
    var writing: Int32 = -1
  }

  /// The wait before the next attempt to watch, in milliseconds.
  private static let pause: Int32 = 500
  private static let ofFolder = UInt32(
    IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF
      | IN_ATTRIB | IN_ONLYDIR)
  private static let ofAncestor = UInt32(
    IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  init(
    _ path: String, _ isWanted: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) {
    self.path = path
    self.isWanted = isWanted
    self.report = report
    descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
    if descriptor < 0 { throw .system(operation: "watch", path: path, errno: errno) }
    var ends: [Int32] = [-1, -1]
    let failure = clinux_pipe(&ends) == 0 ? 0 : errno
    stopping = Descriptors(reading: ends[0], writing: ends[1])
    if failure != 0 { throw .system(operation: "watch", path: path, errno: failure) }
    try arm()
  }

  deinit {
    for descriptor in [descriptor, stopping.reading, stopping.writing] where descriptor >= 0 {
      close(descriptor)
    }
  }

  func stop() {
    var byte: UInt8 = 0
    write(stopping.writing, &byte, 1)
  }

  func work() {
    var descriptors = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopping.reading, events: Int16(POLLIN), revents: 0),
    ]
    var isArmed = true
    while true {
      if poll(&descriptors, 2, isArmed ? -1 : Self.pause) < 0 {
        if errno == EINTR { continue }
        return report()
      }
      if descriptors[1].revents != 0 { return }
      var (isWanted, hasMoved) = take()
      if hasMoved || !isArmed {
        let wasArmed = isArmed
        do throws(KeychainError) {
          try arm()
          isArmed = true
        } catch {
          isArmed = false
        }
        // If the folder can't be watched, one report makes the receiver look and find out why.
        isWanted = isArmed || wasArmed
      }
      if isWanted { report() }
    }
  }

  /// Reads the kernel's reports. Returns whether anything of interest happened, and whether to watch another folder.
  private func take() -> (isWanted: Bool, hasMoved: Bool) {
    var outcome = (isWanted: false, hasMoved: false)
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count <= 0 { return }
        var position = 0
        while position < count {
          // struct inotify_event: watch, mask, cookie and length of 4 bytes each, then the name, padded with NULs.
          let watch = buffer.loadUnaligned(fromByteOffset: position, as: Int32.self)
          let mask = Int32(
            bitPattern: buffer.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
          let length = Int(buffer.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
          let name = UnsafeRawBufferPointer(rebasing: buffer[(position + 16)..<(position + 16 + length)])
          position += 16 + length
          if mask & IN_Q_OVERFLOW != 0 || watch == ancestor { outcome.hasMoved = true }
          if watch != folder { continue }
          if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { outcome.hasMoved = true }
          // A change of the folder itself, such as its permissions, has no name.
          let isNamed = UnsafeRawBufferPointer(rebasing: name.prefix { $0 != 0 })
          if isNamed.isEmpty || isWanted(isNamed) { outcome.isWanted = true }
        }
      }
    }
    return outcome
  }

  /// Watches the folder or, while it doesn't exist, the nearest existing parent.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  private func arm() throws(KeychainError) {
    for former in [folder, ancestor] {
      if let former { inotify_rm_watch(descriptor, former) }
    }
    (folder, ancestor) = (nil, nil)
    while true {
      if let watch = try watch(path, Self.ofFolder) {
        if let ancestor { inotify_rm_watch(descriptor, ancestor) }
        (folder, ancestor) = (watch, nil)
        return
      }
      var above = path
      var missing = path
      var found: Int32?
      while found == nil, above != "/" {
        missing = above
        above = above.lastIndex(of: "/").map { String(above[..<$0]) } ?? "/"
        if above.isEmpty { above = "/" }
        found = try watch(above, Self.ofAncestor)
      }
      guard let found else { throw .system(operation: "watch", path: path, errno: ENOENT) }
      if let ancestor, ancestor != found { inotify_rm_watch(descriptor, ancestor) }
      ancestor = found
      // The folder may have been made before its parent was watched. Anything but a folder is ignored.
      var status = stat()
      if stat(missing, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR { return }
    }
  }

  /// Watches one folder; `nil` if it doesn't exist.
  private func watch(_ path: String, _ mask: UInt32) throws(KeychainError) -> Int32? {
    let watch = inotify_add_watch(descriptor, path, mask)
    if watch >= 0 { return watch }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .system(operation: "watch", path: path, errno: errno)
  }
}
