import Keychain
import PrivateFiles

/// What keeps two processes of this program from storing an item twice: the service itself has no such means.
final class SecretServiceLock {
  static let name = "secret-service.lock"

  private let lock: FileLock?

  /// Waits for the lock.
  ///
  /// - Throws: ``KeychainError/busy(path:seconds:)``, ``KeychainError/system(operation:path:errno:)``.
  init(_ settings: DesktopKeychainSettings) throws(KeychainError) {
    guard let path = settings.lockFolder else {
      lock = nil
      return
    }
    let folder = try Folder(creating: path)
    let name = Self.name
    lock = try FileLock(name, in: folder, patience: settings.patience) {
      settings.onNotice(.waiting(path: folder.path(of: name)))
    }
  }

  /// Holds the lock while the body runs.
  func whileHeld<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    try withExtendedLifetime(self, body)
  }
}
