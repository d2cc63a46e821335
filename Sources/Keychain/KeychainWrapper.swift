/// A keychain that hands on to another one what it doesn't do itself. One that answers otherwise has no
/// ``KeychainStore/searchList``: questions go to that list itself.
public protocol KeychainWrapper: KeychainStore {
  /// The other keychain.
  ///
  /// - Throws: ``KeychainError`` if it can't be opened.
  func wrapped() throws(KeychainError) -> any KeychainStore
}

// As the other keychain does.
extension KeychainWrapper {
  /// The items that answer the query.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try wrapped().items(matching: query)
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    try wrapped().credential(of: item)
  }

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try wrapped().add(item, credential)
  }

  /// Adds an item from elsewhere, keeping its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item { try wrapped().add(keepingDatesOf: item, credential) }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item { try wrapped().update(item) }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try wrapped().update(item, credential)
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int { try wrapped().delete(items) }

  /// Runs the body exclusively on the other keychain.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try wrapped().exclusively(body) }

  /// An item as it is once all changes are permanent.
  public func committed(_ item: Item) -> Item { (try? wrapped().committed(item)) ?? item }

  /// Whether it pays to look before changing something.
  public var looksBeforeChanging: Bool { (try? wrapped().looksBeforeChanging) ?? true }

  /// Runs the body on the other keychain.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try wrapped().reading(body) }

  /// The readiness of the other keychain.
  public func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      return try wrapped().probe()
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
  }

  /// Gets the changes of others, and sends ours.
  @discardableResult
  public func bringInStep() throws(KeychainError) -> Bool { try wrapped().bringInStep() }

  /// Whether this is a former secret of an item.
  public func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool {
    try wrapped().hasReplaced(secret, of: item)
  }

  /// What gets new secrets for the other keychain.
  public var renewer: (any SecretRenewing)? {
    get { (try? wrapped())?.renewer }
    set { (try? wrapped())?.renewer = newValue }
  }

  /// Why questions passed over a part of the other keychain.
  public var passedOver: KeychainError? { (try? wrapped())?.passedOver }

  /// The list that the other keychain is.
  public var searchList: KeychainSearchList? { (try? wrapped())?.searchList }
}
