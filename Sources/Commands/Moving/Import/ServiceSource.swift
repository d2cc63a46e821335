import Interchange
import Keychain
import ToolCommands

/// Items of the desktop's Secret Service, as a source. Subclasses choose and interpret them.
class ServiceSource {
  let name: String
  let keychain: any DesktopKeychain
  private var asRead: ItemsAsRead

  /// - Parameters:
  ///   - name: the user's name for the service.
  ///   - keychain: the service, with everything in it.
  init(_ name: String, _ keychain: any DesktopKeychain) {
    self.name = name
    self.keychain = keychain
    asRead = ItemsAsRead(of: keychain)
  }

  /// Takes items, except those deleted meanwhile.
  ///
  /// - Parameter login: makes the login of an item, which it also gets as programs find it.
  /// - Returns: the collections of the logins.
  func take(
    _ items: [Item], into found: inout FoundLogins, progress: (Int, Int) -> Void,
    as login: (_ item: Item, _ asProgramsFind: Item) throws(KeychainError) -> FoundLogin
  ) throws(KeychainError) -> Set<ByteString> {
    var collections: Set<ByteString> = []
    for (index, item) in items.enumerated() {
      progress(index, items.count)
      do throws(KeychainError) {
        let login = try login(item, try asRead.note(item))
        if let collection = login.item.secretService.collection { collections.insert(collection) }
        found.take(login)
      } catch .itemNotFound {
        continue
      }
    }
    progress(items.count, items.count)
    return collections
  }

  /// Takes the records of collections, which have a label, and whether a collection is the default one.
  func takeCollections(
    of items: [Item], into found: inout FoundLogins,
    where isWanted: (_ record: Item, _ name: ByteString) -> Bool
  ) {
    for record in items {
      guard let key = record.key.secretServiceItem, key.kind == .collection, isWanted(record, key.name) else {
        continue
      }
      found.take(
        FoundLogin(
          record.unreferenced, Credential(Secret()), at: .entry(record.nameForSearch), from: record))
    }
  }

  /// Deletes the items. A service's collections stay, with the choice of the default one.
  func remove(_ logins: [FoundLogin]) -> Removed {
    let items = logins.filter { $0.original?.key.secretServiceItem?.kind != .collection }
    return asRead.delete(items, named: name)
  }
}
