import Glibc
import PrivateFiles

/// This machine's files about a keychain on a server: they are in a folder of its own, so that no other keychain's name
/// can be that of one of them.
enum StateFiles {
  /// The folder of the copies.
  static let copies = "copies"
  /// The identity that opens the copies.
  static let identity = "identity.txt"
  /// The note about the last contact.
  static let contact = "contact"
  /// The file whose date is that of the last change of what copies are of.
  static let changed = "changed"
  /// The lock of whoever changes copies.
  static let copiesLock = "copies.lock"
  /// The lock of whoever renews copies.
  static let refreshLock = "refresh.lock"
  /// The note about whose the copies are.
  static let login = "login"
  /// What is known of the server.
  static let server = "server"

  /// Removes a keychain's folder, the copies first of all.
  static func forget(_ folder: String) {
    empty(folder + "/" + copies)
    remove(folder)
  }

  /// Removes a folder of llavero's own with all that is in it, as well as that is possible.
  static func remove(_ path: String) {
    empty(path)
    rmdir(path)
  }

  /// Removes what is in a folder, as well as that is possible.
  static func empty(_ path: String) {
    guard let folder = try? Folder(opening: path) else { return }
    for name in (try? folder.names()) ?? [] {
      let inner = path + "/" + name
      if unlink(inner) != 0 { remove(inner) }
    }
  }
}
