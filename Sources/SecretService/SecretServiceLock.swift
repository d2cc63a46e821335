import Keychain
import PrivateFiles

/// A lock that keeps two processes of this program from storing an item twice, which the service can't prevent.
final class SecretServiceLock {
  static let name = "secret-service.lock"

  private let settings: DesktopKeychainSettings
  private var lock: FileLock?
  /// Whether it was released since it was last taken, so that others may have changed anything.
  private(set) var isReleased = false

  /// Takes the lock, waiting for it.
  ///
  /// - Throws: ``KeychainError/busy(path:seconds:)``, ``KeychainError/system(operation:path:errno:)``.
  init(_ settings: DesktopKeychainSettings) throws(KeychainError) {
    self.settings = settings
    try take()
  }

  /// Takes the lock again after its release.
  ///
  /// - Throws: ``KeychainError/busy(path:seconds:)``, ``KeychainError/system(operation:path:errno:)``.
  func take() throws(KeychainError) {
    isReleased = false
    guard let path = settings.lockFolder else { return }
    let folder = try Folder(creating: path)
    let name = Self.name
    lock = try FileLock(name, in: folder, patience: settings.patience) {
      settings.onNotice(.waiting(path: folder.path(of: name)))
    }
  }

  func release() {
    lock = nil
    isReleased = true
  }
}
