import Age
import Bytes
import CLinux
import CredentialProtocols
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// The file of variables that `llavero run` finds by itself: `.env.llavero` in the folder where it starts, and in none
/// above. It is read once, so the same text is trusted, shown and used.
struct FolderVariables: ~Copyable {
  static let name = ".env.llavero"

  /// Without links.
  let path: ByteString
  let text: Secret

  /// `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if the file can't be read, is a symbolic link, or somebody else may change it or its
  ///   folder.
  static func find() throws(KeychainError) -> FolderVariables? {
    let file = clinux_openat(AT_FDCWD, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      switch errno {
      case ENOENT, ENOTDIR: return nil
      case ELOOP: throw refused("\(name) is a symbolic link and is not read", nil)
      default: throw refused("cannot open \(name): \(errorText(errno))", nil)
      }
    }
    defer { close(file) }
    try refuseChangesByOthers(of: file, name)
    let folder = clinux_openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if folder < 0 { throw refused("cannot open this folder: \(errorText(errno))", nil) }
    defer { close(folder) }
    try refuseChangesByOthers(of: folder, ".")
    return FolderVariables(
      path: try path(),
      text: try StandardStreams.readAll(file, limit: EnvironmentFile.longest, what: name))
  }

  /// The path of the file, even if that doesn't exist.
  ///
  /// - Throws: ``KeychainError`` if the folder is gone.
  static func path() throws(KeychainError) -> ByteString {
    let folder = getcwd(nil, 0)
    defer { free(folder) }
    // Linux writes "(unreachable)" before a folder outside of the root.
    guard let folder, folder.pointee == 0x2f else {
      throw .failure("this folder is gone", status: .usage)
    }
    let bytes = UnsafeRawBufferPointer(start: folder, count: strlen(folder))
    return ByteString(Array(bytes) + (bytes.count > 1 ? [0x2f] : []) + Array(name.utf8))
  }

  /// Identifies a trusted text: its hash, with the path as the key.
  var mark: String {
    withUnsafeTemporaryAllocation(byteCount: KeyDerivation.hashSize, alignment: 1) { hash in
      path.bytes.withUnsafeBytes { key in
        text.withUnsafeBytes { KeyDerivation.hmacSHA256(key: key, message: $0, into: hash) }
      }
      return hexadecimal(Array(hash))
    }
  }

  private static func refuseChangesByOthers(of file: Int32, _ name: String) throws(KeychainError) {
    let status = try FileStatus(of: file, path: name)
    let shown = name == "." ? "this folder" : name
    if name != ".", !status.isRegularFile { throw refused("\(name) is not a plain file", nil) }
    switch status.othersMayChange(file) {
    case nil: return
    case .owner(let uid):
      throw refused("\(shown) belongs to another user (uid \(uid)), so its variables are not read", nil)
    default:
      throw refused(
        "others may change \(shown), so its variables are not read", "\(command: "chmod", "go-w", name), or ")
    }
  }

  private static func refused(_ message: String, _ remedy: Hint?) -> KeychainError {
    KeychainError(message, hint: "\(remedy ?? "")\(withoutIt)", status: .usage)
  }

  private static let withoutIt: Hint = "--env-file names another file, and --no-env-file goes without"
}

extension FolderVariables {
  /// - Throws: ``KeychainError`` unless exactly this text was trusted here.
  func requireTrust() throws(KeychainError) {
    let hint: Hint = "'llavero run --trust' shows what it sets and trusts it; --no-env-file goes without"
    switch try TrustedFiles().trust(in: self) {
    case .trusted: return
    case .changed:
      throw .failure(
        "\(path) has changed since it was trusted, so nothing was run", hint: hint, status: .usage)
    case .unknown: throw .failure("\(path) isn't trusted, so nothing was run", hint: hint, status: .usage)
    }
  }
}
