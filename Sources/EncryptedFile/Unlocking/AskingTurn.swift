import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The right to ask a person for the passphrase, held by one process of this user at a time. A process that waited
/// finds the vault unlocked, or learns that the person declined, and doesn't ask again.
struct AskingTurn: ~Copyable {
  /// `nil` if the file system has no locks, or the folder can't be written to: then each process asks.
  private let lock: FileLock?
  private let descriptor: Int32
  let wasDeclined: Bool

  var isHeld: Bool { descriptor >= 0 }

  /// There are two lock files, because a person may take long, and a process that asks nobody shouldn't wait for that.
  private static func name(_ respondent: PassphraseRespondent) -> String {
    respondent == .person ? "asking" : "opening"
  }
  /// How many seconds to wait for others: as long as a program that asks gives a person, so that git doesn't hang
  /// because of a forgotten prompt in another window.
  private static let patience = 300

  /// No turn: nobody is asked.
  init() {
    self.init(lock: nil, descriptor: -1, wasDeclined: false)
  }

  private init(lock: consuming FileLock?, descriptor: Int32, wasDeclined: Bool) {
    self.lock = lock
    self.descriptor = descriptor
    self.wasDeclined = wasDeclined
  }

  /// Waits for the turn.
  ///
  /// - Parameter onWaiting: called once, after five seconds.
  /// - Throws: ``KeychainError/busy(path:seconds:)`` after five minutes.
  init(
    for respondent: PassphraseRespondent, in stateFolder: String, onWaiting: () -> Void
  ) throws(KeychainError) {
    let start = SystemClock.sinceBoot
    do throws(KeychainError) {
      let folder = try Folder(creating: stateFolder)
      let lock = try FileLock(
        Self.name(respondent), in: folder, patience: Self.patience, onWaiting: onWaiting)
      // The file has the time of the last refusal, in milliseconds since boot. A time from before the last boot can
      // fall into the waiting time only by chance.
      let descriptor = lock.descriptor
      var declined = 0
      let count = withUnsafeMutableBytes(of: &declined) { pread(descriptor, $0.baseAddress, $0.count, 0) }
      self.init(
        lock: consume lock, descriptor: descriptor,
        wasDeclined: count == MemoryLayout<Int>.size && start < declined && declined <= SystemClock.sinceBoot)
    } catch {
      if case .busy = error { throw error }
      self.init()
    }
  }

  borrowing func decline() {
    if descriptor < 0 { return }
    let now = SystemClock.sinceBoot
    // If that fails, the next process asks.
    _ = withUnsafeBytes(of: now) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
