/// A keychain that can tell when its items change, whoever changes them, as used by `SharedKeychain.changes()`.
public protocol ChangeReporting: KeychainStore {
  /// Calls `report`, from any thread, each time something may have changed. Calls may be too many, or one for several
  /// changes; after the last change there is at least one more.
  ///
  /// - Returns: a subscription that ends this when it is cancelled or released.
  /// - Throws: ``KeychainError`` if the keychain can't tell.
  func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription

  /// Every visible item, as it is now. Nobody is asked to unlock anything: an item that was seen before and is locked
  /// now is returned as it was.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  func revisions() throws(KeychainError) -> [ItemRevision]
}

extension KeychainStore {
  /// This keychain as one that can tell when its items change.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if this kind of keychain can't.
  package func reportingChanges() throws(KeychainError) -> any ChangeReporting {
    guard let store = self as? any ChangeReporting else {
      throw .unavailable(reason: "this kind of keychain can't tell of changes")
    }
    return store
  }
}

/// An item in one of its states.
public struct ItemRevision: Hashable, Sendable {
  /// The item.
  public let item: Item
  /// A number that differs after each change of the item, even of its secret alone. It need not increase.
  public let number: Int64

  /// Makes a revision.
  public init(_ item: Item, number: Int64) {
    self.item = item
    self.number = number
  }
}
