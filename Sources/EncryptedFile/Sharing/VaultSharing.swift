/// What whoever opens a shared vault does to share it. The vault itself knows nothing of where that is.
package struct VaultSharing {
  /// Called after each change of items, while the vault's lock is still held: it must not wait for anything that needs the
  /// lock.
  package let afterChange: () -> Void
  /// Called where nothing answers a question, without a lock. Returns whether anything may have come since.
  package let atMiss: () -> Bool
  /// Called without a lock, before and after something is done outside that can't be taken back. Returns whether the vault
  /// has everything that others have changed, and others can get what is changed here.
  package let bringInStep: () -> Bool

  /// Takes the functions.
  package init(
    afterChange: @escaping () -> Void, atMiss: @escaping () -> Bool, bringInStep: @escaping () -> Bool
  ) {
    self.afterChange = afterChange
    self.atMiss = atMiss
    self.bringInStep = bringInStep
  }
}
