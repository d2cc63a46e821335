import Bytes
package import Keychain
package import OpenBao

/// A keychain in OpenBao with copies on this machine of what was asked for.
///
/// A copy answers as long as it isn't too old. One that isn't fresh is renewed behind the answer, by another process.
/// So answers take as long as a file's, and go on while the server can't be reached. Every change, and whatever has no
/// copy, goes to the server.
package final class CopiedKeychain: KeychainStore {
  /// Something to tell a person.
  package enum Notice {
    /// The server can't be used since then; copies answer.
    case answeringFromCopies(server: String, since: Timestamp)
    /// The server can't be used since then. Copies answer, but aren't listed.
    case hidesCopies(server: String, since: Timestamp)
    /// A list has only a part of the keychain, because the policies don't let this login list all of it.
    case listsPart(server: String)
  }

  /// For how many seconds nothing is known to be there without asking again.
  private static let absence = 30

  let server: OpenBaoKeychain
  let settings: OpenBaoSettings
  let folder: String
  let copies: CopyFiles
  private let holder: CopyHolder
  private let isListed: () -> Bool
  let clock: () -> Timestamp
  let refreshLater: ([String]) -> Void
  let onNotice: (Notice) -> Void

  /// The copies that the last search has found.
  private var found: [ItemCopy] = []
  /// Whether the next question goes to the server, as long as that can be reached.
  private var isToAsk = false
  /// Whether the server alone is asked, because something may be changed.
  private var isChanging = false
  /// Whether an item is renewed: what a copy says may have been renewed by others.
  private var isRenewing = false
  /// The folders that were looked at, and the paths that were changed, meanwhile.
  private var touched: Set<String> = []

  /// - Parameters:
  ///   - folder: the folder of this machine's files about the keychain.
  ///   - isListed: returns whether the keychain is in the search list now.
  ///   - tokenAtHand: returns the token that would be used, if that costs nothing to speak of; `nil` if there is none.
  ///   - refreshLater: has another process renew the copies of folders.
  init(
    _ server: OpenBaoKeychain, _ session: OpenBaoSession, _ settings: OpenBaoSettings, in folder: String,
    isListed: @escaping () -> Bool, tokenAtHand: @escaping () -> Secret?,
    clock: @escaping () -> Timestamp = { .now }, refreshLater: @escaping ([String]) -> Void,
    onNotice: @escaping (Notice) -> Void
  ) {
    self.server = server
    self.settings = settings
    self.folder = folder
    copies = CopyFiles(in: folder, of: settings.origin, maximumAge: settings.copies.maximumAge)
    holder = CopyHolder(in: folder, of: copies, atHand: tokenAtHand)
    session.holders = holder
    self.isListed = isListed
    self.clock = clock
    self.refreshLater = refreshLater
    self.onNotice = onNotice
    server.knownFolders = { [copies] in copies.names }
  }

  package var renewer: (any SecretRenewing)? {
    get { server.renewer }
    set { server.renewer = newValue }
  }

  /// Has the server asked next, and not a copy.
  @discardableResult
  package func bringInStep() -> Bool {
    isToAsk = true
    return true
  }

  // MARK: Reading

  package func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    if query.isForLogin { return [] }
    if holder.isUnknown, !copies.isEmpty {
      // If it can't be seen whose token it is, it isn't that of the copies.
      try asking { () throws(KeychainError) in try server.logInToBeKnown() }
    }
    let search = SearchFolders(query)
    if isChanging {
      touched.formUnion(search.folders)
      if server.mayAssume { assume(search) }
      return try server.items(matching: query)
    }
    if isRenewing, search.isNamed {
      return try asking { () throws(KeychainError) in try fetched(search, query) }
    }
    guard search.isNamed else { return try listed(query) }
    if isToAsk {
      isToAsk = false
      do throws(KeychainError) {
        return try asking { () throws(KeychainError) in try fetched(search, query) }
      } catch {
        if error.endsCopies { throw error }
        // Whoever has waited for that long doesn't do so twice.
        if case .openBao(_, .tooLong) = error, copied(search, query) == nil { throw error }
      }
    }
    if let items = copied(search, query) { return items }
    do throws(KeychainError) {
      return try asking { () throws(KeychainError) in try fetched(search, query) }
    } catch .openBao(let name, let fault) where fault.isOutage {
      let ages = search.folders.compactMap { copies.folder($0) }.map { clock().seconds - $0.fetched.seconds }
      guard ages.count == search.folders.count, let oldest = ages.max(), oldest > settings.copies.maximumAge
      else { throw .openBao(server: name, fault) }
      copies.forget(at: clock())
      throw .openBao(server: name, .copyTooOld(seconds: Int(oldest), because: fault))
    }
  }

  /// What the server lists. Copies are of what was asked for: a list of them would be taken for one of the keychain.
  private func listed(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    do throws(KeychainError) {
      return try asking { () throws(KeychainError) in try server.items(matching: query) }
    } catch .openBao(let name, let fault) where fault.isOutage {
      if !copies.isEmpty, !fault.isOfThisMachine {
        onNotice(.hidesCopies(server: settings.server.name, since: noteOutage()))
      }
      throw .openBao(server: name, fault)
    }
  }

  /// The copy of an item that the last search has found.
  private func copy(of item: Item) -> ItemCopy? {
    guard let reference = item.reference else { return nil }
    return found.first { $0.item.reference == reference }
  }

  /// Asks the server. If it no longer accepts the login, what that could read is forgotten.
  private func asking<Result: ~Copyable>(_ body: () throws(KeychainError) -> Result) throws(KeychainError)
    -> Result
  {
    do throws(KeychainError) {
      return try body()
    } catch {
      if error.endsCopies { copies.forgetAll() }
      throw error
    }
  }

  /// What copies that may answer say; `nil` if the server has to be asked.
  private func copied(_ search: SearchFolders, _ query: ItemQuery) -> [Item]? {
    var items: [ItemCopy] = []
    var age: Int64 = 0
    for folder in search.folders {
      guard let copy = copies.folder(folder) else { return nil }
      age = max(age, clock().seconds - copy.fetched.seconds, copy.fetched > clock() ? .max : 0)
      items += copy.items
    }
    guard age <= settings.copies.maximumAge else { return nil }
    let answering = matching(items, query)
    if answering.isEmpty, age > Self.absence { return nil }
    if age > settings.copies.freshness { renewBehind(search.folders) }
    return answering
  }

  /// Has the server's keychain take what copies say, so that a change costs no more than itself. If they are wrong by
  /// now, it is made anew.
  private func assume(_ search: SearchFolders) {
    guard search.isNamed else { return }
    for folder in search.folders {
      guard let copy = copies.folder(folder),
        0...Int64(settings.copies.maximumAge) ~= clock().seconds - copy.fetched.seconds
      else { continue }
      server.assume(copy.items, areAllIn: folder)
    }
  }

  private func matching(_ copies: [ItemCopy], _ query: ItemQuery) -> [Item] {
    found = copies.filter { query.matches($0.item) }
    return found.map(\.item)
  }

  private func fetched(_ search: SearchFolders, _ query: ItemQuery) throws(KeychainError) -> [Item] {
    try server.answering(search) { () throws(KeychainError) in try fetchedAtOnce(search, query) }
  }

  private func fetchedAtOnce(_ search: SearchFolders, _ query: ItemQuery) throws(KeychainError) -> [Item] {
    var items: [ItemCopy] = []
    let now = clock()
    for folder in search.folders {
      // Whoever may not list gets what may be read, without a copy: nobody knows then when it is complete.
      guard let copies = try server.copies(below: folder) else {
        self.copies.forget(at: now, where: { CopyFiles.areRelated($0, folder) })
        return try server.items(matching: query)
      }
      keep(copies, of: folder, at: now)
      items += copies
    }
    noteContact()
    // Nothing in a folder that was copied may not be read.
    return matching(items, query)
  }

  func keep(_ items: [ItemCopy], of folder: String, at now: Timestamp) {
    copies.keep(items, of: folder, at: now, if: { holder.isOwn })
    forgetIfRemoved()
  }

  /// Forgets all that is here if the keychain was taken from the search list meanwhile. Whoever does that forgets it
  /// afterwards, but perhaps before this process has written what it has asked for.
  func forgetIfRemoved() {
    if !isListed() { StateFiles.forget(folder) }
  }

  package func credential(of item: Item) throws(KeychainError) -> Credential {
    if !isChanging, let copy = copy(of: item) { return copy.credential() }
    return try asking { () throws(KeychainError) in try server.credential(of: item) }
  }

  package func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try server.reading(body) }

  // MARK: Changing

  @discardableResult
  package func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try touching(item)
    let added = try asking { () throws(KeychainError) in try server.add(item, credential) }
    settle()
    return added
  }

  @discardableResult
  package func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try touching(item)
    let added = try asking { () throws(KeychainError) in try server.add(keepingDatesOf: item, credential) }
    settle()
    return added
  }

  @discardableResult
  package func update(_ item: Item) throws(KeychainError) -> Item {
    try touching(item)
    let updated = try asking { () throws(KeychainError) in try server.update(item) }
    settle()
    return updated
  }

  @discardableResult
  package func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try touching(item)
    let updated = try asking { () throws(KeychainError) in try server.update(item, credential) }
    settle()
    return updated
  }

  @discardableResult
  package func delete(_ items: [Item]) throws(KeychainError) -> Int {
    for item in items { try touching(item) }
    let count = try asking { () throws(KeychainError) in try server.delete(items) }
    settle()
    return count
  }

  private func touching(_ item: Item) throws(KeychainError) {
    touched.insert(try ItemPath(item.key).text)
    if let copy = copy(of: item) { touched.insert(copy.path.text) }
  }

  /// Forgets the copies of what was changed, and of what was looked up to be changed: it may be other than here.
  private func settle() {
    if isChanging || touched.isEmpty { return }
    let places = touched
    touched = []
    found = []
    copies.forget(
      at: clock(),
      where: { folder in places.contains { CopyFiles.areRelated($0, folder) } })
  }

  package func committed(_ item: Item) -> Item { server.committed(item) }

  package func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if isChanging { return try server.exclusively(body) }
    isChanging = true
    let result: Result
    do throws(KeychainError) {
      result = try server.exclusively(body)
    } catch {
      // Nothing is changed, and while the server can't be reached, the copies are all there is.
      isChanging = false
      touched = []
      if error.endsCopies { copies.forgetAll() }
      throw error
    }
    isChanging = false
    settle()
    return result
  }

  package func probe() -> KeychainReadiness {
    let readiness = server.probe()
    if readiness.reason?.endsCopies ?? false { copies.forgetAll() }
    if readiness == .ready, ContactNote(in: folder, named: StateFiles.contact).failingSince != nil {
      noteContact()
    }
    guard case .unavailable(.openBao(_, let fault)) = readiness, fault.isOutage,
      let reason = readiness.reason,
      !copies.isEmpty
    else { return readiness }
    noteOutage()
    return .notWritable(reason)
  }
}

extension CopiedKeychain: ServerKeychain {
  package func logIn() throws(KeychainError) -> Int64? { try server.logIn() }
}

extension CopiedKeychain: RemoteKeychain {
  package func client(for key: InternetPassword) throws(KeychainError) -> Secret? {
    // Where there is no login, there is no client; copies know that as long as they know that there is no login.
    if try items(matching: ItemQuery(for: .internetPassword(key))).isEmpty { return nil }
    return try server.client(for: key)
  }

  package func keep(client: borrowing Secret, for key: InternetPassword) throws(KeychainError) {
    touched.insert(try ItemPath(.internetPassword(key)).text)
    try server.keep(client: client, for: key)
    settle()
  }

  package func takeLease(
    of item: Item, for seconds: Int, isUrgent: Bool
  ) throws(KeychainError) -> LeaseOutcome {
    let outcome = try server.takeLease(of: item, for: seconds, isUrgent: isUrgent)
    isRenewing = outcome == .taken
    return outcome
  }

  package func endLease(of item: Item, pausing pause: Int) {
    isRenewing = false
    server.endLease(of: item, pausing: pause)
  }

  package func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool {
    if isChanging { return try server.hasReplaced(secret, of: item) }
    if renewer?.hasReplaced(secret, of: item) ?? false { return true }
    for item in try items(matching: ItemQuery(for: item.key)) {
      if copy(of: item)?.hasReplaced(secret) ?? false { return true }
    }
    return false
  }
}

extension CopiedKeychain: VersionedKeychain {
  package func formerVersions(matching query: ItemQuery) throws(KeychainError) -> [FormerVersion] {
    try server.formerVersions(matching: query)
  }

  package func bringBack(_ former: FormerVersion, replacing: Bool) throws(KeychainError) -> Item {
    try touching(former.item)
    let item = try server.bringBack(former, replacing: replacing)
    settle()
    return item
  }
}
