import EncryptedFile
public import Keychain
import KeychainTesting

/// What is hidden, as long as the process lives.
public final class HidingInMemory: ItemHiding {
  private var entries: [String: Set<HiddenItem>] = [:]

  /// Nothing is hidden.
  public init() {}

  /// What is hidden in a keychain.
  public func hidden(in keychain: String) throws(KeychainError) -> Set<HiddenItem> { entries[keychain] ?? [] }

  /// Hides items.
  public func hide(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError) {
    entries[keychain, default: []].formUnion(items)
  }

  /// Shows items again.
  public func reveal(_ items: Set<HiddenItem>, in keychain: String) throws(KeychainError) {
    entries[keychain, default: []].subtract(items)
  }
}
