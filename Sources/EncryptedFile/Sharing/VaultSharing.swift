/// What whoever opens a shared vault does to share it. The vault itself knows nothing of where that is.
package protocol VaultSharing {
  /// The name of the keychain.
  var name: String { get }

  /// Called after each change of items, while the vault's lock is still held: it must not wait for anything that needs
  /// the lock.
  func afterChange()

  /// Called where nothing answers a question, without a lock. Returns whether anything may have come since.
  func atMiss() -> Bool

  /// Called without a lock, before and after something is done outside that can't be taken back. Returns whether the
  /// vault has everything that others have changed, and others can get what is changed here.
  func bringInStep() -> Bool

  /// Takes the right to do something that only one of those may do who share the vault, at a time.
  ///
  /// - Parameters:
  ///   - name: what it is for: hexadecimal digits, which say nothing to anybody else.
  ///   - former: the holder whose right has ended, by ``SharedLease/held(by:)``; `nil` if none has.
  func takeLease(_ name: String, over former: String?) -> SharedLease

  /// Gives it back.
  ///
  /// - Parameter holder: whose it is, by ``SharedLease/taken(by:)``.
  func endLease(_ name: String, of holder: String)
}

/// What came of taking a right that only one of those has who share a vault.
package enum SharedLease: Hashable, Sendable {
  /// It is this program's, by this word.
  case taken(by: String)
  /// Somebody else has it.
  case held(by: String)
  /// Where the vault is shared there are no such rights.
  case unknown
  /// That can't be told now.
  case failed
}
