import Bytes
import EncryptedFile
import Keychain
import PrivateFiles

/// The file `trusted-env-files` of the state folder: which files of variables `llavero run` may find by itself.
///
/// It has a line for each: `MARK PATH`, with the mark of ``FolderVariables/mark`` and the path, both in hexadecimal
/// digits.
struct TrustedFiles {
  private let stateFolder: String

  private static let name = "trusted-env-files"
  private static let lockName = "trusted-env-files.lock"
  /// The largest file, in bytes. The oldest lines give way.
  private static let maximumSize = 1 << 20
  /// For how long other writers are waited for, in seconds.
  private static let patience = 10

  /// - Throws: ``KeychainError/unavailable(reason:)`` without a home.
  init() throws(KeychainError) { stateFolder = try VaultLocation().stateFolder }

  enum Trust {
    case trusted
    /// Another text was trusted there.
    case changed
    case unknown
  }

  /// Whether a file's text is trusted at its path.
  ///
  /// - Throws: ``KeychainError`` if that can't be told.
  func trust(in file: borrowing FolderVariables) throws(KeychainError) -> Trust {
    let there = try lines().filter { Self.isAbout(file.path, $0) }
    if there.contains(Self.line(file.mark, file.path)) { return .trusted }
    return there.isEmpty ? .unknown : .changed
  }

  /// Trusts a file, as it was read.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func add(_ file: borrowing FolderVariables) throws(KeychainError) {
    let (path, line) = (file.path, Self.line(file.mark, file.path))
    _ = try change { lines in
      lines.removeAll { Self.isAbout(path, $0) }
      lines.append(line)
    }
  }

  /// Trusts nothing at a path any more. Returns whether anything was trusted there.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func remove(_ path: ByteString) throws(KeychainError) -> Bool {
    if try !lines().contains(where: { Self.isAbout(path, $0) }) { return false }
    return try change { lines in lines.removeAll { Self.isAbout(path, $0) } }
  }

  private static func line(_ mark: String, _ path: ByteString) -> String {
    "\(mark) \(hexadecimal(path.bytes))"
  }

  private static func isAbout(_ path: ByteString, _ line: String) -> Bool {
    line.split(separator: " ").last.map { $0 == hexadecimal(path.bytes) } ?? false
  }

  private func lines() throws(KeychainError) -> [String] {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(Self.name) else {
      return []
    }
    return try file.contents(limit: Self.maximumSize).withUnsafeBytes { text in
      text.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Changes the lines. Returns whether there are fewer or others.
  private func change(_ body: (inout [String]) -> Void) throws(KeychainError) -> Bool {
    let folder = try Folder(creating: stateFolder)
    let lock = try FileLock(Self.lockName, in: folder, patience: Self.patience) {}
    defer { withExtendedLifetime(lock) {} }
    let former = try lines()
    var lines = former
    body(&lines)
    if lines == former { return false }
    var size = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    while size > Self.maximumSize { size -= lines.removeFirst().utf8.count + 1 }
    let text = Secret(lines.map { $0 + "\n" }.joined())
    try text.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(Self.name, with: bytes) }
    return true
  }
}
