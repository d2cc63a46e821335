import Bytes
import EncryptedFile
import Keychain
import PrivateFiles
import ToolCommands

/// The file `trusted-env-files` of the state folder: the files of variables that `llavero run` may find by itself.
///
/// Each line is `MARK PATH`, with the mark of ``FolderVariables/mark`` and the path, both in hexadecimal digits.
struct TrustedFiles {
  private let file: StateLines

  /// - Throws: ``KeychainError/unavailable(reason:)`` without a home.
  init() throws(KeychainError) { file = StateLines("trusted-env-files", in: try VaultLocation().stateFolder) }

  enum Trust {
    case trusted
    /// Another text was trusted there.
    case changed
    case unknown
  }

  /// Whether a file's text is trusted at its path.
  ///
  /// - Throws: ``KeychainError`` if that is unknown.
  func trust(in file: borrowing FolderVariables) throws(KeychainError) -> Trust {
    let there = try self.file.read().filter { Self.isAbout(file.path, $0) }
    if there.contains(Self.line(file.mark, file.path)) { return .trusted }
    return there.isEmpty ? .unknown : .changed
  }

  /// Trusts a file, as it was read.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func add(_ file: borrowing FolderVariables) throws(KeychainError) {
    let (path, line) = (file.path, Self.line(file.mark, file.path))
    let written = try self.file.change { lines in
      lines.removeAll { Self.isAbout(path, $0) }
      lines.append(line)
    }
    if let written { StandardStreams.warn(written) }
  }

  /// Ends all trust at a path. Returns whether there was any.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func remove(_ path: ByteString) throws(KeychainError) -> Bool {
    if try !file.read().contains(where: { Self.isAbout(path, $0) }) { return false }
    guard let written = try file.change({ lines in lines.removeAll { Self.isAbout(path, $0) } }) else {
      return false
    }
    StandardStreams.warn(written)
    return true
  }

  private static func line(_ mark: String, _ path: ByteString) -> String {
    "\(mark) \(hexadecimal(path.bytes))"
  }

  private static func isAbout(_ path: ByteString, _ line: String) -> Bool {
    line.split(separator: " ").last.map { $0 == hexadecimal(path.bytes) } ?? false
  }
}
