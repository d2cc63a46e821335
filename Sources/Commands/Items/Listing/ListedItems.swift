import Keychain

/// Which items are listed for a text that may mean several things, while each item is seen once.
struct ListedItems {
  private let meanings: ArraySlice<PlaceFilter>
  private let first: PlaceFilter?
  /// For each further meaning, the items that have it.
  private var waiting: [[Item]]

  /// - Parameter meanings: what the text means, one after the other if nothing is there; empty for all items.
  init(_ meanings: [PlaceFilter]) {
    first = meanings.first
    self.meanings = meanings.dropFirst()
    waiting = self.meanings.map { _ in [] }
  }

  /// Whether an item is listed whatever comes after it. Otherwise it may be one of the rest.
  mutating func takes(_ item: Item) -> Bool {
    guard let first else { return true }
    if first.contains(item) {
      waiting = []
      return true
    }
    for (index, meaning) in zip(waiting.indices, meanings) where meaning.contains(item) {
      waiting[index].append(item)
    }
    return false
  }

  /// The items that are listed because none has an earlier meaning, once all were seen.
  var rest: [Item] { waiting.first { !$0.isEmpty } ?? [] }
}
