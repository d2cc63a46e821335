import Interchange
import Keychain
import ToolCommands

/// Everything in the desktop's Secret Service, as a source: logins, other items of programs, and collections.
final class DesktopSource: ServiceSource, ImportSource {
  private let isWanted: (Item) -> Bool

  /// - Parameters:
  ///   - name: the user's name for the service.
  ///   - keychain: the service, with everything in it.
  ///   - isWanted: returns whether to copy an item.
  init(_ name: String, _ keychain: any DesktopKeychain, where isWanted: @escaping (Item) -> Bool) {
    self.isWanted = isWanted
    super.init(name, keychain)
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    try keychain.reading { () throws(KeychainError) -> FoundLogins in
      let all = try keychain.items(matching: .all)
      var found = FoundLogins()
      var logins: Set<Item.Key> = []
      let items = all.filter { $0.key.secretServiceItem?.kind != .collection && isWanted($0) }.newestFirst
      let collections = try take(items, into: &found, progress: progress) {
        (item, asProgramsFind) throws(KeychainError) in
        // Two items of the service may be the same login. Both come, and the newer one answers.
        let answer = try keychain.whole(item, asLogin: !logins.contains(item.key.primaryKey))
        if answer.item.key.secretServiceItem == nil { logins.insert(answer.item.key.primaryKey) }
        return FoundLogin(
          answer.item.unreferenced, answer.credential.copy(), at: .entry(item.nameForSearch), from: item,
          asProgramsFind: asProgramsFind)
      }
      takeCollections(of: all, into: &found) { record, name in
        (isWanted(record) || collections.contains(name)) && !record.isUsualLoginCollection
      }
      for collection in try keychain.facts().collections where collection.isLocked && collection.isLasting {
        found.passOver(.entry(ByteString(collection.name)), .locked)
      }
      return found
    }
  }
}

extension [Item] {
  /// In the order in which they would answer, the last changed first.
  var newestFirst: [Item] {
    func date(_ item: Item) -> (Int64, Int64) {
      (item.modificationDate?.milliseconds ?? .min, item.creationDate?.milliseconds ?? .min)
    }
    return enumerated().sorted { left, right in
      let (first, second) = (date(left.element), date(right.element))
      return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
  }
}

extension Item {
  /// A name by which a person finds the item.
  var nameForSearch: ByteString {
    guard key.secretServiceItem != nil, let label = label.nonEmpty else { return ByteString(key.name) }
    return ByteString("\(label) (\(key.name))")
  }

  /// The item without the keychain's name for it.
  var unreferenced: Item {
    var item = self
    item.reference = nil
    return item
  }

  /// Whether it is the collection for logins under its usual name, which every keychain has.
  var isUsualLoginCollection: Bool {
    key.secretServiceItem?.name == "login" && label == "Login"
  }
}
