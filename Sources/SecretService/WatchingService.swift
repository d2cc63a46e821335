public import Keychain

extension SecretServiceKeychain: ChangeReporting {
  /// Calls `report` when the service announces a change of an item or a collection, ends, or is restarted.
  ///
  /// gnome-keyring announces nothing when another program sets only the secret of an item. This program makes it
  /// announce its own changes.
  ///
  /// - Throws: `KeychainError` if the bus can't be listened to.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    if let subscription = listener?.subscribe(report) { return subscription }
    let listener = try reporting(
      ServiceListener(
        at: address, patience: settings.probeTimeout, timeout: settings.callTimeout))
    guard let subscription = listener.subscribe(report) else {
      throw listener.fault ?? .unavailable(reason: "the session bus can't be listened to")
    }
    self.listener = listener
    return subscription
  }

  /// Every item of the collections in use. A locked collection is returned as it was last seen; nobody is asked to
  /// unlock one.
  ///
  /// - Throws: `KeychainError.collectionLocked` if the collection for new items is locked and was not seen
  ///   before; `KeychainError.noCollection`; `KeychainError` if the service doesn't answer.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    try repeatable { () throws(KeychainError) in try revisionsNow() }
  }

  private func revisionsNow() throws(KeychainError) -> [ItemRevision] {
    if let fault = listener?.fault { throw fault }
    // Read before the items, so that anything that changes meanwhile is looked at again.
    let numbers = listener?.changeNumbers ?? ChangeNumbers()
    let main = try existingCollection()
    let collections =
      settings.collection == nil
      ? try reporting(service.collections()) : main.map { [$0] } ?? []
    if collections.isEmpty, lastRevisions.isEmpty { throw .noCollection(nil) }
    var seen: [String: [ItemRevision]] = [:]
    for collection in collections {
      do throws(KeychainError) {
        seen[collection] = try revisions(in: collection, numbers)
      } catch .collectionLocked(let name) {
        if let last = lastRevisions[collection] {
          seen[collection] = last
        } else if collection == main {
          throw .collectionLocked(name)
        }
      }
    }
    // A service without any collections has closed them, not emptied them.
    if !collections.isEmpty { lastRevisions = seen }
    return lastRevisions.values.flatMap { $0 }
  }

  private func revisions(
    in collection: String, _ numbers: ChangeNumbers
  ) throws(KeychainError) -> [ItemRevision] {
    if try isLocked(collection) { throw .collectionLocked(collectionName(of: collection)) }
    let stored = try reporting { () throws(BusFailure) in
      try service.items(at: items(of: collection))
    }
    // The collection may have been locked meanwhile; its items then show only hashes.
    if stored.contains(where: \.isLocked), try isLocked(collection) {
      throw .collectionLocked(collectionName(of: collection))
    }
    return stored.compactMap { stored in
      ItemAttributes.item(of: stored).map { ItemRevision($0, number: numbers[stored.path]) }
    }
  }
}
