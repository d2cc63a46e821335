/// A keychain that can tell when its items change, whoever changes them.
///
/// `SharedKeychain.changes()` makes a sequence of changes of it.
public protocol ChangeReporting: KeychainStore {
  /// Has `report` called, from any thread, each time something may have changed. It may be called too often, and once
  /// for several changes; after the last change it is called at least once more.
  ///
  /// - Returns: what ends that when it is cancelled or let go.
  /// - Throws: ``KeychainError`` if the keychain can't tell.
  func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription

  /// Every item that can be seen, as it is now.
  ///
  /// Nobody is asked to unlock what was seen before and is locked by now: that is given as it was.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  func revisions() throws(KeychainError) -> [ItemRevision]
}

extension KeychainStore {
  /// The keychain as one that can tell when its items change.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if this kind of keychain can't.
  package func reportingChanges() throws(KeychainError) -> any ChangeReporting {
    guard let store = self as? any ChangeReporting else {
      throw .unavailable(reason: "this kind of keychain can't tell of changes")
    }
    return store
  }
}

/// An item in one of the states that it has been in.
public struct ItemRevision: Hashable, Sendable {
  /// The item.
  public let item: Item
  /// A number that is another one after each change of the item, also where its secret alone has changed. It need not
  /// grow.
  public let number: Int64

  /// Takes both parts.
  public init(_ item: Item, number: Int64) {
    self.item = item
    self.number = number
  }
}
