import Bytes
import Glibc
import Keychain
import ToolCommands

/// A file named on the command line.
enum NamedFile {
  /// - Parameter limit: the maximum size, in bytes.
  /// - Throws: ``KeychainError`` if the file can't be opened or read, or is larger.
  static func contents(of file: CString, limit: Int) throws(KeychainError) -> Secret {
    let descriptor = open(file.pointer, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw .failure("cannot open \(file.text): \(errorText(errno))", status: .usage)
    }
    defer { close(descriptor) }
    return try StandardStreams.readAll(descriptor, limit: limit, what: file.text)
  }
}
