import Glibc
import PrivateFiles

/// This machine's files about a keychain on a server. They are in a folder of their own, so that no other keychain's
/// name can collide with a file's.
enum StateFiles {
  /// The vault of the copies. What opens it is beside it.
  static let copies = "copies"
  /// The note about the last contact.
  static let contact = "contact"
  /// Dated at the last change of anything copied.
  static let changed = "changed"
  /// For renewing copies.
  static let refreshLock = "refresh.lock"
  /// The note about the copies' holder.
  static let login = "login"
  /// Facts about the server.
  static let server = "server"

  /// Removes a keychain's folder, the copies first.
  static func forget(_ folder: String) {
    empty(folder + "/" + copies)
    remove(folder)
  }

  /// Removes a folder of llavero's own with its contents, as far as possible.
  static func remove(_ path: String) {
    empty(path)
    rmdir(path)
  }

  /// As far as possible.
  static func empty(_ path: String) {
    guard let folder = try? Folder(opening: path) else { return }
    for name in (try? folder.names()) ?? [] {
      let inner = path + "/" + name
      if unlink(inner) != 0 { remove(inner) }
    }
  }
}
