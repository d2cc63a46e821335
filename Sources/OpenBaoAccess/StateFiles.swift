import Glibc
import PrivateFiles

/// This machine's files about a keychain on a server: they are in a folder of its own, so that no other keychain's name can
/// be that of one of them.
enum StateFiles {
  /// The folder of the copies.
  static let copies = "copies"
  /// The note about the last contact.
  static let contact = "contact"
  /// The lock of whoever renews copies.
  static let refreshLock = "refresh.lock"
  /// What is known of the server.
  static let server = "server"

  /// What is about the keychain, and not about the file of the copies.
  static let ofKeychain = [copies, contact, refreshLock, server]

  /// Removes a folder of llavero's own with all that is in it, as well as that is possible.
  static func remove(_ path: String) {
    empty(path)
    rmdir(path)
  }

  /// Removes what is in a folder, as well as that is possible.
  static func empty(_ path: String, keeping kept: [String] = []) {
    empty(path) { kept.contains($0) }
  }

  /// Removes what is in a folder, as well as that is possible.
  static func empty(_ path: String, where isKept: (String) -> Bool) {
    guard let folder = try? Folder(opening: path) else { return }
    for name in (try? folder.names()) ?? [] where !isKept(name) {
      let inner = path + "/" + name
      if unlink(inner) != 0 { remove(inner) }
    }
  }
}
