package import Bytes
import CLinux
import Glibc
package import Keychain
import PrivateFiles

/// The sockets for unverified clients, each in a folder of its own for mounting in a container: a mounted socket would
/// be dead once the agent restarts.
package struct NamedSockets {
  /// The parent of their folders.
  package let path: String

  /// The name of each socket in its folder.
  package static let socketName = "agent"
  /// The beginning of the name of a sandbox's socket, which ends with the sandbox.
  package static let sandboxMark = "sandbox-"

  package static func isOfSandbox(_ name: ByteString) -> Bool {
    name.bytes.starts(with: Array(sandboxMark.utf8))
  }

  /// - Parameter path: the parent of their folders.
  package init(in path: String) {
    self.path = path
  }

  package func path(of name: ByteString) -> String { "\(path)/\(name)/\(Self.socketName)" }

  /// The names of the wanted sockets, sorted.
  package func names() -> [ByteString] { folders().filter { !Self.isOfSandbox($0) }.sorted() }

  private func folders() -> [ByteString] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [ByteString] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        ByteString(Array(bytes.prefix { $0 != 0 }))
      }
      if ForwardedHost.isSocketName(name) { names.append(name) }
    }
    return names
  }

  /// Makes a socket's folder, if it isn't there.
  ///
  /// - Throws: ``KeychainError`` if that fails, or others can use the folder.
  package func make(_ name: ByteString) throws(KeychainError) {
    _ = try Folder(creating: "\(path)/\(name)")
  }

  /// Removes a socket and its folder. Returns whether it was there. A folder with something else in it, put there by a
  /// container, is renamed to a name that no socket has, so that it can't preserve the socket.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  @discardableResult
  package func remove(_ name: ByteString) throws(KeychainError) -> Bool {
    let folder = "\(path)/\(name)"
    unlink(self.path(of: name))
    if rmdir(folder) == 0 { return true }
    if errno == ENOENT { return false }
    if errno == ENOTEMPTY || errno == EEXIST {
      for number in 1...1000 where rename(folder, "\(path)/.removed-\(name)-\(number)") == 0 { return true }
    }
    throw .system(operation: "remove", path: folder, errno: errno)
  }

  /// Removes the remains of ended sandboxes.
  package func removeLeftSandboxes() {
    for name in folders() where Self.isOfSandbox(name) { _ = try? remove(name) }
  }

  /// Listens at a socket; -1 with `errno` if that fails.
  package func listen(_ name: ByteString) -> Int32 {
    let path = path(of: name)
    unlink(path)
    return clinux_listen_unix(path, 64)
  }
}
