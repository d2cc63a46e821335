extension KeychainSearchList {
  /// Adds an item to the default keychain.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    added(try home.store().add(item, credential))
  }

  /// Adds an item with its dates to the default keychain.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    added(try home.store().add(keepingDatesOf: item, credential))
  }

  private func added(_ item: Item) -> Item {
    onAdded()
    return home.outward(item, isHome: true)
  }

  /// Changes an item's attributes, in the keychain where it is.
  ///
  /// - Throws: ``KeychainError/sharedItem(keychain:)`` for an item that others use, too.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    let (member, inner) = try own(item)
    return member.outward(try member.store().update(inner), isHome: member === home)
  }

  /// Changes an item's attributes and secret, in the keychain where it is.
  ///
  /// - Throws: ``KeychainError/sharedItem(keychain:)`` for an item that others use, too.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    let (member, inner) = try own(item)
    return member.outward(try member.store().update(inner, credential), isHome: member === home)
  }

  /// Deletes items, each from the keychain where it is.
  ///
  /// - Throws: ``KeychainError/sharedItem(keychain:)`` if others use one of them, too. Then none is deleted.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    for item in items where address(of: item) != nil { _ = try own(item) }
    var count = 0
    for member in members {
      let own = part(of: items, in: member)
      if !own.isEmpty { count += try member.store().delete(own) }
    }
    return count
  }

  /// The items of one keychain, in its own form.
  private func part(of items: [Item], in member: OpenMember) -> [Item] {
    items.compactMap { item in address(of: item).flatMap { $0.member === member ? $0.item : nil } }
  }

  /// Deletes items of one's own keychains, and hides those of shared ones.
  ///
  /// - Throws: ``KeychainError`` of the keychain that has the item.
  public func discard(_ items: [Item]) throws(KeychainError) -> Int {
    try inEach(of: members) { (member) throws(KeychainError) in
      let own = part(of: items, in: member)
      if own.isEmpty { return 0 }
      return member.isShared ? try hide(own, in: member) : try member.store().delete(own)
    }
  }

  /// The default one.
  ///
  /// - Throws: ``KeychainError`` if it can't be opened.
  public func keychainOfNewItems() throws(KeychainError) -> any KeychainStore { try home.store() }

  /// The list of the keychains that have the items, or of the default one alone.
  public func part(with items: [Item]) -> any KeychainStore {
    if items.isEmpty { return KeychainSearchList([home], of: self) }
    let having = items.compactMap { address(of: $0)?.member }
    return KeychainSearchList(members.filter { member in having.contains { $0 === member } }, of: self)
  }

  /// The keychain of the list that has the item.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if none has it; any error of opening.
  public func original(of item: Item) throws(KeychainError) -> (keychain: any KeychainStore, item: Item) {
    guard let (member, inner) = address(of: item) else { throw .itemNotFound }
    return (try member.store(), inner)
  }

  /// Runs the body while nobody else can change the default keychain, or the only one of the list. Its changes in
  /// another keychain are permanent at once.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if members.count == 1 { return try members[0].store().exclusively(body) }
    if !members.contains(where: { $0 === home }) { return try body() }
    return try home.store().exclusively(body)
  }

  /// As the item's keychain has it.
  public func committed(_ item: Item) -> Item {
    guard let (member, inner) = address(of: item), let store = try? member.store() else { return item }
    return member.outward(store.committed(inner), isHome: member === home)
  }

  /// As the default keychain has it.
  public var looksBeforeChanging: Bool { (try? home.store().looksBeforeChanging) ?? true }

  /// Stores a credential in the default keychain, unless the very same came from another one. That one's item is shown
  /// again if it was hidden, because the server has accepted it.
  ///
  /// - Throws: ``KeychainError`` of the keychains asked, and of the one that is changed.
  @discardableResult
  public func save(
    _ item: Item, _ credential: borrowing Credential, expiringBy: Int64? = nil, at now: Timestamp = .now
  ) throws(KeychainError) -> SaveOutcome {
    let store = try home.store()
    if home.isShared { try revealAccepted(item, credential, at: now, in: home) }
    let outcome = try store.save(item, credential, expiringBy: expiringBy, at: now) {
      () throws(KeychainError) -> Bool in
      if members.count == 1 { return false }
      // The default keychain's login may have another expiry, which is then updated.
      let query = try ItemQuery(for: item.key)
      if try store.holder(of: item, credential, answering: query, at: now) != nil { return false }
      return try isElsewhere(item, credential, answering: query, at: now)
    }
    if outcome == .added { onAdded() }
    return outcome
  }

  private func isElsewhere(
    _ item: Item, _ credential: borrowing Credential, answering query: ItemQuery, at now: Timestamp
  ) throws(KeychainError) -> Bool {
    for member in members where member !== home {
      do throws(KeychainError) {
        let store = try member.store()
        if try store.holder(of: item, credential, answering: query, at: now) == nil { continue }
        try revealAccepted(item, credential, at: now, in: member)
        return true
      } catch {
        report(member, error)
      }
    }
    return false
  }

  /// Shows an item of a shared keychain again, because a server has accepted its secret.
  private func revealAccepted(
    _ item: Item, _ credential: borrowing Credential, at now: Timestamp, in member: OpenMember
  ) throws(KeychainError) {
    let hidden = try hidden(in: member)
    if hidden.isEmpty { return }
    let query = try ItemQuery(for: item.key)
    guard let holder = try member.store().holder(of: item, credential, answering: query, at: now) else {
      return
    }
    let entry = HiddenItem(holder)
    if hidden.contains(entry) { try hiding?.reveal([entry], in: member.name) }
  }

  /// Deletes refused items from one's own keychains, and hides those of shared ones. A secret that can be renewed is
  /// only marked as expired, wherever it is.
  ///
  /// - Throws: ``KeychainError`` of the keychains asked, and of those that are changed.
  public func erase(
    _ query: ItemQuery, holding secret: borrowing Secret, answered: ItemReference? = nil,
    at now: Timestamp = .now
  ) throws(KeychainError) -> Int {
    var members = members
    if let answered, let (giver, item) = address(of: Item(answered)) {
      let count = try erase(query, holding: secret, answered: item.reference, at: now, from: giver)
      if count > 0 { return count }
      members.removeAll { $0 === giver }
    }
    return try inEach(of: members) { (member) throws(KeychainError) in
      try erase(query, holding: secret, answered: nil, at: now, from: member)
    }
  }

  private func erase(
    _ query: ItemQuery, holding secret: borrowing Secret, answered: ItemReference?, at now: Timestamp,
    from member: OpenMember
  ) throws(KeychainError) -> Int {
    let store = try member.store()
    guard member.isShared else {
      return try store.erase(query, holding: secret, answered: answered, at: now)
    }
    var refused = try store.refused(query, holding: secret, answered: answered)
    if refused.isEmpty { return 0 }
    // Somebody may have changed it by now, which can't always be told.
    if (try? store.bringInStep()) ?? false {
      refused = try store.refused(query, holding: secret, answered: answered)
    }
    var lasting: [Item] = []
    for item in refused {
      guard let reference = item.reference, try isRenewable(item, in: store) else {
        lasting.append(item)
        continue
      }
      do throws(KeychainError) {
        try store.refuse(reference, to: query, at: now)
      } catch {
        // With read access alone, it can't be marked for the others.
        lasting.append(item)
      }
    }
    return try hide(lasting, in: member) + refused.count - lasting.count
  }

  /// Deletes the items in question from one's own keychains, and hides those of shared ones.
  ///
  /// - Throws: ``KeychainError`` of the keychains asked, and of those that are changed.
  public func erase(_ query: ItemQuery) throws(KeychainError) -> Int {
    try inEach(of: members) { (member) throws(KeychainError) in
      let store = try member.store()
      if !member.isShared { return try store.erase(query) }
      return try hide(try store.find(query).filter(query.isToErase), in: member)
    }
  }

  /// Notes it in the keychain that answered.
  ///
  /// - Throws: ``KeychainError`` of the keychain that has the item.
  public func refuse(
    _ answered: ItemReference, to query: ItemQuery, at now: Timestamp = .now
  ) throws(KeychainError) {
    guard let (member, item) = address(of: Item(answered)), let reference = item.reference else { return }
    try member.store().refuse(reference, to: query, at: now)
  }

  private func isRenewable(_ item: Item, in store: any KeychainStore) throws(KeychainError) -> Bool {
    guard let credential = try store.credentialIfPresent(of: item) else { return false }
    return credential.isRenewable(of: item)
  }

  /// Shows items again that are hidden on this machine.
  ///
  /// - Parameter items: items of this list. Those that aren't hidden stay as they are.
  /// - Throws: ``KeychainError`` if it can't be written.
  public func reveal(_ items: [Item]) throws(KeychainError) {
    for member in members {
      let hidden = try hidden(in: member).intersection(part(of: items, in: member).map(HiddenItem.init))
      if !hidden.isEmpty { try hiding?.reveal(hidden, in: member.name) }
    }
  }

  /// Hides items of a shared keychain, and returns how many weren't hidden before.
  private func hide(_ items: [Item], in member: OpenMember) throws(KeychainError) -> Int {
    let known = try hidden(in: member)
    let new = items.filter { !known.contains(HiddenItem($0)) }
    if new.isEmpty { return 0 }
    try hiding?.hide(Set(new.map(HiddenItem.init)), in: member.name)
    onHiding(member.name, new)
    return new.count
  }

  /// Does something in each keychain, and counts. One that can't be used doesn't stop the others; its error is thrown
  /// afterwards if it is the default one, or nothing was done anywhere.
  private func inEach(
    of members: [OpenMember], _ body: (OpenMember) throws(KeychainError) -> Int
  ) throws(KeychainError) -> Int {
    var count = 0
    var failures = Failures()
    for member in members {
      do throws(KeychainError) {
        count += try body(member)
      } catch {
        failures.note(member, error)
      }
    }
    let own = failures.all.first { $0.member === home }
    try report(failures, throwing: own ?? (count == 0 ? failures.all.first : nil))
    return count
  }

  /// The keychain of an item that may be changed without deciding for others.
  private func own(_ item: Item) throws(KeychainError) -> (member: OpenMember, item: Item) {
    let address = try known(item)
    if address.member.isShared, address.member !== home { throw .sharedItem(keychain: address.member.name) }
    return address
  }
}

extension KeychainStore {
  /// The item with this very credential that answers for it; `nil` if there is none.
  fileprivate func holder(
    of item: Item, _ credential: borrowing Credential, answering query: ItemQuery, at now: Timestamp
  ) throws(KeychainError) -> Item? {
    let kind = credential.authenticationScheme
    let answer = try heldAnswer(to: query, at: now, where: { $1.authenticationScheme == kind })
    if let answer, answer.item.key.account == item.key.account,
      answer.credential.hasSameSecret(as: credential)
    {
      return answer.item
    }
    // A former secret, renewed since, is the same login.
    guard try hasReplaced(credential.secret, of: item) else { return nil }
    let primaryKey = item.key.primaryKey
    return try items(matching: query).first { $0.key.primaryKey == primaryKey }
  }
}

extension Item {
  /// An item with only its reference known.
  fileprivate init(_ reference: ItemReference) {
    self.init(.genericPassword(service: ""))
    self.reference = reference
  }
}
