/// How long, and of how many, the vault keeps what was deleted or replaced.
extension RetiredRecord {
  /// How long an item can be brought back, in milliseconds.
  static let retention: Int64 = 30 * 86_400_000
  /// How long the mark of a deletion is kept, in milliseconds.
  static let markRetention: Int64 = 180 * 86_400_000
  /// How many records of one key are kept with their secrets.
  static let maximumPerKey = 20
  /// How many marks of deletions are kept of one key; beyond that the oldest are removed.
  static let maximumMarksPerKey = 200
}
