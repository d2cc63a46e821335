import Age
import Bytes
import CLinux
import Glibc
import Keychain

/// Keeps vaults unlocked in the kernel's keyring of this user, `@u` (user-keyring(7)).
///
/// There is one key of type `user` for each vault, named `llavero:UUID`. Every process of the user may read it,
/// including those whose session isn't linked to that keyring, and the kernel drops it when it times out. Without a
/// time-out it would outlive all of the user's processes.
enum KernelKeyring {
  /// The contents of a key: a version, when it expires in seconds since boot, the idle time in seconds, and the
  /// identity's secret key, the recipient and the authentication key. Numbers are in big endian.
  private enum Payload {
    static let version: UInt8 = 1
    static let end = 1
    static let idle = 9
    static let secretKey = 13
    static let recipient = secretKey + KeptKey.keySize
    static let authenticationKey = recipient + KeptKey.keySize
    static let size = authenticationKey + KeptKey.keySize
  }

  /// All permissions for the possessor; view, read, search and set attribute for other processes of this user.
  /// Renewing the time-out needs the last one (keyctl_setperm(3)).
  private static let permissions: UInt32 = 0x3f2b_0000

  private static let prefix = "llavero:"

  /// A key that was found, and its contents.
  private struct Found: ~Copyable {
    let key: Int32
    let payload: Secret
    let secondsLeft: Int
    let idle: Int
  }

  /// The key of a vault; `nil` if none is kept or keys can't be used here.
  ///
  /// - Parameter renews: whether this counts as a use, which restarts the idle time.
  static func key(of uuid: String, renews: Bool) -> KeptKey? {
    guard let found = find(uuid) else { return nil }
    if renews { clinux_set_key_timeout(found.key, UInt32(min(found.idle, found.secondsLeft))) }
    return found.payload.withUnsafeBytes { payload -> KeptKey? in
      func part(_ offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: payload[offset..<offset + KeptKey.keySize])
      }
      do {
        let recipient = try X25519Recipient(publicKey: Array(part(Payload.recipient)))
        return KeptKey(
          identity: try X25519Identity(secretKey: part(Payload.secretKey), recipient: recipient),
          recipient: recipient, authenticationKey: Secret(copying: part(Payload.authenticationKey)))
      } catch {
        return nil
      }
    }
  }

  /// Keeps a vault's key, replacing one that is already kept.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if keys can't be used, as in many containers (EPERM,
  ///   ENOSYS), or the user has too many (EDQUOT). Then nothing is kept, not even the former key.
  static func keep(
    _ identity: X25519Identity, _ authenticationKey: borrowing Secret, of uuid: String, _ limits: UnlockLimits
  ) throws(KeychainError) {
    var payload = Secret(capacity: Payload.size)
    payload.append(Payload.version)
    payload.append(bigEndian: UInt64(SystemClock.sinceBoot / 1000 + limits.total))
    payload.append(bigEndian: UInt32(limits.idle))
    identity.withSecretKey { payload.append($0) }
    identity.recipient.publicKey.withUnsafeBytes { payload.append($0) }
    payload.append(authenticationKey)
    let failure = payload.withUnsafeBytes { payload -> Int32 in
      guard let bytes = payload.baseAddress else { return EINVAL }
      let outcome = clinux_add_key(prefix + uuid, bytes, payload.count, permissions, UInt32(limits.idle))
      return outcome == 0 ? 0 : errno
    }
    if failure == 0 { return }
    forget(uuid)
    throw .system(operation: "keep a key in", path: "the kernel keyring", errno: failure)
  }

  /// How long a vault stays unlocked; `nil` if no key is kept.
  static func state(of uuid: String) -> UnlockState? {
    guard let found = find(uuid) else { return nil }
    let idle = ProcKeys.secondsLeft(of: found.key).map { min($0, found.secondsLeft, found.idle) }
    return UnlockState(kind: .keyring, idle: idle, total: found.secondsLeft)
  }

  /// Forgets a vault's key. Returns whether it is gone.
  @discardableResult
  static func forget(_ uuid: String) -> Bool {
    let key = clinux_search_user_keyring(prefix + uuid)
    if key <= 0 { return true }
    return clinux_remove_key(Int32(truncatingIfNeeded: key)) == 0
  }

  /// Forgets the keys of all vaults. Returns whether they are gone, as far as that can be told.
  static func forgetAll() -> Bool {
    // An unprivileged user has at most 200 keys, unless the administrator has set another limit.
    var keys = [Int32](repeating: 0, count: 4096)
    let count = clinux_list_user_keyring(&keys, keys.count)
    if count < 0 { return true }
    var isForgotten = true
    for key in keys.prefix(count) {
      var text = [CChar](repeating: 0, count: 256)
      let size = clinux_describe_key(key, &text, text.count)
      guard 1...text.count ~= size else { continue }
      let parts = text.prefix(size - 1).map { UInt8(bitPattern: $0) }
        .split(separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
      if parts.count == 5, parts[0].elementsEqual("user".utf8), parts[4].starts(with: prefix.utf8) {
        if clinux_remove_key(key) != 0 { isForgotten = false }
      }
    }
    return isForgotten
  }

  private static func find(_ uuid: String) -> Found? {
    let number = clinux_search_user_keyring(prefix + uuid)
    if number <= 0 { return nil }
    let key = Int32(truncatingIfNeeded: number)
    var payload = Secret(capacity: Payload.size + 1)
    var size = 0
    payload.append(count: Payload.size + 1) { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      size = clinux_read_key(key, base, buffer.count)
      return max(0, size)
    }
    guard size == Payload.size else { return nil }
    let (version, end, idle) = payload.withUnsafeBytes {
      ($0[0], $0.bigEndian(at: Payload.end, UInt64.self), $0.bigEndian(at: Payload.idle, UInt32.self))
    }
    let secondsLeft = Int(clamping: end) - SystemClock.sinceBoot / 1000
    guard version == Payload.version, UnlockLimits.bounds ~= Int(idle) else { return nil }
    guard UnlockLimits.bounds ~= secondsLeft else {
      // The date, from which the kernel calculates its time-outs, was set back.
      clinux_remove_key(key)
      return nil
    }
    return Found(key: key, payload: payload, secondsLeft: secondsLeft, idle: Int(idle))
  }
}

/// Reads `/proc/keys` (proc_keys(5)), the only place where the kernel tells how long a key has left.
private enum ProcKeys {
  /// The minimum number of seconds that a key has left, because the kernel rounds down to minutes, hours, days and
  /// weeks. `nil` if it can't be told, as in containers that hide the file.
  static func secondsLeft(of key: Int32) -> Int? {
    let file = clinux_openat(AT_FDCWD, "/proc/keys", O_RDONLY | O_CLOEXEC, 0)
    if file < 0 { return nil }
    defer { close(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while text.count < 1 << 20 {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      text += buffer[..<count]
    }
    for line in text.split(separator: 0x0a) {
      let columns = line.split(separator: 0x20, maxSplits: 4)
      guard columns.count == 5, Int(String(decoding: columns[0], as: UTF8.self), radix: 16) == Int(key),
        let unit = columns[3].last.flatMap({ units[$0] })
      else { continue }
      return Int(String(decoding: columns[3].dropLast(), as: UTF8.self)).map { $0 * unit }
    }
    return nil
  }

  private static let units: [UInt8: Int] = [
    UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 86_400,
    UInt8(ascii: "w"): 7 * 86_400,
  ]
}
