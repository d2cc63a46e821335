public import Keychain

extension EncryptedFileKeychain {
  /// Removes all records that are out of use and all earlier generations for good. A deletion leaves its mark, which
  /// only names the item, as long as another copy of the vault may turn up.
  ///
  /// Copies of the vault elsewhere still contain what is removed here. If a copy of this one waits to be merged, that
  /// is all that happens: what the merge replaces was not there when somebody decided to forget what was replaced.
  ///
  /// - Returns: how many records and how many generations were removed.
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; `KeychainError.mergedInstead`; what writing throws.
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
