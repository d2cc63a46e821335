/// The ways into a vault to be restored, if they may not be its last ones: a removed one may be among them.
public struct ReturningWays: Hashable, Sendable {
  /// Why that is uncertain.
  public enum Doubt: Hashable, Sendable {
    /// The vault's file is gone.
    case fileMissing
    /// The header of the vault's file is damaged, or nothing here opens it.
    case headerUnreadable
    /// The header is valid, but not that of the newest write seen on this machine.
    case notTheOneSeen
  }

  /// Why that is uncertain.
  public let doubt: Doubt
  /// Whether restoring may undo a change of the vault's key.
  public let mayBeFormerKey: Bool
  /// The ways in that will open the vault.
  public internal(set) var ways: [SlotSummary]
}

/// Asks whether to restore a vault that these ways will open.
public typealias WaysConfirmation = (ReturningWays) -> Bool
