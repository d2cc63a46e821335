public import Keychain

extension EncryptedFileKeychain {
  /// Forgets for good what is out of use, and all earlier generations.
  ///
  /// Copies of the vault elsewhere still have it, and what was deleted here may come back from them.
  ///
  /// - Returns: how many records and how many generations went.
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; what writing throws.
  @discardableResult
  public func compact() throws(KeychainError) -> (records: Int, generations: Int) {
    let change = try beginChange()
    if change.isNew { throw .itemNotFound }
    let records = change.lines.count - change.lines.inUse.count
    change.forgetRetired()
    let generations = try generations().count
    try change.commit(at: clock())
    try change.purgeGenerations()
    return (records, generations)
  }
}
