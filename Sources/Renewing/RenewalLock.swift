import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The right to renew one token. Its file also says when an attempt has failed, so that those who waited for it don't try
/// again at once, one after the other.
struct RenewalLock: ~Copyable {
  private let lock: FileLock

  /// Waits for the right.
  ///
  /// - Throws: as `FileLock` does.
  init(named name: String, in stateFolder: String, patience: Int) throws(KeychainError) {
    let folder = try Folder(creating: stateFolder + "/renewing")
    lock = try FileLock(name, in: folder, patience: patience) {}
  }

  /// The name of the file for a text. Two that are equal by chance only wait for each other.
  static func name(of text: String) -> String { String(fnv1a(text.utf8), radix: 16) }

  /// Whether an attempt has failed since a time by the clock `SystemClock.sinceBoot`, in milliseconds.
  borrowing func hasFailed(since begin: Int) -> Bool {
    var time = 0
    let count = withUnsafeMutableBytes(of: &time) { pread(lock.descriptor, $0.baseAddress, $0.count, 0) }
    return count == MemoryLayout<Int>.size && time >= begin
  }

  /// Notes that the attempt of now has failed.
  borrowing func noteFailure() {
    var time = SystemClock.sinceBoot
    // Without the note, others try for themselves.
    _ = withUnsafeMutableBytes(of: &time) { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
  }
}
