public import Keychain

/// A keychain that lasts as long as the process, for tests of programs that take a `SharedKeychain` or a
/// `KeychainStore`. See ``FailingKeychain`` for one that fails.
public final class InMemoryKeychain: KeychainStore {
  /// Gets new secrets for items that have expired; `nil` if nothing does.
  public var renewer: (any SecretRenewing)?

  // Credentials can't be array elements, so each entry is an object that owns one.
  private final class Entry {
    var item: Item
    var credential: Credential
    /// A number that differs after each change.
    var revision: Int64

    init(_ item: Item, _ credential: consuming Credential, revision: Int64) {
      self.item = item
      self.credential = credential
      self.revision = revision
    }
  }

  private var entries: [Entry] = []
  private var lastReference = 0
  private var lastRevision: Int64 = 0
  private let listeners = ChangeBroadcast()
  private let clock: () -> Timestamp

  /// An empty keychain.
  ///
  /// - Parameter clock: the source of creation and modification dates.
  public init(clock: @escaping () -> Timestamp = { .now }) {
    self.clock = clock
  }

  /// Creates a keychain with internet and generic passwords.
  ///
  /// ```swift
  /// InMemoryKeychain([.genericPassword(service: "example", account: "alice"): "correct horse"])
  /// ```
  ///
  /// - Parameter passwords: the keys with their passwords. If a key occurs twice, the last password is used.
  /// - Precondition: no password and no attribute exceeds `ItemBounds`.
  public convenience init(_ passwords: KeyValuePairs<Item.Key, String>) {
    self.init()
    for (key, password) in passwords {
      let item = Item(key)
      do throws(KeychainError) {
        let primaryKey = key.primaryKey
        try delete(entries.map(\.item).filter { $0.key.primaryKey == primaryKey })
        try add(item, Credential(password: password))
      } catch {
        preconditionFailure("no item for a keychain: \(error)")
      }
    }
  }

  /// The items that answer the query, those changed last first.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    entries.reversed().map(\.item).filter(query.matches)
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    entries[try position(of: item)].credential.copy()
  }

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try add(keepingDatesOf: item.undated, credential)
  }

  /// Adds an item with its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    try refuseTwin(of: item, at: nil)
    lastReference += 1
    var added = item
    added.reference = ItemReference(ByteString(String(lastReference)))
    let now = clock()
    added.creationDate = item.creationDate ?? now
    added.modificationDate = item.modificationDate ?? now
    entries.append(Entry(added, credential.stored(), revision: nextRevision()))
    listeners.report()
    return added
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    let position = try position(of: item)
    try item.validate(with: entries[position].credential)
    try refuseTwin(of: item, at: position)
    let entry = entries.remove(at: position)
    var changed = item
    changed.creationDate = entry.item.creationDate
    changed.modificationDate = entry.item.nextChange(at: clock())
    entry.item = changed
    entry.revision = nextRevision()
    entries.append(entry)
    listeners.report()
    return changed
  }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    let changed = try update(item)
    let entry = entries[entries.count - 1]
    entry.credential = credential.stored(over: entry.credential)
    return changed
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    let references = Set(items.compactMap(\.reference))
    let before = entries.count
    entries.removeAll { $0.item.reference.map(references.contains) ?? false }
    if entries.count != before { listeners.report() }
    return before - entries.count
  }

  /// Runs the body, and undoes its changes if it throws.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let before = entries.map { Entry($0.item, $0.credential.copy(), revision: $0.revision) }
    do {
      return try body()
    } catch {
      entries = before
      throw error
    }
  }

  /// Always ready.
  public func probe() -> KeychainReadiness { .ready }

  private func nextRevision() -> Int64 {
    lastRevision += 1
    return lastRevision
  }

  private func position(of item: Item) throws(KeychainError) -> Int {
    guard let reference = item.reference,
      let position = entries.firstIndex(where: { $0.item.reference == reference })
    else { throw .itemNotFound }
    return position
  }

  private func refuseTwin(of item: Item, at position: Int?) throws(KeychainError) {
    let primaryKey = item.key.primaryKey
    for (index, entry) in entries.enumerated()
    where index != position && entry.item.key.primaryKey == primaryKey {
      throw .duplicateItem
    }
  }
}

extension InMemoryKeychain: ChangeReporting {
  /// Calls `report` after each change.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription { listeners.subscribe(report) }

  /// All items.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    entries.map { ItemRevision($0.item, number: $0.revision) }
  }
}
