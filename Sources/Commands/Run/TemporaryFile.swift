import Bytes
import CLinux
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles

/// A file with secrets for a program that needs one. It is never on a disk, and only this user can read it. It is
/// removed when this value is destroyed, or by a separate process when this one has ended.
///
/// A path in `/proc` to a descriptor would leave no file. But only the program itself could open it, not the programs
/// that it starts without its descriptors, such as Bazel's server and pip's builds.
struct TemporaryFile: ~Copyable {
  let path: String
  private let folder: Folder
  private let name: String
  private let descriptor: Int32
  private let remover: (process: pid_t, guard: Int32)

  /// Makes the file, and removes files left by processes that were killed.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if there is no file system in memory;
  ///   ``KeychainError/unsafeFile(path:_:)``, ``KeychainError/system(operation:path:errno:)``.
  init(_ kind: Kind, _ contents: borrowing Secret) throws(KeychainError) {
    let folder = try Folder(creating: try Self.place())
    folder.forEachAbandonedFile(where: { Self.isName($0) }) { unlinkat(folder.descriptor, $0, 0) }
    let (name, descriptor) = try folder.makeLockedFile(
      (0..<1000).lazy.map { "\(kind.rawValue)-\(getpid())-\($0)" })
    let path = folder.path(of: name)
    var end: Int32 = -1
    // Before anything is in the file.
    let process = clinux_start_remover(folder.descriptor, name, &end)
    var failure = process < 0 ? errno : 0
    if failure == 0 { failure = contents.withUnsafeBytes { writeFully(descriptor, $0) } }
    if failure != 0 {
      unlinkat(folder.descriptor, name, 0)
      if process >= 0 { clinux_end_remover(process, end) }
      close(descriptor)
      throw .system(operation: "write", path: path, errno: failure)
    }
    remover = (process, end)
    self.folder = folder
    self.name = name
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    unlinkat(folder.descriptor, name, 0)
    clinux_end_remover(remover.process, remover.guard)
    close(descriptor)
  }

  /// The file's contents, with which its name begins.
  enum Kind: String, CaseIterable {
    case netrc
    case filled
  }

  /// Whether a path is that of such a file, which may be gone.
  static func isPlace(_ path: String) -> Bool {
    guard let place = try? place(), path.hasPrefix(place + "/") else { return false }
    return isName(path.dropFirst(place.utf8.count + 1).utf8)
  }

  private static func isName(_ name: some Collection<UInt8>) -> Bool {
    Kind.allCases.contains { name.starts(with: "\($0.rawValue)-".utf8) }
  }

  private static func place() throws(KeychainError) -> String {
    if let runtime = VaultLocation.environmentVariable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/"),
      clinux_is_in_memory(runtime)
    {
      return runtime + "/llavero"
    }
    if clinux_is_in_memory("/dev/shm") { return "/dev/shm/llavero-\(geteuid())" }
    throw .unavailable(
      reason:
        "neither XDG_RUNTIME_DIR nor /dev/shm is in memory, and a file with secrets must not get on a disk")
  }
}
