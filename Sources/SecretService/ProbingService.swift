public import Keychain
import PrivateFiles

extension SecretServiceKeychain {
  /// Whether the keychain could keep a secret now.
  ///
  /// Asks the service for the collection of new items and whether it is locked, and checks the lock that this
  /// program's processes share. Unlocks nothing and opens no session.
  public func probe() -> KeychainReadiness {
    let collection: String
    do throws(KeychainError) {
      collection = try repeatable { () throws(KeychainError) in
        guard let path = try existingCollection() else { throw .noCollection(settings.collection) }
        if try isLocked(path) { throw .collectionLocked(collectionName(of: path)) }
        return path
      }
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
    do throws(KeychainError) {
      if collection.hasSuffix("/session") {
        throw .unavailable(reason: "new items would go to a collection that is lost when the session ends")
      }
      try SecretServiceLock.check(settings)
      return .ready
    } catch {
      return .notWritable(error)
    }
  }
}

extension SecretServiceLock {
  fileprivate static func check(_ settings: DesktopKeychainSettings) throws(KeychainError) {
    guard let path = settings.lockFolder else { return }
    if let folder = try Folder(opening: path) { try FileLock.check(name, in: folder, patience: 1) }
    try FutureFolder(path).check(room: 0)
  }
}
