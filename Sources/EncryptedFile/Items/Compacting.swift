public import Keychain

extension EncryptedFileKeychain {
  /// Removes all records out of use and all earlier generations for good. A deletion leaves its mark, which only names
  /// the item, as long as another copy of the vault may turn up.
  ///
  /// Other copies of the vault still contain the removed records. If a copy waits to be merged, merging it is all that
  /// happens: nobody has yet decided to forget what that merge replaces.
  ///
  /// - Returns: how many records and how many generations were removed.
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; `KeychainError.mergedInstead`; what writing
  ///   throws.
  @discardableResult
  public func compact() throws(KeychainError) -> (records: Int, generations: Int) {
    let change = try beginChange()
    if change.isNew { throw .itemNotFound }
    try change.refuseUnmerged(alsoUnfinished: false)
    if change.hasMerged {
      try change.commit(at: clock())
      throw .mergedInstead
    }
    let records = try change.forgetRetired(at: clock())
    let generations = try generations().count
    let isWritten = change.isDirty
    try change.commit(at: clock())
    do throws(KeychainError) {
      tell(try change.purgeGenerations())
    } catch .earlierStatesRemain(let reason) where !isWritten {
      throw reason
    }
    return (records, generations)
  }
}
