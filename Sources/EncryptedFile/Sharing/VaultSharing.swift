/// What whoever opens a shared vault does to share it. The vault itself knows nothing of where that is.
package struct VaultSharing {
  /// Called after each change of items, while the vault's lock is still held: it must not wait for anything that needs the
  /// lock.
  package let afterChange: () -> Void
  /// Called where nothing answers a question, without a lock. Returns whether anything may have come since.
  package let atMiss: () -> Bool

  /// Takes the functions.
  package init(afterChange: @escaping () -> Void, atMiss: @escaping () -> Bool) {
    self.afterChange = afterChange
    self.atMiss = atMiss
  }
}
