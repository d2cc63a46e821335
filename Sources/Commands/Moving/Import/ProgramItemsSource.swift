import Interchange
import Keychain
import ToolCommands

/// The items of another program in the desktop's Secret Service, as logins.
final class ProgramItemsSource: ServiceSource, ImportSource {
  private let items: DesktopItems

  /// - Parameters:
  ///   - name: the user's name for the service.
  ///   - items: selects the program's items.
  init(_ name: String, _ keychain: any DesktopKeychain, _ items: DesktopItems) {
    self.items = items
    super.init(name, keychain)
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    try keychain.reading { () throws(KeychainError) -> FoundLogins in
      let all = try keychain.items(matching: .all)
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
