import Interchange
import Keychain
import Terminals

/// The items of another program in the desktop's Secret Service, as logins.
final class ProgramItemsSource: ImportSource {
  let name: String
  private let keychain: any DesktopKeychain
  private let items: DesktopItems
  private var asRead: ItemsAsRead

  /// - Parameters:
  ///   - name: the name the user knows the service by.
  ///   - items: which items are the program's.
  init(_ name: String, _ keychain: any DesktopKeychain, _ items: DesktopItems) {
    self.name = name
    self.keychain = keychain
    self.items = items
    asRead = ItemsAsRead(of: keychain)
  }

  func read(progress: (Int, Int) -> Void) throws(Failure) -> FoundLogins {
    try explaining(
      keychain.reading { () throws(KeychainError) -> FoundLogins in
        let all = try keychain.items(matching: .all)
        var found = FoundLogins()
        var collections: Set<ByteString> = []
        for (index, item) in all.enumerated() {
          progress(index, all.count)
          guard let simple = items.converted(item) else { continue }
          do throws(KeychainError) {
            try asRead.note(item)
            let login = try login(of: item, orElse: simple)
            if let collection = login.item.secretService.collection { collections.insert(collection) }
            found.take(login)
          } catch .itemNotFound {
            // It was deleted meanwhile.
            continue
          }
        }
        progress(all.count, all.count)
        found.sortNewestFirst()
        for record in all {
          guard let key = record.key.secretServiceItem, key.kind == .collection,
            collections.contains(key.name)
          else { continue }
          found.take(
            FoundLogin(
              record.unreferenced, Credential(Secret()), at: .entry(record.nameForSearch), from: record))
        }
        return found
      })
  }

  /// The login that an item of the service is, with all that the service has of it. If a login has no room for all of
  /// that, the rest stays there.
  private func login(of item: Item, orElse simple: Item) throws(KeychainError) -> FoundLogin {
    let origin = Origin.entry(item.nameForSearch)
    let whole = try keychain.whole(item, asLogin: true)
    if whole.item.key.primaryKey == item.key.primaryKey, let converted = converted(whole.item) {
      let leftBehind = items.areForEverybody || hasOnlyUsualAttributes(whole.item) ? [] : ["attributes"]
      return FoundLogin(converted, whole.credential.copy(), at: origin, leftBehind: leftBehind, from: item)
    }
    return FoundLogin(
      simple.unreferenced, try keychain.credential(of: item), at: origin,
      leftBehind: ["what a login has no room for"], from: item)
  }

  /// The item as it comes. What was found by the program's own attributes alone is found as a login from now on.
  private func converted(_ item: Item) -> Item? {
    guard var converted = items.converted(item)?.unreferenced else { return nil }
    if !items.areForEverybody { converted.secretService = SecretServiceAttributes() }
    return converted
  }

  private func hasOnlyUsualAttributes(_ item: Item) -> Bool {
    let usual: [ByteString] = ["service", "account", "username", "application", "xdg:schema"]
    return item.secretService.lookup?.all.allSatisfy { usual.contains($0.name) } ?? true
  }

  var whyNotRemovable: Failure? { nil }

  func remove(_ logins: [FoundLogin]) throws(Failure) -> Removed {
    asRead.delete(logins.filter { $0.original?.key.secretServiceItem == nil }, named: name)
  }
}
