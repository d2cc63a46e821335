import CLinux
import Glibc
package import Keychain

/// The credential `llavero` that systemd passes to a service (systemd.exec(5), `LoadCredential=`).
package struct SystemdCredential {
  /// The name for messages.
  package static let name = "$CREDENTIALS_DIRECTORY/llavero"

  /// The maximum length of a passphrase, in bytes.
  package static let longest = 65_536

  private let path: String

  /// Returns `nil` if there is no credentials folder.
  package init?(_ environment: KeychainEnvironment = KeychainEnvironment()) {
    guard let folder = environment.credentialsFolder, folder.hasPrefix("/") else { return nil }
    path = folder + "/llavero"
  }

  /// Whether the service has it. It may be refused all the same.
  package var isThere: Bool { access(path, F_OK) == 0 }

  /// The contents without a final line feed; `nil` if the service has no credential of this name.
  ///
  /// - Throws: ``KeychainError/unsafeFile(path:_:)`` if others can change it, or all can read it;
  ///   ``KeychainError/tooLarge(what:limit:)``; ``KeychainError/system(operation:path:errno:)``.
  package func passphrase() throws(KeychainError) -> Secret? {
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if file < 0 {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .unsafeFile(path: path, .symbolicLink)
      default: throw .system(operation: "open", path: path, errno: errno)
      }
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(operation: "examine", path: path, errno: errno) }
    if status.st_mode & S_IFMT != S_IFREG { throw .unsafeFile(path: path, .wrongKind) }
    if status.st_uid != 0, status.st_uid != geteuid() {
      throw .unsafeFile(path: path, .owner(uid: status.st_uid))
    }
    // For a service with a user of its own, the file is root's, and an access control list lets that user read it. The
    // group bits then hold the list's mask (acl(5)).
    let forOthers: mode_t = status.st_uid == geteuid() && geteuid() != 0 ? 0o077 : 0o037
    if status.st_mode & forOthers != 0 { throw .unsafeFile(path: path, .mode(status.st_mode & 0o7777)) }
    return try contents(file).withoutLastLineFeed()
  }

  private func contents(_ file: Int32) throws(KeychainError) -> Secret {
    var contents = Secret(capacity: 4096)
    while true {
      var (count, failure) = (0, Int32(0))
      contents.append(count: 4096) { buffer in
        count = read(file, buffer.baseAddress, buffer.count)
        failure = errno
        return max(0, count)
      }
      if count < 0, failure == EINTR { continue }
      if count < 0 { throw .system(operation: "read", path: path, errno: failure) }
      if contents.count > Self.longest { throw .tooLarge(what: path, limit: Self.longest) }
      if count == 0 { return contents }
    }
  }
}
