import Bytes
import Glibc
package import Keychain

extension OpenBaoKeychain {
  enum PendingChange {
    case write(StoredItem, over: Int)
    /// Leaves a note in place of a moved item, over a version.
    case move(ItemPath, over: Int, to: ItemPath)
    case delete(ItemPath, version: Int)

    var path: ItemPath {
      switch self {
      case .write(let item, _): item.path
      case .move(let path, _, _): path
      case .delete(let path, _): path
      }
    }

    /// The path's version before the change.
    var version: Int {
      switch self {
      case .write(_, let version), .move(_, let version, _), .delete(_, let version): version
      }
    }
  }

  /// How often changes are repeated because others have changed the same items meanwhile.
  private static let maximumAttempts = 50

  @discardableResult
  package func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try add(item, credential, created: clock(), modified: nil)
  }

  @discardableResult
  package func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try add(item, credential, created: item.creationDate ?? clock(), modified: item.modificationDate)
  }

  private func add(
    _ item: Item, _ credential: borrowing Credential, created: Timestamp, modified: Timestamp?
  ) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    if item.key.isForLogin {
      throw .unavailable(
        reason: "the login of such a server has to be in a keychain of your own; name that with --keychain")
    }
    let path = try ItemPath(item.key)
    let credential = credential.copy()
    return try changing { () throws(KeychainError) -> Item in
      let version = try vacancy(at: path)
      return write(
        ItemRecord(item, credential.copy(), created: created, modified: modified), at: path, over: version)
    }
  }

  /// The version to write a new item over.
  ///
  /// - Throws: ``KeychainError/duplicateItem`` if there is one already.
  private func vacancy(at path: ItemPath) throws(KeychainError) -> Int {
    let isListedElsewhere = listed.contains { folder, paths in
      !folder.isEmpty && path.text.hasPrefix(folder + "/") && !paths.contains(path)
    }
    if isListedElsewhere, known[path] == nil, pending?.contains(where: { $0.path == path }) != true {
      return 0
    }
    switch try present(path) {
    case .item: throw .duplicateItem
    case .absent(let version), .moved(_, let version): return version
    case .foreign: throw store.error(.foreignItem(path: path.text))
    // A login that may create, but not read, creates.
    case .forbidden: return 0
    }
  }

  func write(_ record: consuming ItemRecord, at path: ItemPath, over version: Int) -> Item {
    let date = record.modified ?? clock()
    record.item.creationDate = record.created ?? record.item.creationDate ?? date
    record.item.modificationDate = date
    record.item.reference = nil
    record.beginWrite()
    let stored = StoredItem(record, at: path, version: version)
    // Of changes of the same item, the last one counts, over the version that was read.
    var first = version
    pending?.removeAll { change in
      guard change.path == path else { return false }
      first = change.version
      return true
    }
    pending?.append(.write(stored, over: first))
    located[stored.reference] = path
    return stored.item
  }

  @discardableResult
  package func update(_ item: Item) throws(KeychainError) -> Item {
    try item.validate()
    return try changing { () throws(KeychainError) -> Item in
      let former = try present(item.reference)
      try item.validate(with: former.record.credential)
      return try replace(former, item, former.record.credential.copy())
    }
  }

  @discardableResult
  package func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    let credential = credential.copy()
    return try changing { () throws(KeychainError) -> Item in
      try replace(try present(item.reference), item, credential.copy())
    }
  }

  private func replace(
    _ former: StoredItem, _ item: Item, _ credential: consuming Credential
  ) throws(KeychainError) -> Item {
    let path = try ItemPath(item.key)
    var record = ItemRecord(
      item, credential.stored(over: former.record.credential), created: former.record.created)
    record.item.creationDate = former.record.item.creationDate
    record.takeRest(of: former.record)
    let origin = former.record.origin ?? former.path
    record.origin = origin == path ? nil : origin
    if path == former.path { return write(record, at: path, over: former.version) }
    // Policies are by path. The item is written at its new path first, so that it can't be lost.
    let version = try vacancy(at: path)
    let moved = write(record, at: path, over: version)
    let left = takeBack(former)
    if left.isStored { pending?.append(.move(former.path, over: left.version, to: path)) }
    return moved
  }

  private func remove(_ stored: StoredItem) {
    let left = takeBack(stored)
    if left.isStored { pending?.append(.delete(stored.path, version: left.version)) }
  }

  /// Forgets an item's pending changes. Returns its version in the store, and whether it is there.
  private func takeBack(_ stored: StoredItem) -> (version: Int, isStored: Bool) {
    var version = stored.version
    var isStored = true
    pending?.removeAll { change in
      guard change.path == stored.path else { return false }
      version = change.version
      isStored = known[stored.path]?.item != nil
      return true
    }
    return (version, isStored)
  }

  @discardableResult
  package func delete(_ items: [Item]) throws(KeychainError) -> Int {
    try exclusively { () throws(KeychainError) -> Int in
      var count = 0
      for item in items {
        do throws(KeychainError) {
          remove(try present(item.reference))
          count += 1
        } catch .itemNotFound {
        }
      }
      return count
    }
  }

  // MARK: Making changes

  /// Makes one change, and returns the stored item.
  func changing(_ body: () throws(KeychainError) -> Item) throws(KeychainError) -> Item {
    if pending != nil { return try body() }
    return committed(try exclusively(body))
  }

  package func committed(_ item: Item) -> Item { item.reference.flatMap { made[$0] } ?? item }

  /// False: there is no lock to wait for, and a lookup for a change must happen only once.
  package var looksBeforeChanging: Bool { false }

  /// Uses copies for the whole folder, if ``mayAssume``.
  package func assume(_ copies: [StoredItem], areAllIn folder: String) {
    guard mayAssume, listed[folder] == nil else { return }
    hasAssumed = true
    listed[folder] = copies.map(\.path)
    for copy in copies where known[copy.path] == nil {
      known[copy.path] = .item(copy)
      located[copy.reference] = copy.path
      assumed.insert(copy.path)
    }
  }

  /// Collects the changes of `body` and then makes each, unless somebody else has changed its item meanwhile. In that
  /// case `body` runs again with the new state. The server has no transactions: when that is found, or the connection
  /// is lost, some of several items may be changed already.
  ///
  /// It gives up after ``maximumAttempts``, and after ``OpenBaoSession/Patience/contests``. A `body` that used copies
  /// and has failed, or changed nothing, runs again with the server's state.
  package func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let outer = pending {
      do throws(KeychainError) {
        return try body()
      } catch {
        pending = outer
        throw error
      }
    }
    store.isChanging = true
    defer { store.isChanging = false }
    var contested: ItemPath?
    let end = SystemClock.awake + store.session.patienceWithOthers
    for attempt in 0..<Self.maximumAttempts {
      if attempt > 0 { usleep(.random(in: 0...(min(UInt32(attempt), 20) * 5000))) }
      forget()
      made = [:]
      pending = []
      mayAssume = attempt == 0
      assumed = []
      hasAssumed = false
      depth += 1
      defer {
        depth -= 1
        pending = nil
        mayAssume = false
        forget()
      }
      let result: Result
      do throws(KeychainError) {
        result = try body()
      } catch {
        if hasAssumed { continue }
        throw error
      }
      if hasAssumed, pending?.isEmpty ?? true { continue }
      contested = try commit(pending ?? [])
      if contested == nil { return result }
      if SystemClock.awake >= end { break }
    }
    throw store.error(.changed(path: contested?.text ?? ""))
  }

  /// Makes changes. Returns the path of the first one that somebody else has changed; earlier changes are made.
  private func commit(_ changes: [PendingChange]) throws(KeychainError) -> ItemPath? {
    for change in changes {
      switch change {
      case .write(let item, let version):
        var written = try store.write(item, over: version)
        // A deleted item has a version, too, even if it can't be seen.
        if version == 0, known[item.path] == nil, case .contested(.absent(let newest)) = written, newest > 0 {
          written = try store.write(item, over: newest)
        }
        guard case .version(let version) = written else { return item.path }
        note(item, version)
      case .move(let path, let version, let destination):
        guard try store.leaveNote(at: path, over: version, movedTo: destination) else { return path }
      case .delete(let path, let version):
        // Deleting a former version would change nothing.
        if assumed.contains(path), try store.read(path).item?.version != version { return path }
        try store.delete(version, of: path)
      }
    }
    return nil
  }

  private func note(_ item: StoredItem, _ version: StoredVersion) {
    var stored = item.item
    if item.record.modified == nil { stored.modificationDate = version.created ?? stored.modificationDate }
    made[item.reference] = stored
  }
}

extension Item.Key {
  /// Whether it is for the logins to servers such as this one.
  fileprivate var isForLogin: Bool {
    if case .internetPassword(let key) = self {
      key.securityDomain == OpenBaoKeychain.loginDomain
    } else {
      false
    }
  }
}
