/// How long a vault is kept unlocked.
public struct UnlockLimits: Hashable, Sendable {
  /// The seconds without use until it is locked.
  public let idle: Int
  /// The seconds until it is locked in any case.
  public let total: Int

  /// The bounds of both, in seconds: up to 30 days.
  public static let bounds = 1...30 * 86_400

  /// Takes both times, which are clamped to ``bounds``; by default 15 minutes and 8 hours.
  public init(idle: Int = 15 * 60, total: Int = 8 * 3600) {
    self.total = min(max(total, Self.bounds.lowerBound), Self.bounds.upperBound)
    self.idle = min(max(idle, Self.bounds.lowerBound), self.total)
  }
}
