import Bytes
import CSodium

/// scrypt as age uses it: r = 8, p = 1, 32 bytes (C2SP age.md, "The scrypt recipient type"; RFC 7914).
package enum Scrypt {
  static let saltSize = 16
  static let label: StaticString = "age-encryption.org/v1/scrypt"
  /// The highest work factor computed here: 4 GiB of memory and some 10 seconds.
  static let highestLogN = 22

  static func validate(logN: Int) throws(AgeError) {
    guard logN >= 1 else { throw .workFactorTooLow(logN: logN, limit: 1) }
    guard logN <= highestLogN else { throw .workFactorTooHigh(logN: logN, limit: highestLogN) }
  }

  static func deriveWrapKey(
    passphrase: borrowing Secret, salt: UnsafeRawBufferPointer, logN: Int,
    into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) {
    Sodium.start()
    let isDerived = withSecretScratch(label.utf8CodeUnitCount + saltSize) { labelledSalt in
      labelledSalt.copyMemory(from: label.bytes)
      labelledSalt.part(label.utf8CodeUnitCount, saltSize).copyMemory(from: salt)
      return passphrase.withUnsafeBytes {
        crypto_pwhash_scryptsalsa208sha256_ll(
          $0.start, $0.count, labelledSalt.start, labelledSalt.count, 1 << UInt64(logN), 8, 1, output.start,
          output.count) == 0
      }
    }
    // With a valid work factor, only memory can be lacking: N blocks of 128 r bytes.
    guard isDerived else { throw .outOfMemory(bytes: 1024 << logN) }
  }

  /// How long this work factor takes on this machine, in milliseconds, at least 1.
  package static func timeTaken(logN: Int) -> Int {
    let start = SystemClock.awake
    withSecretScratch(saltSize + AEAD.keySize) { scratch in
      let salt = UnsafeRawBufferPointer(scratch.part(0, saltSize))
      try? deriveWrapKey(
        passphrase: Secret("measured"), salt: salt, logN: logN, into: scratch.part(saltSize, AEAD.keySize))
    }
    return max(1, SystemClock.awake - start)
  }
}

/// A file's passphrase, as its only recipient. It stays in memory that is wiped with the last reference.
public final class ScryptRecipient: Recipient {
  private let passphrase: Secret
  private let logN: Int

  /// Takes a passphrase to encrypt with.
  ///
  /// - Parameters:
  ///   - passphrase: its bytes, commonly UTF-8, used as they are and copied; the caller wipes the original.
  ///   - logN: the binary logarithm of the work, 1 to 22. Each step doubles time and memory, which is 1 KiB × 2^logN:
  ///     18 takes 256 MiB and about a second. Use values below 15 only in tests.
  /// - Throws: ``AgeError/emptyPassphrase``, ``AgeError/workFactorTooHigh(logN:limit:)`` or
  ///   ``AgeError/workFactorTooLow(logN:limit:)``.
  public init(passphrase: UnsafeRawBufferPointer, logN: Int = 18) throws(AgeError) {
    guard !passphrase.isEmpty else { throw .emptyPassphrase }
    try Scrypt.validate(logN: logN)
    self.passphrase = Secret(copying: passphrase)
    self.logN = logN
  }

  /// Wraps a file key with a fresh salt, in one stanza that must be alone in its header (C2SP age.md, "scrypt
  /// recipient stanza"). Slow by design.
  ///
  /// - Throws: ``AgeError/outOfMemory(bytes:)``.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    let body = try withSecretScratch(Scrypt.saltSize + AEAD.keySize) {
      (scratch: UnsafeMutableRawBufferPointer) throws(AgeError) -> (String, [UInt8]) in
      let salt = scratch.part(0, Scrypt.saltSize)
      let wrapKey = scratch.part(Scrypt.saltSize, AEAD.keySize)
      Sodium.randomize(salt)
      try Scrypt.deriveWrapKey(
        passphrase: passphrase, salt: UnsafeRawBufferPointer(salt), logN: logN, into: wrapKey)
      return (
        Base64.encode(UnsafeRawBufferPointer(salt)), fileKey.sealed(with: UnsafeRawBufferPointer(wrapKey))
      )
    }
    return [
      Stanza(unchecked: ScryptIdentity.stanzaType, arguments: [body.0, String(logN)], body: body.1)
    ]
  }
}

/// A passphrase to open files with. It stays in memory that is wiped with the last reference.
public final class ScryptIdentity: Identity {
  static let stanzaType = "scrypt"

  private let passphrase: Secret
  private let maximumLogN: Int

  /// Takes a passphrase to try.
  ///
  /// - Parameters:
  ///   - passphrase: its bytes, commonly UTF-8, used as they are and copied; the caller wipes the original.
  ///   - maximumLogN: the most work a file may ask for, 1 to 22, as a binary logarithm. The memory is 1 KiB ×
  ///     2^logN, 1 GiB for 20.
  /// - Throws: ``AgeError/emptyPassphrase``, ``AgeError/workFactorTooHigh(logN:limit:)`` or
  ///   ``AgeError/workFactorTooLow(logN:limit:)``.
  public init(passphrase: UnsafeRawBufferPointer, maximumLogN: Int = 20) throws(AgeError) {
    guard !passphrase.isEmpty else { throw .emptyPassphrase }
    try Scrypt.validate(logN: maximumLogN)
    self.passphrase = Secret(copying: passphrase)
    self.maximumLogN = maximumLogN
  }

  /// Unwraps the file key, if the only stanza is an scrypt stanza of this passphrase; nil for a file without
  /// passphrase, or with another one. Slow by design.
  ///
  /// - Throws: ``AgeError/header(_:)`` for an scrypt stanza that is malformed or not alone,
  ///   ``AgeError/workFactorTooHigh(logN:limit:)`` before any work, ``AgeError/outOfMemory(bytes:)``.
  public func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    guard let stanza = stanzas.first(where: { $0.type == ScryptIdentity.stanzaType }) else { return nil }
    guard stanzas.count == 1 else { throw .header(.scryptNotAlone) }
    guard stanza.arguments.count == 2, stanza.body.count == FileKey.size + AEAD.tagSize,
      let logN = ScryptIdentity.parse(logN: stanza.arguments[1])
    else { throw .header(.scryptStanza) }
    return try withSecretScratch(Scrypt.saltSize + AEAD.keySize) {
      (scratch: UnsafeMutableRawBufferPointer) throws(AgeError) -> FileKey? in
      let salt = scratch.part(0, Scrypt.saltSize)
      let wrapKey = scratch.part(Scrypt.saltSize, AEAD.keySize)
      guard Base64.decode(stanza.arguments[0], filling: salt) else { throw .header(.scryptStanza) }
      guard logN <= maximumLogN else { throw .workFactorTooHigh(logN: logN, limit: maximumLogN) }
      try Scrypt.deriveWrapKey(
        passphrase: passphrase, salt: UnsafeRawBufferPointer(salt), logN: logN, into: wrapKey)
      return FileKey(opening: stanza.body, with: UnsafeRawBufferPointer(wrapKey))
    }
  }

  /// Digits only, the first not zero: `^[1-9][0-9]*$`. A number that overflows is too high in any case.
  private static func parse(logN text: String) -> Int? {
    let isDecimal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDecimal, let first = text.utf8.first, first != UInt8(ascii: "0") else { return nil }
    return Int(text) ?? .max
  }
}
