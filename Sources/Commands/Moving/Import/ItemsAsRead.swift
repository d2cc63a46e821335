import Interchange
import Keychain
import ToolCommands

/// A service's items as they were read. A service lets programs change anything at any time.
struct ItemsAsRead {
  private let keychain: any DesktopKeychain
  private var items: [ItemReference: Item] = [:]

  init(of keychain: any DesktopKeychain) {
    self.keychain = keychain
  }

  /// Notes the present item, and returns it as programs find it.
  @discardableResult
  mutating func note(_ item: Item) throws(KeychainError) -> Item {
    let present = try present(item)
    if let reference = item.reference { items[reference] = present }
    return present
  }

  /// Deletes the items of logins, comparing each with what was read just before. Changed items stay.
  ///
  /// - Parameter name: the user's name for the service.
  /// - Returns: the deletions, even if the service has failed in the middle.
  func delete(_ logins: [FoundLogin], named name: String) -> Removed {
    var count = 0
    var changed: [FoundLogin] = []
    for (index, login) in logins.enumerated() {
      guard let original = login.original else { continue }
      do throws(KeychainError) {
        let deleted = try keychain.exclusively { () throws(KeychainError) -> Int? in
          try isUnchanged(original, login) ? try keychain.delete([original]) : nil
        }
        if let deleted { count += deleted } else { changed.append(login) }
      } catch .itemNotFound {
        // It was deleted meanwhile.
        continue
      } catch {
        var removed = Removed(count, from: name, changed: changed)
        removed.failure = error
        removed.notDeleted = Array(logins[index...])
        return removed
      }
    }
    return Removed(count, from: name, changed: changed)
  }

  private func isUnchanged(_ original: Item, _ login: FoundLogin) throws(KeychainError) -> Bool {
    guard let reference = original.reference, items[reference] == (try present(original)) else {
      return false
    }
    let now = try keychain.whole(original, asLogin: login.item.key.secretServiceItem == nil)
    return now.credential.isSame(as: login.credential)
  }

  /// The item as programs find it. gnome-keyring makes up a schema when it reads its file again.
  private func present(_ item: Item) throws(KeychainError) -> Item {
    var present = try keychain.asProgramsFind(item)
    present.secretService.lookup = present.secretService.lookup?.withoutGenericSchema
    return present
  }
}
