/// A keychain: a place for items and their secrets.
///
/// The primitives are those of Keychain Services: find, add, update, delete. Git's further needs (answer, save, erase)
/// are implemented once for all keychains, in extensions. Everything is synchronous.
public protocol KeychainStore: AnyObject {
  /// The items that answer the query, without secrets, in the keychain's order; all else equal, earlier ones win.
  ///
  /// - Throws: ``KeychainError`` if it can't be read. A locked, broken or missing keychain is never an empty one.
  func items(matching query: ItemQuery) throws(KeychainError) -> [Item]

  /// The confidential part of an item returned by ``items(matching:)``.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it is gone by now.
  func credential(of item: Item) throws(KeychainError) -> Credential

  /// Adds an item and returns it with its reference and dates.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if there is one with the same primary key;
  ///   ``KeychainError/unusableAttribute(name:_:)`` or ``KeychainError/tooLarge(what:limit:)`` if it exceeds
  ///   ``ItemBounds``.
  @discardableResult
  func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item

  /// Adds an item from elsewhere. It keeps its dates as far as the kind of keychain allows.
  ///
  /// - Throws: as ``add(_:_:)`` does.
  @discardableResult
  func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item

  /// Replaces the attributes of the item with `item.reference` by those of `item`.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it is gone; ``KeychainError/duplicateItem`` if another item has the
  ///   new primary key; and as ``add(_:_:)`` does.
  @discardableResult
  func update(_ item: Item) throws(KeychainError) -> Item

  /// Replaces the attributes and the confidential parts of an item.
  ///
  /// - Throws: as ``update(_:)`` does.
  @discardableResult
  func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item

  /// Deletes items returned by ``items(matching:)``, and returns how many. One that is already gone is no error.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read or written.
  @discardableResult
  func delete(_ items: [Item]) throws(KeychainError) -> Int

  /// Runs `body` while nobody else can change the keychain, as far as its kind allows, and makes all its changes
  /// permanent at once. If the body throws, nothing has changed.
  ///
  /// A keychain may run the body more than once: if a person has to unlock something in the middle, others aren't kept
  /// waiting, and the body starts again afterwards. Only the last run's changes to the keychain count. Anything else
  /// that the body does must be harmless if it happens twice.
  ///
  /// - Throws: what `body` throws; ``KeychainError/busy(path:seconds:)`` if another process holds the lock too long.
  func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result

  /// An item returned by a change within ``exclusively(_:)``, as it is once all changes are permanent. A keychain may
  /// give it its reference and dates only then.
  func committed(_ item: Item) -> Item

  /// Whether it pays to check that something has to be changed before calling ``exclusively(_:)``. Usually nothing has
  /// to, and others can go on meanwhile. It doesn't pay where a lock keeps nobody waiting, or where reading and
  /// changing need different rights.
  var looksBeforeChanging: Bool { get }

  /// Runs `body`, which only reads, on the keychain's state at one moment, as far as its kind allows: an item's secret
  /// is then the one at the time when it was found.
  ///
  /// - Throws: what `body` throws.
  func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result

  /// Whether the keychain could store a secret now. For a program that is about to ask a person to log in and must not
  /// find out afterwards that it can't store the result.
  ///
  /// Asks nobody, runs no program, and changes nothing. It checks everything that can be checked beforehand. Adding an
  /// item may still fail afterwards, so a program should then return the secret to the person.
  func probe() -> KeychainReadiness

  /// Gets the changes of others who share the keychain, and sends ours: before and after something outside that can't
  /// be taken back. Does nothing where a keychain has no copies.
  ///
  /// - Returns: whether anything may have come since.
  /// - Throws: ``KeychainError/unavailable(reason:)`` if that isn't possible now.
  @discardableResult
  func bringInStep() throws(KeychainError) -> Bool

  /// Whether this is a former secret of an item, renewed since.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool

  /// Gets new secrets for expired items of this keychain; `nil` if nothing does.
  var renewer: (any SecretRenewing)? { get set }

  /// Why the questions so far passed over a part of the keychain: of several keychains, the first that can't be used;
  /// of an encrypted file, a copy beside it that can't be merged. `nil` if all of it was asked.
  var passedOver: KeychainError? { get }

  /// The keychains to ask one after the other, if this is more than one; usually `nil`. Everything else is decided once
  /// for all keychains, from the above, and for a list by its own rules.
  var searchList: KeychainSearchList? { get }
}

extension KeychainStore {
  /// Adds an item, dated by the keychain.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item { try add(item, credential) }

  /// `nil`.
  public var searchList: KeychainSearchList? { nil }

  /// Deletes one's own items for a tool that logs out. Returns how many were deleted or hidden
  /// (``KeychainSearchList``).
  ///
  /// - Throws: what deleting throws.
  public func discard(_ items: [Item]) throws(KeychainError) -> Int {
    if let searchList { return try searchList.discard(items) }
    return try delete(items)
  }

  /// The keychain that new items go to.
  ///
  /// - Throws: ``KeychainError`` if it can't be opened.
  public func keychainOfNewItems() throws(KeychainError) -> any KeychainStore {
    try searchList?.keychainOfNewItems() ?? self
  }

  /// `nil`.
  public var passedOver: KeychainError? { nil }

  /// Checks that all of the keychain was asked. Otherwise a search among all items that finds nothing proves nothing.
  ///
  /// - Throws: ``passedOver``.
  package func refusePassingOver() throws(KeychainError) {
    if let passedOver { throw passedOver }
  }

  /// The matching items that are meant. If there are none, all of the keychain must have been asked: an item in a part
  /// that can't be used isn't missing because there is something else.
  ///
  /// - Throws: as ``items(matching:)`` does; ``passedOver`` if none is meant.
  package func items(
    matching query: ItemQuery, where isMeant: (Item) -> Bool
  ) throws(KeychainError) -> [Item] {
    let meant = try items(matching: query).filter(isMeant)
    if meant.isEmpty { try refusePassingOver() }
    return meant
  }

  /// The first result that `body` makes of matching items. Of several keychains it gets each one's by themselves, and
  /// the rest aren't asked once there is a result.
  ///
  /// - Throws: as ``items(matching:)`` does; ``passedOver`` without a result.
  package func first<Result: ~Copyable>(
    among query: ItemQuery, _ body: ([Item]) throws(KeychainError) -> Result?
  ) throws(KeychainError) -> Result? {
    if let list = searchList { return try list.firstOfMember(among: query, body) }
    if let result = try body(try items(matching: query)) { return result }
    try refusePassingOver()
    return nil
  }

  /// The same for ``find(_:)``.
  ///
  /// - Throws: as ``find(_:)`` does; ``passedOver`` if none is meant.
  package func find(
    _ query: ItemQuery, where isMeant: (Item) -> Bool
  ) throws(KeychainError) -> [Item] {
    let meant = try find(query).filter(isMeant)
    if meant.isEmpty { try refusePassingOver() }
    return meant
  }

  /// The part of the keychain to ask, and to lock, to change items or add one: of several keychains those that have
  /// them. Its items are those of this keychain.
  ///
  /// - Parameter items: items of this keychain; none for a new one.
  public func part(with items: [Item]) -> any KeychainStore { searchList?.part(with: items) ?? self }

  /// The keychain that has an item of this one, among several, and the item in that keychain's form.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if none has it; any error of opening.
  public func original(of item: Item) throws(KeychainError) -> (keychain: any KeychainStore, item: Item) {
    try searchList?.original(of: item) ?? (self, item)
  }

  /// The same item.
  public func committed(_ item: Item) -> Item { item }

  /// Nothing, and nothing comes.
  @discardableResult
  public func bringInStep() throws(KeychainError) -> Bool { false }

  /// What this machine knows.
  public func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool {
    renewer?.hasReplaced(secret, of: item) ?? false
  }

  /// `nil`, whatever is set.
  public var renewer: (any SecretRenewing)? {
    get { nil }
    set {}
  }

  /// True.
  public var looksBeforeChanging: Bool { true }

  /// Runs `body` as ``exclusively(_:)`` does, unless a look without the lock shows that nothing has to be changed.
  ///
  /// - Parameter isDone: returns the result if nothing has to be changed.
  /// - Throws: what `isDone` and `body` throw.
  package func exclusively<Result>(
    unless isDone: () throws(KeychainError) -> Result?, _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if looksBeforeChanging, let result = try reading(isDone) { return result }
    return try exclusively(body)
  }

  /// Runs `body`, which may see changes by others meanwhile.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try body() }
}
