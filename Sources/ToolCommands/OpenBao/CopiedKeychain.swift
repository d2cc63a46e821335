import Bytes
package import Keychain
package import OpenBao

/// A keychain in OpenBao, with copies on this machine of everything that was asked for.
///
/// A copy answers until it is too old. If it is no longer fresh, another process renews it after the answer. So
/// answers are as fast as a file's, and go on while the server can't be reached. Every change, and anything without a
/// copy, goes to the server.
package final class CopiedKeychain: KeychainStore {
  /// Something to tell a person.
  package enum Notice {
    /// Copies answer, because the server can't be used since then.
    case answeringFromCopies(server: String, since: Timestamp)
    /// The same; but copies aren't listed.
    case hidesCopies(server: String, since: Timestamp)
    /// The list is partial, because the policies don't let this login list everything.
    case listsPart(server: String)
  }

  /// For how many seconds an absence is believed without asking again.
  private static let absence = 30

  let server: OpenBaoKeychain
  let settings: OpenBaoSettings
  let folder: String
  let copies: CopyVault
  private let holder: CopyHolder
  private let isListed: () -> Bool
  let clock: () -> Timestamp
  let refreshLater: ([String]) -> Void
  let onNotice: (Notice) -> Void

  /// The copies that the last search found.
  private var found: [StoredItem] = []
  /// Whether the next question goes to the server, if that can be reached.
  private var isToAsk = false
  /// Whether only the server is asked, because something may be changed.
  private var isChanging = false
  /// Whether an item is being renewed: others may have renewed it since the copy.
  private var isRenewing = false
  /// The folders that were looked at, and the paths that were changed, meanwhile.
  private var touched: Set<String> = []

  /// - Parameters:
  ///   - folder: the folder of this machine's files about the keychain.
  ///   - isListed: returns whether the keychain is in the search list now.
  ///   - tokenAtHand: returns the token that would be used, if that costs next to nothing.
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
    copies = CopyVault(in: folder, of: settings.origin, maximumAge: settings.copies.maximumAge)
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

  /// Sends the next question to the server, and not to a copy.
  @discardableResult
  package func bringInStep() -> Bool {
    isToAsk = true
    return true
  }

  // MARK: Reading

  package func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    if query.isForLogin { return [] }
    if holder.isUnknown, !copies.isEmpty {
      // A token of an unknown holder doesn't belong to the copies' holder.
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
        // Having waited that long, nobody should wait again.
        if case .tooLong = error.ofOpenBao, copied(search, query) == nil { throw error }
      }
    }
    if let items = copied(search, query) { return items }
    do throws(KeychainError) {
      return try asking { () throws(KeychainError) in try fetched(search, query) }
    } catch {
      guard let fault = error.outage else { throw error }
      let ages = search.folders.compactMap { copies.folder($0) }.map { clock().seconds - $0.fetched.seconds }
      guard ages.count == search.folders.count, let oldest = ages.max(), oldest > settings.copies.maximumAge
      else { throw error }
      copies.forget(at: clock())
      throw KeychainError(
        OpenBaoFault(
          server: settings.server.name, .copyTooOld(seconds: Int(oldest), because: fault),
          loginsIn: error.fault(OpenBaoFault.self)?.keychainOfLogins))
    }
  }

  /// The server's list. Copies hold only what was asked for, and their list would pass for the keychain's.
  private func listed(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    do throws(KeychainError) {
      return try asking { () throws(KeychainError) in try server.items(matching: query) }
    } catch {
      if let fault = error.outage, !copies.isEmpty, !fault.isOfThisMachine {
        onNotice(.hidesCopies(server: settings.server.name, since: noteOutage()))
      }
      throw error
    }
  }

  /// The copy of an item from the last search.
  private func copy(of item: Item) -> StoredItem? {
    guard let reference = item.reference else { return nil }
    return found.first { $0.item.reference == reference }
  }

  /// Asks the server. If that no longer accepts the login, forgets everything that the login could read.
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

  /// The items from copies that may answer; `nil` if the server has to be asked.
  private func copied(_ search: SearchFolders, _ query: ItemQuery) -> [Item]? {
    var items: [StoredItem] = []
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

  /// Makes the server's keychain trust the copies, so that a change costs no more than itself. If they are outdated,
  /// the change is made anew.
  private func assume(_ search: SearchFolders) {
    guard search.isNamed else { return }
    for folder in search.folders {
      guard let copy = copies.folder(folder),
        0...Int64(settings.copies.maximumAge) ~= clock().seconds - copy.fetched.seconds
      else { continue }
      server.assume(copy.items, areAllIn: folder)
    }
  }

  private func matching(_ copies: [StoredItem], _ query: ItemQuery) -> [Item] {
    found = copies.filter { query.matches($0.item) }
    return found.map(\.item)
  }

  private func fetched(_ search: SearchFolders, _ query: ItemQuery) throws(KeychainError) -> [Item] {
    try server.answering(search) { () throws(KeychainError) in try fetchedAtOnce(search, query) }
  }

  private func fetchedAtOnce(_ search: SearchFolders, _ query: ItemQuery) throws(KeychainError) -> [Item] {
    var fetched: [(name: String, items: [StoredItem])] = []
    let now = clock()
    for folder in search.folders {
      // A login that may not list gets only what it may read, and no copy: nobody knows when that is complete.
      guard let copies = try server.copies(below: folder) else {
        self.copies.forget(at: now, where: { CopyVault.areRelated($0, folder) })
        return try server.items(matching: query)
      }
      fetched.append((folder, copies))
    }
    keep(fetched, at: now)
    noteContact()
    // Nothing in a copied folder may be unreadable.
    return matching(fetched.flatMap(\.items), query)
  }

  func keep(_ folders: [(name: String, items: [StoredItem])], at now: Timestamp) {
    copies.keep(folders, at: now, if: { holder.isOwn })
    forgetIfRemoved()
  }

  /// Forgets everything here if the keychain has left the search list meanwhile. Its removal forgets all too, but
  /// perhaps before this process has written its answer.
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
    try changing([item]) { () throws(KeychainError) in try server.add(item, credential) }
  }

  @discardableResult
  package func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try changing([item]) { () throws(KeychainError) in try server.add(keepingDatesOf: item, credential) }
  }

  @discardableResult
  package func update(_ item: Item) throws(KeychainError) -> Item {
    try changing([item]) { () throws(KeychainError) in try server.update(item) }
  }

  @discardableResult
  package func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try changing([item]) { () throws(KeychainError) in try server.update(item, credential) }
  }

  @discardableResult
  package func delete(_ items: [Item]) throws(KeychainError) -> Int {
    try changing(items) { () throws(KeychainError) in try server.delete(items) }
  }

  private func changing<Result>(
    _ items: [Item], _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    for item in items { try touching(item) }
    let result = try asking(body)
    settle()
    return result
  }

  private func touching(_ item: Item) throws(KeychainError) {
    touched.insert(try ItemPath(item.key).text)
    if let copy = copy(of: item) { touched.insert(copy.path.text) }
  }

  /// Forgets the copies of changed items, and of those looked up for a change, because they may differ now.
  private func settle() {
    if isChanging || touched.isEmpty { return }
    let places = touched
    touched = []
    found = []
    copies.forget(
      at: clock(),
      where: { folder in places.contains { CopyVault.areRelated($0, folder) } })
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
      // Nothing has changed, and the copies are all there is while the server can't be reached.
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
    if readiness == .ready, ContactNote(in: folder).failingSince != nil {
      noteContact()
    }
    guard case .unavailable(let reason) = readiness, reason.outage != nil, !copies.isEmpty else {
      return readiness
    }
    noteOutage()
    return .notWritable(reason)
  }
}

extension CopiedKeychain: ServerKeychain {
  package func logIn() throws(KeychainError) -> Int64? { try server.logIn() }
}

extension CopiedKeychain: RemoteKeychain {
  package func client(for key: InternetPassword) throws(KeychainError) -> Secret? {
    // Without a login there is no client. Copies know that as long as they know that there is no login.
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
    try changing([former.item]) { () throws(KeychainError) in
      try server.bringBack(former, replacing: replacing)
    }
  }
}
