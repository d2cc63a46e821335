/// The items of a collection, the oldest first.
struct CollectionMembers {
  private struct Member {
    let created: UInt64
    let modified: UInt64
    let path: String
  }

  private var members: [Member] = []

  var paths: [String] { members.map(\.path) }

  var count: Int { members.count }

  /// When the oldest was made, in seconds since 1970.
  var created: UInt64 { members.first?.created ?? 0 }

  /// When one was last changed, in seconds since 1970.
  var modified: UInt64 { members.reduce(0) { max($0, $1.modified) } }

  mutating func insert(_ item: ServedItem) {
    members.insert(
      Member(created: item.created, modified: item.modified, path: item.path), at: index(of: item))
  }

  /// Removes an item with the dates that it has here.
  mutating func remove(_ item: ServedItem) {
    let index = index(of: item)
    if index < members.count, members[index].path == item.path { members.remove(at: index) }
  }

  /// The item's index, or where it would be.
  private func index(of item: ServedItem) -> Int {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      let member = members[middle]
      let isBefore = member.created != item.created ? member.created < item.created : member.path < item.path
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
