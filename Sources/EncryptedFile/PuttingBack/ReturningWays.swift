/// The ways into a vault that is about to be put back, where it can't be told for sure that they are those that it had
/// last: one that was removed may be among them.
public struct ReturningWays: Hashable, Sendable {
  /// Why it can't be told.
  public enum Doubt: Hashable, Sendable {
    /// The vault's file is gone.
    case fileMissing
    /// The header of the vault's file is damaged, or nothing here opens it.
    case headerUnreadable
    /// The header is in order, but not that of the newest write that was seen on this machine.
    case notTheOneSeen
  }

  /// Why it can't be told.
  public let doubt: Doubt
  /// Whether the vault may have got another key since, which would be taken back.
  public let mayBeFormerKey: Bool
  /// What will open the vault.
  public internal(set) var ways: [SlotSummary]
}

/// Asks whether a vault is to be put back so that these ways open it.
public typealias WaysConfirmation = (ReturningWays) -> Bool
