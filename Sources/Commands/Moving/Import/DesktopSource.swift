import Interchange
import Keychain
import Terminals

/// Everything in the desktop's Secret Service, as a source: logins, what else programs keep there, and collections.
final class DesktopSource: ImportSource {
  let name: String
  private let keychain: any DesktopKeychain
  private let isWanted: (Item) -> Bool
  private var asRead: ItemsAsRead

  /// - Parameters:
  ///   - name: the name the user knows the service by.
  ///   - keychain: the service, with everything in it.
  ///   - isWanted: returns whether an item is to be copied.
  init(_ name: String, _ keychain: any DesktopKeychain, where isWanted: @escaping (Item) -> Bool) {
    self.name = name
    self.keychain = keychain
    self.isWanted = isWanted
    asRead = ItemsAsRead(of: keychain)
  }

  func read(progress: (Int, Int) -> Void) throws(Failure) -> FoundLogins {
    try explaining(
      keychain.reading { () throws(KeychainError) -> FoundLogins in
        let all = try keychain.items(matching: .all)
        var found = FoundLogins()
        var logins: Set<Item.Key> = []
        var collections: Set<ByteString> = []
        let items = all.filter { $0.key.secretServiceItem?.kind != .collection && isWanted($0) }.newestFirst
        for (index, item) in items.enumerated() {
          progress(index, items.count)
          // Two items of the service may be the same login. Both come, and the newer one answers.
          let isFirst = !logins.contains(item.key.primaryKey)
          do throws(KeychainError) {
            let foundItem = try asRead.note(item)
            let answer = try keychain.whole(item, asLogin: isFirst)
            if answer.item.key.secretServiceItem == nil { logins.insert(answer.item.key.primaryKey) }
            if let collection = answer.item.secretService.collection { collections.insert(collection) }
            found.take(
              FoundLogin(
                answer.item.unreferenced, answer.credential.copy(), at: .entry(item.nameForSearch),
                from: item,
                asProgramsFind: foundItem))
          } catch .itemNotFound {
            // It was deleted meanwhile.
            continue
          }
        }
        progress(items.count, items.count)
        for record in all where record.key.secretServiceItem?.kind == .collection {
          guard let name = record.key.secretServiceItem?.name else { continue }
          if !isWanted(record), !collections.contains(name) { continue }
          if record.isUsualLoginCollection { continue }
          let credential = Credential(Secret())
          found.take(
            FoundLogin(record.unreferenced, credential, at: .entry(record.nameForSearch), from: record))
        }
        for collection in try keychain.facts().collections where collection.isLocked && collection.isLasting {
          found.passOver(.entry(ByteString(collection.name)), .locked)
        }
        return found
      })
  }

  var whyNotRemovable: Failure? { nil }

  func remove(_ logins: [FoundLogin]) throws(Failure) -> Removed {
    asRead.delete(logins.filter(\.isNoCollection), named: name)
  }
}

extension [Item] {
  /// The items in the order in which they would answer, the one that was changed last first.
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

extension FoundLogin {
  /// A service's collections stay, with the choice of the default one.
  fileprivate var isNoCollection: Bool { original?.key.secretServiceItem?.kind != .collection }
}

extension Item {
  /// A name by which a person finds the item.
  var nameForSearch: ByteString {
    guard key.secretServiceItem != nil, let label = label.nonEmpty else { return ByteString(key.name) }
    return ByteString("\(label) (\(key.name))")
  }

  /// The item without the name that a keychain has given it.
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
