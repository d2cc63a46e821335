/// An item hidden on this machine, in the state that was refused.
public struct HiddenItem: Hashable, Sendable {
  /// The reference in the item's keychain.
  public let reference: ItemReference?
  /// When the item was last changed; after another change it isn't hidden any more.
  public let modificationDate: Timestamp?

  /// Makes an entry.
  public init(reference: ItemReference?, modificationDate: Timestamp?) {
    self.reference = reference
    self.modificationDate = modificationDate
  }

  init(_ item: Item) { self.init(reference: item.reference, modificationDate: item.modificationDate) }
}

/// Keeps which items of shared keychains are hidden on this machine.
public protocol ItemHiding: AnyObject {
  /// The hidden items of a keychain.
  ///
  /// - Throws: ``KeychainError`` if they can't be read.
  func hidden(in keychain: String) throws(KeychainError) -> Set<HiddenItem>

  /// Hides items of a keychain.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func hide(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError)

  /// Shows items of a keychain again.
  ///
  /// - Throws: ``KeychainError`` if that can't be written.
  func reveal(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError)
}
