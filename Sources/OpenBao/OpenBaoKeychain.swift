import Bytes
import Glibc
package import Keychain

/// A keychain in the key-value store of an OpenBao or HashiCorp Vault server, shared by several people and machines.
///
/// Each item is a record whose path is its primary key. So the server's policies are about hosts and accounts, its
/// audit log tells who read which item, and its versions keep replaced and deleted items. Every change names the
/// version it replaces. If others have changed an item meanwhile, it is read again and the change repeated.
///
/// A search for anything leaves out items that the policies don't let this login list or read. They are an error if a
/// query names them and nothing else answers, or if nothing is found because the keychain may not be listed.
package final class OpenBaoKeychain: KeychainStore {
  let store: KeyValueStore
  let clock: () -> Timestamp

  /// Everything read since the outermost ``reading(_:)`` or ``exclusively(_:)`` began, or by the last search.
  var known: [ItemPath: KnownPath] = [:]
  /// Where items were found. The path in a reference may by now hold another item.
  var located: [ItemReference: ItemPath] = [:]
  /// The folders listed since then, with their paths.
  var listed: [String: [ItemPath]] = [:]
  var depth = 0
  var pending: [PendingChange]?
  /// Whether lookups for a change may use copies: only at the first attempt, because a change based on an old copy
  /// fails.
  package internal(set) var mayAssume = false
  /// The paths taken from copies since then.
  var assumed: Set<ItemPath> = []
  /// Whether copies were used, even just to find nothing.
  var hasAssumed = false
  /// The leases of this process, and those of others that it waits for, by the paths of their items.
  var leases: [ItemPath: RenewalLease] = [:]
  /// The items made by the last changes.
  var made: [ItemReference: Item] = [:]

  package var renewer: (any SecretRenewing)?

  /// Called when a list is incomplete, because the policies don't let this login list the whole keychain.
  package var onPartialList: () -> Void = {}
  /// Whether a tool waits for the answers, without a person who could end it.
  package var isForTool = false
  /// The folders listed before: a login may be allowed to list folders without knowing of them.
  package var knownFolders: () -> [String] = { [] }

  /// The security domain of logins to such servers, in a person's own keychain.
  package static let loginDomain: ByteString = "openbao"

  /// - Parameters:
  ///   - session: the login to its server.
  ///   - clock: the present time, which dates new items.
  package init(_ session: OpenBaoSession, clock: @escaping () -> Timestamp = { .now }) {
    store = KeyValueStore(session)
    self.clock = clock
  }

  // MARK: Reading

  package func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if depth == 0 { forget() }
    depth += 1
    defer { depth -= 1 }
    return try body()
  }

  func forget() {
    known = [:]
    listed = [:]
    store.beginQuestion()
  }

  package func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    if depth == 0 { forget() }
    // The login to a server is never kept on that server, so storing it elsewhere needs no login.
    if query.isForLogin { return [] }
    let search = SearchFolders(query)
    return try answering(search) { () throws(KeychainError) in try items(matching: query, in: search) }
  }

  /// Answers a question within the time that its kind allows.
  ///
  /// - Throws: ``KeychainError``, in particular ``OpenBaoFault/Reason/tooLong(seconds:)`` after that.
  package func answering<Result: ~Copyable>(
    _ search: SearchFolders, _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let isHurried = search.isNamed || isForTool
    return try store.answering(within: isHurried ? ReadingBounds.placeTime : ReadingBounds.wholeTime, body)
  }

  /// Reads while nobody waits.
  ///
  /// - Throws: ``KeychainError``, as ``answering(_:_:)`` does.
  package func unhurried<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try store.answering(within: ReadingBounds.wholeTime, body) }

  private func items(
    matching query: ItemQuery, in search: SearchFolders
  ) throws(KeychainError) -> [Item] {
    var paths: [ItemPath]
    var unlisted: String?
    if let path = query.path {
      paths = isListedAsAbsent(path) ? [] : [path]
    } else {
      (paths, unlisted) = try self.paths(for: search)
    }
    for change in pending ?? [] where !paths.contains(change.path) { paths.append(change.path) }

    var found: [Item] = []
    var unread: ItemPath?
    for path in paths where query.mayMatch(path.key) {
      switch try present(path) {
      case .item(let stored): if query.matches(stored.item) { found.append(stored.item) }
      case .forbidden: unread = unread ?? path
      case .absent, .moved, .foreign: break
      }
    }
    // The last changed comes first.
    found.sort { first, second in
      let (one, other) = (first.modificationDate, second.modificationDate)
      if let one, let other, one != other { return one > other }
      return (first.reference?.bytes ?? "") < (second.reference?.bytes ?? "")
    }
    if found.isEmpty {
      if let unread, search.isNamed { throw store.forbidden("data", unread.text) }
      if let unlisted { throw store.forbidden("metadata", unlisted) }
    }
    if unlisted != nil, !search.isNamed { onPartialList() }
    return found
  }

  /// Whether a path is missing from a listed folder.
  func isListedAsAbsent(_ path: ItemPath) -> Bool {
    listed.contains { folder, paths in
      (folder.isEmpty || path.text.hasPrefix(folder + "/")) && !paths.contains(path)
    }
  }

  /// The paths that may answer a query, and the first of its folders that this login may not list; `nil` if it may list
  /// all.
  func paths(for search: SearchFolders) throws(KeychainError) -> (paths: [ItemPath], unlisted: String?) {
    var paths: [ItemPath] = []
    var unlisted: String?
    for folder in search.folders {
      if let inside = try self.paths(below: folder) {
        paths += inside
      } else {
        unlisted = unlisted ?? folder
      }
    }
    guard let unlisted else { return (paths, nil) }
    let others = search.isNamed ? search.likely : try allowed(below: unlisted)
    return (paths + others.filter { !paths.contains($0) }, unlisted)
  }

  /// The paths that this login may list or read below a folder that it may not list.
  private func allowed(below folder: String) throws(KeychainError) -> [ItemPath] {
    let beginning = folder.isEmpty ? "" : folder + "/"
    let allowed = try store.allowedPaths()
    var paths = Set(allowed.items.filter { $0.hasPrefix(beginning) }.compactMap { ItemPath(parsing: $0) })
    for inner in Set(allowed.folders + knownFolders())
    where inner.hasPrefix(beginning) && PlainPath.isOne(inner) {
      paths.formUnion(try self.paths(below: inner) ?? [])
    }
    return Array(paths)
  }

  /// The paths of the items in a folder; `nil` if the policies don't allow listing.
  ///
  /// - Parameter beginning: how the paths must begin.
  func paths(below folder: String, beginningWith beginning: String = "") throws(KeychainError) -> [ItemPath]?
  {
    if beginning.isEmpty, let inside = listed[folder] { return inside }
    guard let texts = try store.paths(below: folder, beginningWith: beginning) else { return nil }
    let inside = texts.compactMap { ItemPath(parsing: $0) }
    if beginning.isEmpty { listed[folder] = inside }
    return inside
  }

  /// A path's contents after the pending changes.
  func present(_ path: ItemPath) throws(KeychainError) -> KnownPath {
    if let change = pending?.last(where: { $0.path == path }) {
      switch change {
      case .write(let item, _): return .item(item)
      case .move(_, let version, let destination): return .moved(to: destination, version: version)
      case .delete(_, let version): return .absent(version: version)
      }
    }
    return try stored(path)
  }

  func stored(_ path: ItemPath) throws(KeychainError) -> KnownPath {
    if let known = known[path] { return known }
    let read = try store.read(path)
    known[path] = read
    if let item = read.item { located[item.reference] = path }
    return read
  }

  /// How many moves of an item are followed.
  private static let maximumMoves = 16

  /// The item that a reference names.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it is gone, even if another one is at its path by now.
  func present(_ reference: ItemReference?) throws(KeychainError) -> StoredItem {
    guard let reference, var path = located[reference] ?? StoredItem.path(in: reference) else {
      throw .itemNotFound
    }
    for _ in 0..<Self.maximumMoves {
      switch try present(path) {
      case .item(let item):
        guard item.reference == reference else { throw .itemNotFound }
        return item
      case .moved(let destination, _): path = destination
      case .absent: throw .itemNotFound
      case .foreign: throw store.error(.foreignItem(path: path.text))
      case .forbidden: throw store.forbidden("data", path.text)
      }
    }
    throw .itemNotFound
  }

  package func credential(of item: Item) throws(KeychainError) -> Credential {
    // The search that found it has read its secret as well. That answers only once: a later request needs the present
    // secret.
    guard depth == 0 else { return try present(item.reference).record.credential.copy() }
    let stored = try present(item.reference)
    known[stored.path] = nil
    return stored.record.credential.copy()
  }

  /// Logs in if necessary, and has the login's holder noted: see ``OpenBaoSession/holders``.
  package func logInToBeKnown() throws(KeychainError) { try store.session.logInToBeKnown() }

  // MARK: Readiness

  /// Logs in and checks that the store is there. Policies differ from item to item, so only a change itself shows
  /// whether they allow it.
  package func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      try store.requireVersion2(again: true)
      return .ready
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
  }
}

extension ItemQuery {
  /// Whether it is for the logins to servers such as this one.
  package var isForLogin: Bool {
    switch self {
    case .internetPassword(let query): query.securityDomain == OpenBaoKeychain.loginDomain
    case .criteria(let criteria): criteria[.securityDomain] == OpenBaoKeychain.loginDomain
    case .genericPassword, .all: false
    }
  }

  /// Whether an item with this primary key may answer.
  func mayMatch(_ key: Item.Key) -> Bool {
    switch self {
    case .all: return true
    case .criteria(var criteria):
      // They are outside the primary key.
      for attribute in Item.Attribute.notes { criteria[attribute] = nil }
      criteria.furtherAttributes = FurtherAttributes()
      return criteria.matches(Item(key))
    case .internetPassword, .genericPassword: return matches(Item(key))
    }
  }

  /// The path of the only item that may answer, if the query has its whole primary key; no folder needs to be listed
  /// then.
  var path: ItemPath? {
    guard case .criteria(let criteria) = self, !criteria.ignoresCase, let itemClass = criteria.itemClass,
      itemClass.isPassword,
      Item.Attribute.ofKeys.allSatisfy({ !$0.isOf(itemClass) || criteria[$0] != nil }),
      var key = Item.Key(itemClass, [:], { criteria[$0] })
    else { return nil }
    key[.account] = key[.account].nonEmpty
    return try? ItemPath(key)
  }
}
