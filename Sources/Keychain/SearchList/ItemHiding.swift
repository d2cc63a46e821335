/// An item that is hidden on this machine, in the state that was refused.
public struct HiddenItem: Hashable, Sendable {
  /// The reference, as the item's keychain gives it.
  public let reference: ItemReference?
  /// When the item was last changed; once it has changed again, it isn't hidden any more.
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
  /// What is hidden in a keychain.
  ///
  /// - Throws: ``KeychainError`` if that can't be read.
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
