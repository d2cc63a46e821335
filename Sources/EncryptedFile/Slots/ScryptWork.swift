import Age
import Keychain

/// The work of new passphrases and recovery codes, as scrypt's log2 N.
struct ScryptWork {
  /// 32 MiB, and less than a tenth of a second. Work compensates for weak passphrases; 130 random bits can't be
  /// guessed, however cheap each guess is.
  let recoveryCode: Int
  /// About a second's worth. OWASP's minimum for scrypt is 17.
  let passphrase: ClosedRange<Int>
  /// For a passphrase if memory is short.
  let least: Int

  static let ofPeople = ScryptWork(recoveryCode: 15, passphrase: 17...20, least: 15)

  // Programs built for tests make no vault that anybody keeps.
  #if CHEAP_PASSPHRASES
    static let current = ScryptWork(recoveryCode: 10, passphrase: 11...11, least: 11)
  #else
    static let current = ofPeople
  #endif

  /// The work factor of a new passphrase on this machine.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  func factor() throws(KeychainError) -> Int {
    try factor(available: ScryptMemory.available) { Scrypt.timeTaken(logN: $0) }
  }

  /// The same with this much memory, in MiB, and the milliseconds of a work factor.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  func factor(available: Int?, _ timeTaken: (Int) -> Int) throws(KeychainError) -> Int {
    var factor = passphrase.lowerBound
    if factor < passphrase.upperBound {
      let measured = 14
      let taken = timeTaken(measured)
      while factor < passphrase.upperBound, taken << (factor + 1 - measured) <= 1000 { factor += 1 }
    }
    guard let available else { return factor }
    while factor > least, ScryptMemory.needed(workFactor: factor) > available { factor -= 1 }
    try ScryptMemory.check(workFactor: factor, available: available)
    return factor
  }
}
