/// The ways into a vault that is about to be restored, if they may not be the ones that it had last: one that was
/// removed may be among them.
public struct ReturningWays: Hashable, Sendable {
  /// Why it is uncertain.
  public enum Doubt: Hashable, Sendable {
    /// The vault's file is gone.
    case fileMissing
    /// The header of the vault's file is damaged, or nothing here opens it.
    case headerUnreadable
    /// The header is valid, but not that of the newest write that was seen on this machine.
    case notTheOneSeen
  }

  /// Why it is uncertain.
  public let doubt: Doubt
  /// Whether the vault may have been given another key since, which would be undone.
  public let mayBeFormerKey: Bool
  /// The ways in that will open the vault.
  public internal(set) var ways: [SlotSummary]
}

/// Asks whether to restore a vault that these ways will open.
public typealias WaysConfirmation = (ReturningWays) -> Bool
