extension KeychainStore {
  /// Changes an item, unless it is so already. Nothing is written then: the item would answer before others that were
  /// changed later, and push out an earlier state of the keychain. One that is hidden here answers again, so that counts as
  /// a change.
  ///
  /// - Parameters:
  ///   - present: the item as it is.
  ///   - wanted: the same item as it should be.
  ///   - credential: what it should hold; `nil` if that stays as it is.
  /// - Returns: the item as it is now; `nil` if it was so already.
  /// - Throws: what reading and writing the keychain throws.
  package func changeIfDifferent(
    _ present: Item, to wanted: Item, _ credential: borrowing Credential?
  ) throws(KeychainError) -> Item? {
    let hasSameAttributes = present == wanted && !present.isHidden
    switch credential {
    case .none: return hasSameAttributes ? nil : try update(wanted)
    case .some(let new):
      if hasSameAttributes {
        let held = try self.credential(of: present)
        if new.stored(over: held).isSame(as: held) { return nil }
      }
      return try update(wanted, new)
    }
  }
}
