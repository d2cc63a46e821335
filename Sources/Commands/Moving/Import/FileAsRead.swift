import Bytes
import CLinux
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A file that was read, and is changed only while it is still as it was read.
final class FileAsRead {
  /// The user's name for it.
  let name: String
  let path: String
  private(set) var text = Secret()
  private(set) var status = stat()

  /// In bytes.
  static let limit = 64 << 20

  /// `-` is standard input.
  init(_ path: String) {
    self.path = path
    name = path == "-" ? "standard input" : path
  }

  /// - Throws: ``KeychainError`` if the file doesn't exist, is too large or is not a file.
  func read() throws(KeychainError) {
    text = try FileContents.read(path, limit: Self.limit, status: &status)
  }

  /// Has another text, such as that of an archive's member, or none, in place of the file's.
  func hold(_ other: consuming Secret) { text = other }

  /// Opens the file for changing it, where a link leads if it is one.
  ///
  /// - Throws: ``KeychainError`` if it isn't the user's own, or has changed since it was read.
  func open() throws(KeychainError) -> (descriptor: Int32, path: String) {
    // People keep such files under stow: the link stays in its place, and its target is changed.
    guard let real = realPath(path) else { throw failed("find", ENOENT) }
    let file = clinux_openat(AT_FDCWD, real, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    if file < 0 { throw failed("open", errno) }
    do throws(KeychainError) {
      try refuseChanged(file)
    } catch {
      close(file)
      throw error
    }
    return (file, real)
  }

  private func refuseChanged(_ file: Int32) throws(KeychainError) {
    var now = stat()
    guard fstat(file, &now) == 0, now.st_uid == geteuid() else {
      throw .failure("\(name) is another user's, and was left as it is", status: .keychain)
    }
    guard now.st_ino == status.st_ino, now.st_dev == status.st_dev, now.st_size == status.st_size,
      now.st_mtim.tv_sec == status.st_mtim.tv_sec, now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    else { throw changedMeanwhile }
  }

  var changedMeanwhile: KeychainError {
    KeychainError(
      "\(name) has changed meanwhile; its new entries stay", hint: "import it once more", status: .keychain
    )
  }

  /// Whether the open file at a path is the one that was read, with the same bytes: a program may have written a token
  /// of the same length into it.
  func isAsRead(_ path: String, _ file: Int32) -> Bool {
    var now = stat()
    guard lstat(path, &now) == 0, now.st_ino == status.st_ino, now.st_dev == status.st_dev,
      now.st_size == status.st_size, lseek(file, 0, SEEK_SET) == 0
    else { return false }
    do throws(KeychainError) {
      return try StandardStreams.readAll(file, limit: Self.limit, what: path).isEqual(to: text)
    } catch {
      return false
    }
  }

  func failed(_ what: String, _ number: Int32) -> KeychainError {
    KeychainError("cannot \(what) \(path): \(errorText(number))", status: .keychain)
  }
}
