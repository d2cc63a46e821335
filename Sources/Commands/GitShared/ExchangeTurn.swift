import EncryptedFile
import Keychain
import PrivateFiles

extension SharedKeychainSync {
  /// Keeps others from exchanging the keychain, while its folders move or its clone gets another remote.
  ///
  /// - Returns: the lock; `nil` if nothing of the keychain is here.
  /// - Throws: ``SharingFault/busy`` if somebody else takes too long.
  func withoutExchange() throws(SharingFault) -> HeldExchange? {
    do throws(KeychainError) {
      guard let folder = try Folder(opening: stateFolder) else { return nil }
      return try hold(in: folder, queueing: patience)
    } catch .busy {
      throw .busy
    } catch {
      throw .keychain(error)
    }
  }

  /// The lock for exchanging the keychain; `nil` if it isn't needed.
  ///
  /// - Parameter isQueued: whether only one process may wait for it, in the background, because that does the work of
  ///   the others.
  /// - Throws: ``SharingFault/busy`` if somebody else takes too long, and if the name has got another keychain
  ///   meanwhile, which must not be exchanged with this repository.
  func turn(isQueued: Bool) throws(SharingFault) -> HeldExchange? {
    do throws(KeychainError) {
      let folder = try Folder(creating: stateFolder)
      let held: HeldExchange
      do throws(KeychainError) {
        held = try hold(in: folder, queueing: isQueued ? 0 : nil)
        held.letOthersQueue()
      } catch .busy where isQueued {
        return nil
      }
      try keychain.checkName()
      if folder.wasMovedAway { throw .busy(path: stateFolder, seconds: 0) }
      return held
    } catch .busy {
      throw .busy
    } catch {
      throw .keychain(error)
    }
  }

  /// Takes the locks: first the place in the queue, then the exchange itself.
  ///
  /// - Parameter queueing: for how many seconds to wait for the place; `nil` to do without it.
  private func hold(
    in folder: borrowing Folder, queueing: Int?
  ) throws(KeychainError) -> HeldExchange {
    var queue: FileLock?
    if let queueing { queue = try FileLock("sync.queue", in: folder, patience: queueing) {} }
    return HeldExchange(queue: queue, lock: try FileLock("sync.lock", in: folder, patience: patience) {})
  }
}

/// While it exists, nobody else exchanges a keychain, or waits to.
final class HeldExchange {
  private var queue: FileLock?
  private let lock: FileLock

  fileprivate init(queue: consuming FileLock?, lock: consuming FileLock) {
    self.queue = queue
    self.lock = lock
  }

  fileprivate func letOthersQueue() { queue = nil }
}
