import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The right to ask a person for the passphrase, which one process of this user has at a time: who waits for it finds
/// the vault unlocked then, or hears that the person declined, and asks nobody.
struct AskingTurn: ~Copyable {
  /// `nil` where the file system knows no locks, or the folder can't be written to: then each process asks.
  private let lock: FileLock?
  private let descriptor: Int32
  /// Whether the person declined while this process waited.
  let wasDeclined: Bool

  /// Whether this process has the turn.
  var isHeld: Bool { descriptor >= 0 }

  /// What the lock's file is called, for a person may take long, and what asks nobody needn't wait for that.
  private static func name(_ respondent: PassphraseRespondent) -> String {
    respondent == .person ? "asking" : "opening"
  }
  /// How many seconds others are waited for: as long as a program that asks gives a person, for git shall not hang
  /// because of a prompt that was forgotten in another window.
  private static let patience = 300

  /// No turn, for where nobody is asked.
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
      // The file says when somebody declined last, in milliseconds since boot. One from before the last boot can be
      // of the time of waiting only by chance.
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

  /// Lets those who wait know that the person declined.
  borrowing func decline() {
    if descriptor < 0 { return }
    let now = SystemClock.sinceBoot
    // Where that fails, the next one asks.
    _ = withUnsafeBytes(of: now) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
