import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao

extension OpenKeychain {
  /// Everything that the keychain, or the list's keychain for deletions, can bring back, the latest first.
  func retired(_ query: ItemQuery) throws(KeychainError) -> [Retired] {
    guard let list else { return try Self.retired(query, in: own) { $0 } }
    let found = try list.collectWhereDeleted { (keychain, outward) throws(KeychainError) in
      try Self.retired(query, in: keychain, outward)
    }
    return found.enumerated()
      .sorted { ($0.element.retired, $1.offset) > ($1.element.retired, $0.offset) }
      .map(\.element)
  }

  /// Everything that one keychain can bring back, the latest first; empty if it keeps nothing deleted.
  private static func retired(
    _ query: ItemQuery, in keychain: any KeychainStore, _ outward: @escaping (Item) -> Item
  ) throws(KeychainError) -> [Retired] {
    if let vault = keychain as? EncryptedFileKeychain {
      return try vault.retiredItems(matching: query).map { former in
        Retired(item: outward(former.item), retired: former.retired, reason: former.reason) {
          (replacing) throws(KeychainError) in outward(try vault.undelete(former, replacing: replacing))
        }
      }
    }
    guard let keychain = keychain as? any VersionedKeychain else { return [] }
    return try keychain.formerVersions(matching: query).map { former in
      let reason = former.isDeleted ? RetirementReason.deleted : .replaced
      return Retired(item: outward(former.item), retired: former.retired, reason: reason) {
        (replacing) throws(KeychainError) in outward(try keychain.bringBack(former, replacing: replacing))
      }
    }
  }
}
