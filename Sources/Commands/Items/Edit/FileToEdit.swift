import Bytes
import CLinux
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles

/// A file for an editor to change, which only this user can read. It has its own folder, so that anything the editor
/// leaves beside it is removed too. It contains no secret.
struct FileToEdit: ~Copyable {
  let path: String
  private let parent: Folder
  private let folder: Folder
  private let name: String
  /// Holds a lock while the file is in use.
  private let lock: Int32

  /// Makes the file, and removes files left by processes that were killed.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)``, ``KeychainError/system(operation:path:errno:)``.
  init(_ contents: [UInt8]) throws(KeychainError) {
    let parent = try Folder(creating: try Self.place())
    Self.removeAbandoned(in: parent)
    let (lockName, lock) = try parent.makeLockedFile(
      (0..<1000).lazy.map { "\(Self.prefix)\(getpid())-\($0)\(Self.lockSuffix)" })
    let name = String(lockName.dropLast(Self.lockSuffix.count))
    do throws(KeychainError) {
      let folder = try Folder(creating: parent.path(of: name))
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let file = clinux_openat(folder.descriptor, Self.fileName, flags, 0o600)
      if file < 0 { throw .system(operation: "create", path: folder.path(of: Self.fileName), errno: errno) }
      let failure = contents.withUnsafeBytes { writeFully(file, $0) }
      close(file)
      if failure != 0 {
        throw .system(operation: "write", path: folder.path(of: Self.fileName), errno: failure)
      }
      self.path = folder.path(of: Self.fileName)
      self.folder = folder
    } catch {
      Self.remove(name, in: parent)
      close(lock)
      throw error
    }
    self.parent = parent
    self.name = name
    self.lock = lock
  }

  deinit {
    Self.remove(name, in: parent)
    close(lock)
  }

  /// The current contents of the file. The editor may have replaced it with another file of the same name.
  ///
  /// - Throws: ``KeychainError/missing(path:)`` if it no longer exists; ``KeychainError/unsafeFile(path:_:)``,
  ///   ``KeychainError/tooLarge(what:limit:)``, ``KeychainError/system(operation:path:errno:)``.
  borrowing func read() throws(KeychainError) -> [UInt8] {
    guard let file = try folder.file(Self.fileName) else { throw .missing(path: path) }
    if file.status.size > Self.longest { throw .tooLarge(what: "the edited text", limit: Self.longest) }
    let contents = try file.contents(limit: Self.longest)
    return contents.withUnsafeBytes { Array($0) }
  }

  /// In bytes; more than any item's attributes take, escapes included.
  private static let longest = 2 << 20
  private static let prefix = "edit-"
  private static let lockSuffix = ".lock"
  private static let fileName = "item.txt"

  /// The folder for such files: the runtime folder, which disappears after the session, else the state folder.
  private static func place() throws(KeychainError) -> String {
    if let runtime = VaultLocation.environmentVariable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      return runtime + "/llavero"
    }
    return try VaultLocation().stateFolder
  }

  private static func remove(_ name: String, in parent: borrowing Folder) {
    if let folder = try? Folder(opening: parent.path(of: name)) {
      for entry in (try? folder.names()) ?? [] { unlinkat(folder.descriptor, entry, 0) }
      unlinkat(parent.descriptor, name, AT_REMOVEDIR)
    }
    unlinkat(parent.descriptor, name + lockSuffix, 0)
  }

  /// Removes the files of processes that were killed.
  private static func removeAbandoned(in parent: borrowing Folder) {
    let suffix = lockSuffix
    parent.forEachAbandonedFile {
      $0.starts(with: prefix.utf8) && $0.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    } remove: {
      remove(String($0.dropLast(suffix.utf8.count)), in: parent)
    }
  }
}
