public import Keychain

extension EncryptedFileKeychain {
  /// Forgets for good what is out of use, and all earlier generations. Of a deletion its mark stays, as long as a copy of
  /// the vault from elsewhere may come: what names the item.
  ///
  /// Copies of the vault elsewhere still have what is forgotten here.
  ///
  /// - Returns: how many records and how many generations went.
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; what writing throws.
  @discardableResult
  public func compact() throws(KeychainError) -> (records: Int, generations: Int) {
    let change = try beginChange()
    if change.isNew { throw .itemNotFound }
    try change.refuseUnmerged()
    let records = try change.forgetRetired(at: clock())
    let generations = try generations().count
    try change.commit(at: clock())
    try change.purgeGenerations()
    return (records, generations)
  }
}
