import Bytes
import CSecret
public import Keychain

/// The keychain of the desktop: gnome-keyring, KWallet, KeePassXC or whatever owns `org.freedesktop.secrets`.
///
/// Items are found in all collections; new ones go to the default one. An existing item is changed in place and keeps
/// the attributes by which other programs know it.
public final class SecretServiceKeychain: DesktopKeychain {
  /// Gets new secrets for items that have expired; `nil` if nothing does.
  public var renewer: (any SecretRenewing)?

  var service: Service
  let settings: DesktopKeychainSettings
  let address: BusAddress
  var session: ServiceSession?
  var openingSession: ServiceSession.Opening?
  var chosenCollection: String?

  var seen: [String: StoredItem] = [:]
  /// The nesting depth of the present requests.
  var depth = 0
  /// When the last request ended.
  var lastUse = SystemClock.sinceBoot
  private var pending: PendingChanges?
  /// Receives changes while there are subscribers.
  var listener: ServiceListener?
  /// The last result of ``revisions()`` for each collection.
  var lastRevisions: [String: [ItemRevision]] = [:]
  private var lastProvisionalReference = 0
  /// The items made by the last changes, by their earlier references.
  private var sent: [ItemReference: Item] = [:]
  var heldLock: SecretServiceLock?
  /// Whether a change was sent since the lock was taken.
  var hasSent = false
  /// The prompt needed to continue a request that has not sent any change yet.
  var postponedPrompt: UnlockingPrompt?

  /// Finds out which program provides the Secret Service. Opens no session and unlocks nothing.
  ///
  /// - Throws: `KeychainError.unavailable` if there is no bus or no service; `KeychainError.noAnswer` if nothing
  ///   answers within the probe's time.
  public init(_ settings: DesktopKeychainSettings) throws(KeychainError) {
    self.settings = settings
    let address = try BusAddress.find(settings.busAddress)
    self.address = address
    service = try reporting(Self.connect(address, settings))
  }

  static func connect(
    _ address: BusAddress, _ settings: DesktopKeychainSettings
  ) throws(BusFailure) -> Service {
    let deadline = SystemClock.awake + settings.probeTimeout
    let bus = try SessionBus(address, patience: settings.probeTimeout, timeout: settings.callTimeout)
    do throws(BusFailure) {
      return try Service(on: bus, patience: max(1, deadline - SystemClock.awake)) {
        if settings.readsSecrets, settings.isEncrypted { ServiceSession.prepare() }
      }
    } catch {
      guard case .noAnswer = error.reason else { throw error }
      throw BusFailure(call: error.call, .noAnswer(milliseconds: settings.probeTimeout))
    }
  }

  // MARK: Reading

  /// The items that answer the query, most recently added first.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try repeatable { () throws(KeychainError) in try itemsNow(matching: query) }
  }

  private func itemsNow(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let stored =
      try storedItems(matching: query)
      .compactMap { stored in item(of: stored).map { (number: stored.number, item: $0) } }
      .filter { query.matches($0.item) }
      .sorted { $0.number > $1.number }
      .map(\.item) + collectionItems().filter(query.matches)
    return pending?.applied(to: stored, matching: query) ?? stored
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    guard let reference = item.reference else { throw .itemNotFound }
    if item.key.secretServiceItem?.kind == .collection { return Credential(Secret()) }
    if let change = pending?[reference] {
      if change.after == nil { throw .itemNotFound }
      if let credential = change.copyOfCredential() { return credential }
    }
    let isLogin = item.key.secretServiceItem == nil
    return try repeatable { () throws(KeychainError) in try credential(of: reference, asLogin: isLogin) }
  }

  private func credential(
    of reference: ItemReference, asLogin: Bool
  ) throws(KeychainError) -> Credential {
    let held = try held(reference)
    // Of two items for the same login, one may be requested as another program's item.
    let key = ItemAttributes.key(of: held.stored.attributes)
    if describesNoLogin(held.stored) || !asLogin && key?.secretServiceItem == nil {
      return Credential(held.secret.body.copy())
    }
    return SecretBody.decode(held.secret.body, as: SecretBody.Form(of: held.stored.attributes))
  }

  struct HeldItem: ~Copyable {
    let stored: StoredItem
    let secret: ReceivedSecret
  }

  func held(_ reference: ItemReference) throws(KeychainError) -> HeldItem {
    let path = StoredItem.path(of: reference)
    let stored = try readableItem(at: path)
    if stored.reference != reference { throw .itemNotFound }
    let secret = try unlocking(path) { () throws(BusFailure) in try self.secret(at: path) }
    return HeldItem(stored: stored, secret: secret)
  }

  /// Runs the body, which sees each item in the state of its first access.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try asked(body) }

  func storedItem(at path: String) throws(KeychainError) -> StoredItem {
    if let stored = seen[path] { return stored }
    // A reference may come from anywhere, and GLib would end the process for an invalid path.
    guard g_variant_is_object_path(path) != 0 else { throw .itemNotFound }
    let found = try reporting(service.items(at: [path]))
    guard let stored = found.first else { throw .itemNotFound }
    seen[path] = stored
    return stored
  }

  /// The item at a path, unlocked first if only hashes of its attributes are visible.
  func readableItem(at path: String) throws(KeychainError) -> StoredItem {
    let stored = try storedItem(at: path)
    if !stored.isLocked || ItemAttributes.key(of: stored.attributes) != nil { return stored }
    try unlock([path], named: collectionName(of: path))
    seen[path] = nil
    return try storedItem(at: path)
  }

  // MARK: Changing

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    let credential = credential.copy()
    return try changing { () throws(KeychainError) in
      try refuseTwin(of: item, except: nil)
      var added = item
      lastProvisionalReference += 1
      added.reference = ItemReference(ByteString("new \(lastProvisionalReference)"))
      added.creationDate = settings.clock()
      added.modificationDate = added.creationDate
      return Change(before: nil, after: added, credential: credential.stored())
    }
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    try item.validate()
    return try changing { () throws(KeychainError) in try change(to: item, nil) }
  }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    let credential = credential.copy()
    return try changing { () throws(KeychainError) in try change(to: item, credential.copy()) }
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try exclusively { () throws(KeychainError) in
      var count = 0
      for item in items where item.key.secretServiceItem?.kind != .collection {
        guard let current = try current(item) else { continue }
        let before = current.reference.flatMap { pending?[$0] }.map(\.before) ?? current
        remember(Change(before: before, after: nil, credential: nil), for: current)
        count += 1
      }
      return count
    }
  }

  /// Runs the body while no other process of this user changes items through this program, and then sends the changes
  /// to the service. Other programs are not kept out. If the service fails in the middle of several changes, the
  /// earlier ones stay.
  ///
  /// While a person is asked to unlock something, the lock is released for others, and the body is then run again from
  /// its beginning.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let savepoint = pending {
      do throws(KeychainError) {
        return try body()
      } catch {
        pending = savepoint
        throw error
      }
    }
    return try locking { () throws(KeychainError) in
      pending = PendingChanges()
      defer { pending = nil }
      let result = try body()
      // The body may have caught this prompt's error.
      if let postponedPrompt { throw .collectionLocked(postponedPrompt.name) }
      let changes = pending?.changes ?? []
      pending = nil
      sent = [:]
      for (reference, change) in changes {
        if let item = try send(change) { sent[reference] = item }
      }
      return result
    }
  }

  /// The item in the service since the last changes were sent: only then does it name a new item, and date all of them.
  public func committed(_ item: Item) -> Item { item.reference.flatMap { sent[$0] } ?? item }

  typealias Change = PendingChanges.Change

  /// Makes one change, at once or with those of the enclosing body, and returns the item after it.
  private func changing(_ makeChange: () throws(KeychainError) -> Change) throws(KeychainError) -> Item {
    if pending != nil {
      let change = try makeChange()
      guard let after = change.after else { throw .itemNotFound }
      remember(change, for: after)
      return after
    }
    return try locking { () throws(KeychainError) in
      guard let item = try send(try makeChange()) else { throw .itemNotFound }
      return item
    }
  }

  /// Runs the body with the lock. If somebody must be asked, that is done without the lock, and the body is run again.
  private func locking<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    var name = ""
    // Once for each unlocking; a service that locks again each time counts as locked.
    for _ in 0..<4 {
      do throws(KeychainError) {
        heldLock = try SecretServiceLock(settings)
        hasSent = false
        defer { heldLock = nil }
        return try asked(body)
      } catch {
        guard let prompt = postponedPrompt else { throw error }
        postponedPrompt = nil
        name = prompt.name
        try unlock(through: prompt)
        seen = [:]
      }
    }
    throw .collectionLocked(name)
  }

  private func remember(_ change: Change, for item: Item) {
    if let reference = item.reference { pending?.set(change, for: reference) }
  }

  /// The present state of the item with that reference; `nil` if it is gone.
  private func current(_ item: Item) throws(KeychainError) -> Item? {
    guard let reference = item.reference else { return nil }
    if let change = pending?[reference] { return change.after }
    let path = StoredItem.path(of: reference)
    do throws(KeychainError) {
      let stored = try repeatable { () throws(KeychainError) in
        seen[path] = nil
        return try readableItem(at: path)
      }
      return stored.reference == reference ? self.item(of: stored) : nil
    } catch .itemNotFound {
      return nil
    }
  }

  private func change(
    to item: Item, _ credential: consuming Credential?
  ) throws(KeychainError) -> Change {
    guard let current = try current(item), let reference = current.reference else { throw .itemNotFound }
    // A service may have the same login twice already.
    if item.key.primaryKey != current.key.primaryKey {
      try refuseTwin(of: item, except: reference)
    } else if settings.collection != nil {
      // Otherwise nothing is done.
      _ = try existingCollection()
    }
    var changed = item
    changed.creationDate = current.creationDate
    changed.modificationDate = settings.clock()
    let earlier = pending?[reference]
    let before = earlier.map(\.before) ?? current
    switch credential {
    case .none: return Change(before: before, after: changed, credential: earlier?.copyOfCredential())
    case .some(let credential):
      let former = try self.credential(of: current)
      return Change(before: before, after: changed, credential: credential.stored(over: former))
    }
  }

  /// Throws if an item with another reference has the item's primary key. An item with everything that identifies it
  /// for programs may be beside another one that is identified differently.
  func refuseTwin(of item: Item, except reference: ItemReference?) throws(KeychainError) {
    // The service has its own names for items that are no logins.
    if settings.includesOtherItems, item.key.secretServiceItem != nil { return }
    let primaryKey = item.key.primaryKey
    for other in try items(matching: .criteria(ItemCriteria(item.key)))
    where other.reference != reference && other.key.primaryKey == primaryKey {
      guard settings.includesOtherItems, try isFoundOtherwise(other, than: item) else { throw .duplicateItem }
    }
  }

  /// Whether programs identify an item of the service by other attributes than one to be added, or in another
  /// collection.
  private func isFoundOtherwise(_ item: Item, than added: Item) throws(KeychainError) -> Bool {
    guard let path = item.reference.map(StoredItem.path), path.hasPrefix("/") else { return false }
    let attributes = try storedItem(at: path).lookup.withoutGenericSchema
    if ItemTranslation.attributes(of: added).withoutGenericSchema != attributes { return true }
    return try !path.hasPrefix(collection(for: added) + "/")
  }
}
