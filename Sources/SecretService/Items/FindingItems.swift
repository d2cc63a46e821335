import Keychain

extension SecretServiceKeychain {
  /// All items that may match the query. A locked collection may hide some, so the collection in use is unlocked before
  /// reporting none.
  func storedItems(matching query: ItemQuery) throws(KeychainError) -> [StoredItem] {
    if case .criteria(let criteria) = query { return try storedItems(matching: criteria) }
    guard let searches = searches(for: query) else { return try allItems() }
    return try storedItems(matching: query, by: searches)
  }

  /// The searches for a query; `nil` to look at all items.
  private func searches(for query: ItemQuery) -> [[String: String]]? {
    // No common attribute finds items that are no logins.
    if settings.includesOtherItems, case .criteria(let criteria) = query,
      [nil, .secretServiceItem, .secretServiceCollection].contains(criteria.itemClass)
    {
      return nil
    }
    return ItemAttributes.searches(for: query)
  }

  private func storedItems(matching criteria: ItemCriteria) throws(KeychainError) -> [StoredItem] {
    let query = ItemQuery.criteria(criteria)
    let searches = searches(for: query)
    if criteria.omitsLocked {
      if try existingCollection() == nil { try refuseWithoutCollections() }
      let found: [StoredItem]
      if let searches {
        found = try search(searches)
      } else {
        found = try unlockedItems().items
      }
      return found.filter { !$0.isLocked }
    }
    if let searches { return try storedItems(matching: query, by: searches) }
    let found = try allItems()
    if answers(found, query) { return found }
    // An item can't be reported missing before every collection has been searched.
    let locked = try unlockedItems().locked
    if locked.isEmpty { return found }
    for collection in locked { try unlock([collection], named: collectionName(of: collection)) }
    return try allItems()
  }

  private func storedItems(
    matching query: ItemQuery, by searches: [[String: String]]
  ) throws(KeychainError) -> [StoredItem] {
    // KeePassXC would show its dialog during a search, even if nobody is to be asked.
    if !settings.mayPrompt { try unlockMainCollection() }
    var found: [StoredItem] = []
    do throws(KeychainError) {
      found = try search(searches)
    } catch .noAnswer(let call, let milliseconds) where settings.mayPrompt {
      // It is probably showing the dialog now, and won't answer before that ends.
      guard try unlockMainCollection() else { throw .noAnswer(call: call, milliseconds: milliseconds) }
      found = try search(searches)
    }
    if answers(found, query) { return found }
    if settings.mayPrompt, try unlockMainCollection() {
      found = try search(searches)
      if answers(found, query) { return found }
    }
    try refuseWithoutCollections()
    // The items may be in another collection, which shows only hashes while locked.
    let hidden = found.filter { $0.isLocked && ItemAttributes.key(of: $0.attributes) == nil }
    if hidden.isEmpty { return found }
    try unlock(hidden.map(\.path), named: collectionName(of: hidden[0].path))
    return try search(searches)
  }

  /// Throws if a service without collections must not count as empty: KeePassXC has none while no database is open. The
  /// same if it was chosen and has only the collection in memory: gnome-keyring's files are missing.
  private func refuseWithoutCollections() throws(KeychainError) {
    guard try existingCollection() == nil else { return }
    let all = try reporting(service.collections())
    if all.isEmpty || settings.isChosen && all.allSatisfy(isSessionCollection) { throw .noCollection(nil) }
  }

  private func answers(_ found: [StoredItem], _ query: ItemQuery) -> Bool {
    found.contains { item(of: $0).map(query.matches) ?? false }
  }

  private func search(_ searches: [[String: String]]) throws(KeychainError) -> [StoredItem] {
    let collection = try settings.collection == nil ? nil : existingCollection()
    return try reporting { () throws(BusFailure) in
      var paths: [String] = []
      var calls = searches.map(service.search)
      let opensSession = settings.readsSecrets && session == nil && openingSession == nil
      // Sent together with the search, because a session is usually needed next.
      if opensSession, !settings.isEncrypted { calls.append(ServiceSession.openingPlain(service)) }
      var replies = service.bus.replies(to: calls) {
        // The key exchange takes both sides a while, during which the search continues.
        if opensSession, settings.isEncrypted {
          openingSession = try? ServiceSession.beginEncrypted(on: service.bus, owner: service.owner)
        }
      }
      if calls.count > searches.count {
        session = try ServiceSession(plain: try replies.removeLast().get().body)
      }
      for reply in replies {
        let reply = try reply.get().body.checked(as: "(aoao)", of: "SearchItems")
        for path in reply[0].paths + reply[1].paths
        where !paths.contains(path) && (collection.map { path.hasPrefix($0 + "/") } ?? true) {
          paths.append(path)
        }
      }
      return remembering(try service.items(at: paths))
    }
  }

  /// Every item of the collections in use. The collection for new items must be unlocked for that; other locked
  /// collections are left out, with a notice.
  private func allItems() throws(KeychainError) -> [StoredItem] {
    let main = try existingCollection()
    if main == nil { try refuseWithoutCollections() }
    try unlockMainCollection()
    let (items, locked) = try unlockedItems()
    for collection in locked { settings.onNotice(.skipped(collection: collectionName(of: collection))) }
    return items
  }

  /// Every item of the unlocked collections in use, and the paths of the locked ones.
  private func unlockedItems() throws(KeychainError) -> (items: [StoredItem], locked: [String]) {
    let collections =
      settings.collection == nil
      ? try reporting(service.collections())
      : try existingCollection().map { [$0] } ?? []
    var paths: [String] = []
    var locked: [String] = []
    for collection in collections where !settings.includesOtherItems || !isSessionCollection(collection) {
      if try isLocked(collection) {
        locked.append(collection)
        continue
      }
      paths += try reporting(self.items(of: collection))
    }
    let all = paths
    // gnome-keyring takes seven milliseconds for each of 10,000 items.
    if all.count > 2000 { settings.onNotice(.reading(count: all.count, program: service.process()?.program)) }
    let items = try reporting(remembering(try service.items(at: all)))
    return (items, locked)
  }

  /// Unlocks the collection in use. Returns whether it was locked.
  @discardableResult
  private func unlockMainCollection() throws(KeychainError) -> Bool {
    guard let collection = try existingCollection(), try isLocked(collection) else { return false }
    try unlock([collection], named: collectionName(of: collection))
    return true
  }

  /// The item at a path in the service. If it isn't a login, it is an item of the Secret Service alone, visible only
  /// with ``DesktopKeychainSettings/includesOtherItems``.
  func item(of stored: StoredItem) -> Item? {
    if !describesNoLogin(stored) { return ItemAttributes.item(of: stored) }
    return other(stored)
  }

  private func remembering(_ items: [StoredItem]) -> [StoredItem] {
    for item in items { seen[item.path] = item }
    return items
  }
}
