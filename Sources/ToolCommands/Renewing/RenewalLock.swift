import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The right to renew one token. Its file also says what came of the last attempts.
struct RenewalLock: ~Copyable {
  private let lock: FileLock

  private static func folder(in stateFolder: String) -> String { stateFolder + "/renewing" }

  /// Waits for the right.
  ///
  /// - Throws: as `FileLock` does.
  init(
    named name: String, in stateFolder: String, patience: Int, onWaiting: () -> Void = {}
  ) throws(KeychainError) {
    let folder = try Folder(creating: Self.folder(in: stateFolder))
    lock = try FileLock(name, in: folder, patience: patience, onWaiting: onWaiting)
  }

  /// The name of the file for a text. Two that are equal by chance only wait for each other.
  static func name(of text: String) -> String { String(fnv1a(text.utf8), radix: 16) }

  // MARK: Attempts that failed

  /// Whether an attempt has failed since a time by the clock `SystemClock.sinceBoot`, in milliseconds: whoever waited
  /// for it doesn't try again at once.
  borrowing func hasFailed(since begin: Int) -> Bool {
    begin...max(begin, SystemClock.sinceBoot) ~= record.failure
  }

  /// For how many seconds the server doesn't want to be asked again, because it was asked in vain with a token.
  ///
  /// - Parameter token: what is to be renewed. One that came since, by signing in for example, is not held back: the
  ///   server has given it out after it wanted to be left alone.
  borrowing func wait(with token: borrowing Secret) -> Int {
    let record = record
    guard record.paused == Self.hash(token) else { return 0 }
    let left = record.pause - SystemClock.sinceBoot
    return 1...Self.longestPause * 1000 ~= left ? (left + 999) / 1000 : 0
  }

  /// The longest time for which a server is obeyed, in seconds.
  private static let longestPause = 3600

  /// Notes that the attempt of now has failed.
  borrowing func noteFailure() {
    var record = record
    record.failure = SystemClock.sinceBoot
    record.pause = 0
    write(record)
  }

  /// Notes that the attempt of now to renew a token has failed.
  ///
  /// - Parameters:
  ///   - token: the token that was to be renewed.
  ///   - seconds: how long the server doesn't want to be asked again; more than an hour counts as an hour.
  borrowing func noteFailure(with token: borrowing Secret, pausing seconds: Int) {
    var record = record
    record.failure = SystemClock.sinceBoot
    record.pause = record.failure + min(seconds, Self.longestPause) * 1000
    record.paused = Self.hash(token)
    write(record)
  }

  /// Notes that the service has refused a refresh token, which isn't taken from the keychain because another machine
  /// may have the valid one.
  borrowing func noteRefused(_ token: borrowing Secret?) {
    guard let hash = Self.hash(ofAny: token) else { return }
    var record = record
    record.refused = hash
    write(record)
  }

  /// Whether the service has refused a refresh token.
  borrowing func hasRefused(_ token: borrowing Secret?) -> Bool {
    guard let hash = Self.hash(ofAny: token) else { return false }
    return record.refused == hash
  }

  private static func hash(ofAny token: borrowing Secret?) -> UInt64? {
    switch token {
    case .some(let token): hash(token)
    case .none: nil
    }
  }

  // MARK: Former secrets

  /// Notes that a secret has been replaced.
  borrowing func noteReplaced(_ secret: borrowing Secret) {
    var record = record
    record.formers.removeLast()
    record.formers.insert(Self.hash(secret), at: 0)
    write(record)
  }

  /// Whether a secret was replaced. It needs no lock: whoever renews just now has not replaced it yet.
  static func hasReplaced(_ secret: borrowing Secret, named name: String, in stateFolder: String) -> Bool {
    let descriptor = open("\(folder(in: stateFolder))/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return Record(in: descriptor).formers.contains(hash(secret))
  }

  /// Of a token, which nobody can guess, it gives nothing away.
  private static func hash(_ secret: borrowing Secret) -> UInt64 { secret.withUnsafeBytes { fnv1a($0) } }

  // MARK: The file

  private struct Record {
    /// When an attempt failed, and until when nobody is to be asked, by a clock that begins anew with each start of the
    /// machine. 0 for never.
    var failure = 0
    var pause = 0
    var formers = [UInt64](repeating: 0, count: 8)
    /// The token with which nobody is to be asked until then.
    var paused: UInt64 = 0
    /// The refresh token that the service has refused.
    var refused: UInt64 = 0

    private static let count = 13

    init(in descriptor: Int32) {
      var numbers = [UInt64](repeating: 0, count: Self.count)
      let size = numbers.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
      guard size == 8 * Self.count else { return }
      // The home of two machines, or what is left from before the last start.
      if numbers[0] == Self.start {
        failure = Int(truncatingIfNeeded: numbers[1])
        pause = Int(truncatingIfNeeded: numbers[2])
      }
      formers = Array(numbers[3..<11])
      paused = numbers[11]
      refused = numbers[12]
    }

    /// Which start of which machine this is.
    private static var start: UInt64 {
      var text = [UInt8](repeating: 0, count: 64)
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { return 0 }
      defer { close(descriptor) }
      return fnv1a(text.prefix(max(0, Glibc.read(descriptor, &text, text.count))))
    }

    /// Writes it. Without it, others try for themselves.
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
