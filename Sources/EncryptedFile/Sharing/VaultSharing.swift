/// Shares a vault for the process that has opened it. The vault itself doesn't know where.
package protocol VaultSharing {
  var name: String { get }

  /// Called after each change of items, under the vault's lock: it must not wait for anything that needs the lock.
  func afterChange()

  /// Called without a lock when nothing answers a question. Returns whether anything may have come since.
  func atMiss() -> Bool

  /// Called without a lock, before and after something outside that can't be taken back. Returns whether the vault has
  /// everybody's changes, and others can get those made here.
  func bringInStep() -> Bool

  /// Takes the right to do something that only one of the vault's sharers may do at a time.
  ///
  /// - Parameters:
  ///   - name: its purpose: hexadecimal digits, which mean nothing to anybody else.
  ///   - former: the holder whose right has ended, by ``SharedLease/held(by:)``; `nil` if none has.
  func takeLease(_ name: String, over former: String?) -> SharedLease

  /// Gives it back. `holder` is the one of ``SharedLease/taken(by:)``.
  func endLease(_ name: String, of holder: String)
}

/// The result of taking such a right.
package enum SharedLease: Hashable, Sendable {
  /// It is this program's, by this word.
  case taken(by: String)
  /// Somebody else has it.
  case held(by: String)
  /// The place where the vault is shared has no such rights.
  case unknown
  /// It can't be told now.
  case failed
}
