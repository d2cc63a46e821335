package import Bytes
import CLinux
import Glibc
package import Keychain
import PrivateFiles

/// The sockets for what can't be verified, each in a folder of its own, which can be mounted in a container: there, a
/// mounted socket would be a dead one as soon as the agent starts anew.
package struct NamedSockets {
  /// The folder of their folders.
  package let path: String

  /// The name of each socket in its folder.
  package static let socketName = "agent"
  /// How the name of a sandbox's socket begins, which ends with the sandbox.
  package static let sandboxMark = "sandbox-"

  /// Whether it is the name of a sandbox's socket.
  package static func isOfSandbox(_ name: ByteString) -> Bool {
    name.bytes.starts(with: Array(sandboxMark.utf8))
  }

  /// - Parameter path: the folder of their folders.
  package init(in path: String) {
    self.path = path
  }

  /// The path of a socket.
  package func path(of name: ByteString) -> String { "\(path)/\(name)/\(Self.socketName)" }

  /// The names of the sockets that there should be, sorted.
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

  /// Makes the folder of a socket. Nothing changes if it is there.
  ///
  /// - Throws: ``KeychainError`` if it can't be made, or others can use it.
  package func make(_ name: ByteString) throws(KeychainError) {
    _ = try Folder(creating: "\(path)/\(name)")
  }

  /// Removes a socket and its folder. Returns whether it was there. If a container has put something into the folder,
  /// it goes on under a name that no socket has, and can't keep the socket.
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

  /// Removes what ended sandboxes have left.
  package func removeLeftSandboxes() {
    for name in folders() where Self.isOfSandbox(name) { _ = try? remove(name) }
  }

  /// Listens at a socket; -1 with `errno` if that isn't possible.
  package func listen(_ name: ByteString) -> Int32 {
    let path = path(of: name)
    unlink(path)
    return clinux_listen_unix(path, 64)
  }
}
