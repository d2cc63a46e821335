/// Numbers of items, by their paths, of which each is another one after the item was changed.
///
/// Bounded: a service may have made any number of items that are long gone, and told of each.
struct ChangeNumbers {
  static let limit = 10_000
  private static let longestPath = 1024

  private var last: Int64 = 0
  private var byPath: [String: Int64] = [:]
  /// That of all others.
  private var others: Int64 = 0

  /// How many paths are kept.
  var count: Int { byPath.count }

  /// The number of the item at a path.
  subscript(_ path: String) -> Int64 { byPath[path] ?? others }

  /// The item at the path has changed. Where there are too many, it is taken for true of all items: that costs another
  /// look at each, and no change is missed.
  mutating func change(_ path: String) {
    last += 1
    if path.utf8.count <= Self.longestPath, byPath.count < Self.limit || byPath[path] != nil {
      byPath[path] = last
    } else {
      byPath = [:]
      others = last
    }
  }

  /// The item at the path is gone.
  mutating func forget(_ path: String) { byPath[path] = nil }
}
