/// Numbers of items by path, which differ after each change of the item.
///
/// The table is bounded, because a service may have announced any number of items that no longer exist.
struct ChangeNumbers {
  static let limit = 10_000
  private static let longestPath = 1024

  private var last: Int64 = 0
  private var byPath: [String: Int64] = [:]
  /// The number of all other items.
  private var others: Int64 = 0

  var count: Int { byPath.count }

  subscript(_ path: String) -> Int64 { byPath[path] ?? others }

  /// Notes a change of an item. If there are too many, all items count as changed: they are then looked at again, and
  /// no change is missed.
  mutating func change(_ path: String) {
    last += 1
    if path.utf8.count <= Self.longestPath, byPath.count < Self.limit || byPath[path] != nil {
      byPath[path] = last
    } else {
      byPath = [:]
      others = last
    }
  }

  mutating func forget(_ path: String) { byPath[path] = nil }
}
