import Interchange
import Keychain
import ToolCommands

/// The items of another program in the desktop's Secret Service, as logins.
final class ProgramItemsSource: ServiceSource, ImportSource {
  private let items: DesktopItems
  /// All items of the service, as they were when it was read. The program's copies are among them.
  private var all: [Item] = []

  /// - Parameters:
  ///   - name: the user's name for the service.
  ///   - items: selects the program's items.
  init(_ name: String, _ keychain: any DesktopKeychain, _ items: DesktopItems) {
    self.items = items
    super.init(name, keychain)
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    try keychain.reading { () throws(KeychainError) -> FoundLogins in
      all = try keychain.items(matching: .all)
      var found = FoundLogins()
      let programs = all.filter { items.converted($0) != nil }
      let collections = try take(programs, into: &found, progress: progress) {
        (item, _) throws(KeychainError) in try login(of: item)
      }
      found.sortNewestFirst()
      takeCollections(of: all, into: &found) { collections.contains($1) }
      return found
    }
  }

  /// Deletes the items, and then the program's copies of them.
  override func remove(_ logins: [FoundLogin]) -> Removed {
    var removed = super.remove(logins)
    let staying = Set((removed.changed + removed.notDeleted).map { ObjectIdentifier($0) })
    let gone = logins.filter { !staying.contains(ObjectIdentifier($0)) }
    var copies = 0
    var lost: [String] = []
    do throws(KeychainError) {
      for login in gone {
        guard let original = login.original else { continue }
        var isLost = true
        for copy in all where items.isCopy(copy, original) {
          if try delete(copy, ifOf: login) { copies += 1 } else { isLost = false }
        }
        if isLost, case .internetPassword(let key) = login.item.key, let server = key.server,
          !lost.contains("\(server)")
        {
          lost.append("\(server)")
        }
      }
    } catch {
      removed.failure = removed.failure ?? error
    }
    if copies > 0 {
      removed.text? += ", and \(copies == 1 ? "a copy" : "\(copies) copies") that \(items.name) had made"
    }
    if !items.loginCommand.isEmpty, !lost.isEmpty {
      let login: Hint = "\(commandOf: items.loginCommand)"
      removed.text? +=
        "; \(items.name) is logged out of \(lost.joined(separator: ", ")) now, and \(login.description) logs it in"
    }
    return removed
  }

  /// Deletes a copy if it has the same secret as the login. Returns whether it is gone.
  private func delete(_ copy: Item, ifOf login: FoundLogin) throws(KeychainError) -> Bool {
    do throws(KeychainError) {
      return try keychain.exclusively { () throws(KeychainError) -> Bool in
        let credential = try keychain.credential(of: copy)
        guard credential.secret.isEqual(to: login.credential.secret) else { return false }
        return try keychain.delete([copy]) > 0
      }
    } catch .itemNotFound {
      return true
    }
  }

  /// The login of a service's item, as complete as possible. If a login has no room for something, that stays in the
  /// service.
  private func login(of item: Item) throws(KeychainError) -> FoundLogin {
    let origin = Origin.entry(item.nameForSearch)
    let whole = try keychain.whole(item, asLogin: true)
    if whole.item.key.primaryKey == item.key.primaryKey, let converted = converted(whole.item) {
      let leftBehind = items.areForEverybody || hasOnlyUsualAttributes(whole.item) ? [] : ["attributes"]
      return FoundLogin(converted, whole.credential.copy(), at: origin, leftBehind: leftBehind, from: item)
    }
    guard let simple = items.converted(item) else { throw .itemNotFound }
    return FoundLogin(
      simple.unreferenced, try keychain.credential(of: item), at: origin,
      leftBehind: ["what a login has no room for"], from: item)
  }

  /// The item in its new form. If programs found it only by the program's own attributes, it is a login from now on.
  private func converted(_ item: Item) -> Item? {
    guard var converted = items.converted(item)?.unreferenced else { return nil }
    if !items.areForEverybody { converted.secretService = SecretServiceAttributes() }
    return converted
  }

  private func hasOnlyUsualAttributes(_ item: Item) -> Bool {
    let usual: [ByteString] = ["service", "account", "username", "application", "xdg:schema"]
    return item.secretService.lookup?.all.allSatisfy { usual.contains($0.name) } ?? true
  }
}
