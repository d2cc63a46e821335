/// How long, and how many, deleted or replaced records the vault keeps.
extension RetiredRecord {
  /// How long an item can be brought back, in milliseconds.
  static let retention: Int64 = 30 * 86_400_000
  /// How long the mark of a deletion stays, in milliseconds.
  static let markRetention: Int64 = 180 * 86_400_000
  /// How many records of one key keep their secrets.
  static let maximumPerKey = 20
  /// How many marks of deletions stay for one key; the oldest go first.
  static let maximumMarksPerKey = 200
}
