import Age
import Bytes
import Keychain

/// A shared vault's facts about its key in its first line. The member `key_number` counts the vault's keys, from 1;
/// only shared vaults have it. The member `key_proof` shows that the maker of the present key held the one before:
///
///     HMAC-SHA256(authentication key of the former key, "v1 key" || uuid || u64be key_number || recipient)
///
/// Without it, somebody who can only write to the place where the vault is shared could put a vault there for the same
/// people, with a key of their own, and be sent everything stored from then on. The member `key_unsent` is true until
/// it is known that others have the key.
extension VaultHead {
  private static let numberName = Array("key_number".utf8)
  private static let proofName = Array("key_proof".utf8)
  private static let unsentName = Array("key_unsent".utf8)

  /// The number of keys that the vault has had; `nil` if it isn't shared.
  var keyNumber: Int64? {
    get {
      guard let value = self[Self.numberName], let number = Int64(String(decoding: value, as: UTF8.self)),
        number > 0
      else { return nil }
      return number
    }
    set { self[Self.numberName] = newValue.map { Array("\($0)".utf8) } }
  }

  /// The proof of the present key; `nil` for the first one, or if it is malformed.
  var keyProof: [UInt8]? {
    get {
      guard let value = self[Self.proofName] else { return nil }
      return try? value.lendingBytes { (text) throws(JSONReader.Malformed) in
        var proof: [UInt8]?
        // A value alone is read as an array's only element.
        let array = Array("[".utf8) + text + Array("]".utf8)
        try array.lendingBytes { (array) throws(JSONReader.Malformed) in
          try JSONReader.elements(of: array) { (value) throws(JSONReader.Malformed) in
            proof = try value.base64().bytes
          }
        }
        return proof
      }
    }
    set {
      self[Self.proofName] = newValue.map { proof in
        var text = Secret()
        text.append("\"")
        proof.withUnsafeBytes { Base64.encode($0, to: &text) }
        text.append("\"")
        return text.withUnsafeBytes { Array($0) }
      }
    }
  }

  /// Whether nobody else may know the present key.
  var isKeyUnsent: Bool {
    get { self[Self.unsentName] != nil }
    set { self[Self.unsentName] = newValue ? Array("true".utf8) : nil }
  }

  /// Notes that the vault gets another key, if it is shared.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if nobody else has the present key yet: they could not tell
  ///   that the new one comes from it.
  mutating func noteNewKey(_ key: VaultKey, after former: VaultKey, uuid: String) throws(KeychainError) {
    guard let number = keyNumber else { return }
    if isKeyUnsent { throw .unavailable(reason: "the new key that it has already was not shared yet") }
    isKeyUnsent = true
    keyNumber = number + 1
    keyProof = Self.proof(of: key, number: number + 1, by: former, uuid: uuid)
  }

  /// Whether the holder of a key made the key of this line.
  func isKeyed(_ key: VaultKey, by former: VaultKey, uuid: String) -> Bool {
    guard let number = keyNumber, let given = keyProof else { return false }
    let proof = Self.proof(of: key, number: number, by: former, uuid: uuid)
    return proof.withUnsafeBytes { proof in given.withUnsafeBytes { Sodium.areEqual($0, proof) } }
  }

  private static func proof(of key: VaultKey, number: Int64, by former: VaultKey, uuid: String) -> [UInt8] {
    var message = Array("v1 key".utf8) + uuid.utf8
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
    }
    return former.authenticate(message + key.recipient.description.utf8)
  }
}
