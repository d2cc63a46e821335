import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The lock for renewing one token. Its file also has the outcome of the last attempts.
struct RenewalLock: ~Copyable {
  private let lock: FileLock

  private static func folder(in stateFolder: String) -> String { stateFolder + "/renewing" }

  /// - Throws: as `FileLock` does.
  init(
    named name: String, in stateFolder: String, patience: Int, onWaiting: () -> Void = {}
  ) throws(KeychainError) {
    let folder = try Folder(creating: Self.folder(in: stateFolder))
    lock = try FileLock(name, in: folder, patience: patience, onWaiting: onWaiting)
  }

  /// The file's name for a text. Two texts with the same one only wait for each other.
  static func name(of text: String) -> String { String(fnv1a(text.utf8), radix: 16) }

  // MARK: Attempts that failed

  /// Whether an attempt has failed since a time by the clock `SystemClock.sinceBoot`, in milliseconds: a process that
  /// waited for it doesn't try again at once.
  borrowing func hasFailed(since begin: Int) -> Bool {
    begin...max(begin, SystemClock.sinceBoot) ~= record.failure
  }

  /// For how many seconds the server wants no more requests, after one with this token failed.
  ///
  /// - Parameter token: the token to renew. A newer one, for example from signing in, is not held back: the server
  ///   gave it out after that.
  borrowing func wait(with token: borrowing Secret) -> Int {
    let record = record
    guard record.paused == Self.hash(token) else { return 0 }
    let left = record.pause - SystemClock.sinceBoot
    return 1...Self.longestPause * 1000 ~= left ? (left + 999) / 1000 : 0
  }

  /// How long a server's wish is respected at most, in seconds.
  private static let longestPause = 3600

  borrowing func noteFailure() {
    var record = record
    record.failure = SystemClock.sinceBoot
    record.pause = 0
    write(record)
  }

  /// Notes that an attempt to renew a token has failed just now.
  ///
  /// - Parameter seconds: for how long the server wants no more requests; at most an hour counts.
  borrowing func noteFailure(with token: borrowing Secret, pausing seconds: Int) {
    var record = record
    record.failure = SystemClock.sinceBoot
    record.pause = record.failure + min(seconds, Self.longestPause) * 1000
    record.paused = Self.hash(token)
    write(record)
  }

  /// Notes that the service has refused a refresh token. The token stays in the keychain, because another machine may
  /// have the valid one.
  borrowing func noteRefused(_ token: borrowing Secret?) {
    guard let hash = Self.hash(ofAny: token) else { return }
    var record = record
    record.refused = hash
    write(record)
  }

  borrowing func hasRefused(_ token: borrowing Secret?) -> Bool {
    guard let hash = Self.hash(ofAny: token) else { return false }
    return record.refused == hash
  }

  private static func hash(ofAny token: borrowing Secret?) -> UInt64? { token.lend { hash($0) } }

  // MARK: Former secrets

  borrowing func noteReplaced(_ secret: borrowing Secret) {
    var record = record
    record.formers.removeLast()
    record.formers.insert(Self.hash(secret), at: 0)
    write(record)
  }

  /// Whether a secret was replaced. It needs no lock: a renewal under way has not replaced it yet.
  static func hasReplaced(_ secret: borrowing Secret, named name: String, in stateFolder: String) -> Bool {
    let descriptor = open("\(folder(in: stateFolder))/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return Record(in: descriptor).formers.contains(hash(secret))
  }

  /// Nobody can guess a token, so its hash gives nothing away.
  private static func hash(_ secret: borrowing Secret) -> UInt64 { secret.withUnsafeBytes { fnv1a($0) } }

  // MARK: The file

  private struct Record {
    /// The time of a failure, and the end of a pause, by a clock that restarts with the machine. 0 for never.
    var failure = 0
    var pause = 0
    var formers = [UInt64](repeating: 0, count: 8)
    /// The token that is paused until then.
    var paused: UInt64 = 0
    /// The refresh token that the service has refused.
    var refused: UInt64 = 0

    private static let count = 13

    init(in descriptor: Int32) {
      var numbers = [UInt64](repeating: 0, count: Self.count)
      let size = numbers.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
      guard size == 8 * Self.count else { return }
      // Two machines share this home, or the record is from before the last start.
      if numbers[0] == Self.start {
        failure = Int(truncatingIfNeeded: numbers[1])
        pause = Int(truncatingIfNeeded: numbers[2])
      }
      formers = Array(numbers[3..<11])
      paused = numbers[11]
      refused = numbers[12]
    }

    /// Identifies this start of this machine.
    private static var start: UInt64 {
      var text = [UInt8](repeating: 0, count: 64)
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { return 0 }
      defer { close(descriptor) }
      return fnv1a(text.prefix(max(0, Glibc.read(descriptor, &text, text.count))))
    }

    /// Without the record, others try for themselves.
    func write(to descriptor: Int32) {
      let numbers =
        [Self.start, UInt64(truncatingIfNeeded: failure), UInt64(truncatingIfNeeded: pause)] + formers
        + [paused, refused]
      _ = numbers.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
  }

  private var record: Record { Record(in: lock.descriptor) }

  private borrowing func write(_ record: Record) { record.write(to: lock.descriptor) }
}
