import CLinux
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

enum FileContents {
  /// The contents of a file; `-` is standard input.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - status: set to the file's status.
  /// - Throws: ``KeychainError`` if the file doesn't exist, is too large or is not a file.
  static func read(_ path: String, limit: Int, status: inout stat) throws(KeychainError) -> Secret {
    if path == "-" { return try StandardStreams.readAll(0, limit: limit, what: "standard input") }
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      throw .failure(
        errno == ENOENT ? "there is no file \(path)" : "cannot read \(path): \(errorText(errno))",
        status: .usage)
    }
    defer { close(file) }
    guard fstat(file, &status) == 0 else {
      throw .failure("cannot read \(path): \(errorText(errno))", status: .usage)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    // For example the pipe that a shell makes for <(…).
    case S_IFIFO: clinux_make_blocking(file)
    default: throw .failure("\(path) is not a file", status: .usage)
    }
    return try StandardStreams.readAll(file, limit: limit, what: path)
  }

  static func read(_ path: String, limit: Int) throws(KeychainError) -> Secret {
    var status = stat()
    return try read(path, limit: limit, status: &status)
  }
}
