import Age
import Keychain

/// The work factor of a new passphrase.
enum ScryptWork {
  /// scrypt's log2 N for a new slot: whatever takes about a second on this machine, from 17 to 20; as low as 15 only
  /// if there isn't enough memory (OWASP's minimum for scrypt is 17).
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  static func factor() throws(KeychainError) -> Int {
    var factor = 17
    let reference = 14
    let taken = Scrypt.timeTaken(logN: reference)
    while factor < 20, taken << (factor + 1 - reference) <= 1000 { factor += 1 }
    if let available = ScryptMemory.available {
      while factor > 15, ScryptMemory.needed(workFactor: factor) > available { factor -= 1 }
    }
    try ScryptMemory.check(workFactor: factor)
    return factor
  }
}
