/// The result of ``KeychainStore/save(_:_:expiringBy:at:)``.
public enum SaveOutcome: Hashable, Sendable {
  /// Everything was stored already; nothing was written.
  case unchanged
  /// An item was changed.
  case updated
  /// An item was added.
  case added
}

extension KeychainStore {
  /// Stores a credential that has just been used successfully, as git's `store` and a tool's `login` request.
  ///
  /// Git asks every helper to store after every login, including the one that answered. Therefore nothing is written,
  /// and no lock is taken, if the answer to the same question already has that account and secret, even if its item
  /// has a shorter path than `item`. Otherwise the item with that primary key is changed, or the one with another form
  /// of its host, or one is added; no other item is ever changed. If the secret is unchanged, a missing expiry or
  /// refresh token stays as it was, because older versions of git drop them; with a new secret both are replaced. A
  /// new expiry or refresh token for the same secret goes only to the item with that primary key. A secret that was
  /// renewed since stays replaced.
  ///
  /// - Parameters:
  ///   - item: its place. Attributes other than the key count only if an item is added.
  ///   - credential: what to store.
  ///   - expiringBy: the latest expiry that the item may have afterwards, in seconds since the Unix epoch. Saving
  ///     what is already stored never extends an expiry.
  ///   - now: the present time, by which items expire.
  /// - Throws: what reading and writing the keychain throws; ``KeychainError/queryTooBroad(_:)`` and
  ///   ``KeychainError/unusableAttribute(name:_:)`` for an item that can't be stored.
  @discardableResult
  public func save(
    _ item: Item, _ credential: borrowing Credential, expiringBy: Int64? = nil, at now: Timestamp = .now
  ) throws(KeychainError) -> SaveOutcome {
    if let searchList { return try searchList.save(item, credential, expiringBy: expiringBy, at: now) }
    return try save(item, credential, expiringBy: expiringBy, at: now) { () throws(KeychainError) in false }
  }

  /// Stores it in this keychain, unless it is elsewhere.
  ///
  /// - Parameter isElsewhere: returns whether another keychain has it. Called at most once, before anything is
  ///   locked, if this one doesn't.
  func save(
    _ item: Item, _ credential: borrowing Credential, expiringBy: Int64?, at now: Timestamp,
    unless isElsewhere: () throws(KeychainError) -> Bool
  ) throws(KeychainError) -> SaveOutcome {
    try item.validateKey()
    try item.validate(with: credential)
    let query = try ItemQuery(for: item.key)
    let kind = credential.authenticationScheme
    func present() throws(KeychainError) -> Answer? {
      try heldAnswer(to: query, at: now, where: { $1.authenticationScheme == kind })
    }
    if looksBeforeChanging {
      let isHere = try reading { () throws(KeychainError) -> Bool in
        guard let answer = try present(), answer.item.key.account == item.key.account,
          answer.credential.hasSameSecret(as: credential)
        else { return false }
        return answer.credential.merged(with: credential, expiringBy: expiringBy) == nil
      }
      if isHere { return .unchanged }
    }
    if try isElsewhere() { return .unchanged }
    return try exclusively { () throws(KeychainError) -> SaveOutcome in
      if let answer = try present(), answer.item.key.account == item.key.account,
        answer.credential.hasSameSecret(as: credential)
      {
        guard let merged = answer.credential.merged(with: credential, expiringBy: expiringBy) else {
          return .unchanged
        }
        if answer.item.key.primaryKey == item.key.primaryKey {
          try update(answer.item, merged)
          return .updated
        }
      }
      var replacement = credential.copy()
      replacement.expiry = earlier(credential.expiry, expiringBy)
      // Git stores the secret it got, although that may be renewed by now: with the used refresh token or without, and
      // perhaps with a path that the item doesn't have.
      if try hasReplaced(credential.secret, of: item) { return .unchanged }
      let primaryKey = item.key.primaryKey
      let held = try itemsInEveryForm(matching: query)
      // An item with another form of the host keeps it.
      if let twin = held.first(where: { $0.key.primaryKey == primaryKey })
        ?? held.first(where: { $0.key.isSame(butForServer: item.key) })
      {
        var changed = twin
        changed.isNegative = false
        try update(changed, replacement)
        return .updated
      }
      try add(item, replacement)
      return .added
    }
  }

  /// Deletes the items that hold a secret which a server has refused, as git's `erase` requests. A newer password
  /// stays. Returns how many items were deleted or marked.
  ///
  /// A login with one-time codes or hidden fields is only marked as expired, so that these stay for the next password.
  /// So is a token with a refresh token, to be renewed: servers need not say how long a token is valid, and can end it
  /// earlier. If it is younger than a minute, it is deleted with its refresh token, because another new one would be
  /// refused likewise. An app's token is only ever marked.
  ///
  /// - Parameters:
  ///   - query: the items in question. Without an account, it covers all accounts; a query with a security domain
  ///     never erases what other tools share.
  ///   - secret: the refused secret.
  ///   - answered: the item that provided the refused answer, if it is known. If it is among the items to delete, it
  ///     is the only one deleted.
  ///   - now: the present time.
  /// - Throws: what reading and writing the keychain throws.
  public func erase(
    _ query: ItemQuery, holding secret: borrowing Secret, answered: ItemReference? = nil,
    at now: Timestamp = .now
  ) throws(KeychainError) -> Int {
    if let searchList {
      return try searchList.erase(query, holding: secret, answered: answered, at: now)
    }
    return try erase(
      { () throws(KeychainError) -> [Item] in
        try refused(query, holding: secret, answered: answered)
      },
      keeping: { (item) throws(KeychainError) -> Bool in
        guard let credential = try credentialIfPresent(of: item) else { return false }
        return try markRefused(item, credential, at: now)
      })
  }

  /// Notes that a server has refused an item's answer, for a caller that asks for a better one instead of erasing it:
  /// a token that can be renewed is marked as expired, unless it is younger than a minute, because somebody else may
  /// have just renewed it.
  ///
  /// - Parameters:
  ///   - query: the caller's question. An item of another tool stays as it is.
  ///   - answered: the item that provided the refused answer.
  ///   - now: the present time.
  /// - Throws: what reading and writing the keychain throws.
  public func refuse(
    _ answered: ItemReference, to query: ItemQuery, at now: Timestamp = .now
  ) throws(KeychainError) {
    if let searchList { return try searchList.refuse(answered, to: query, at: now) }
    try exclusively { () throws(KeychainError) in
      for item in try find(query) where item.reference == answered && query.isInErasingReach(of: item) {
        guard let credential = try credentialIfPresent(of: item) else { continue }
        _ = try markRefused(item, credential, at: now)
      }
    }
  }

  /// Marks a refused secret as expired if a new one can be obtained. Returns whether it can.
  private func markRefused(
    _ item: Item, _ credential: borrowing Credential, at now: Timestamp
  ) throws(KeychainError) -> Bool {
    let isRenewable = credential.isRenewable(of: item)
    // A login's one-time codes would be lost for good.
    guard isRenewable || !credential.further.isEmpty else { return false }
    if credential.isExpired(at: now) { return true }
    if isRenewable, credential.further.isEmpty, !item.isMinted, let changed = item.modificationDate,
      0..<freshTokenLife ~= now.seconds - changed.seconds
    {
      return false
    }
    var refused = credential.copy()
    refused.expiry = now.seconds
    try update(item, refused)
    return true
  }

  /// How many seconds a token counts as fresh.
  private var freshTokenLife: Int64 { 60 }

  /// Deletes every item in question, whatever its secret, as git's `erase` without a password and a tool's `logout`
  /// request, and returns how many. If the query has a path, only items with exactly that path are deleted. Items of
  /// an access group stay, because other programs share them.
  ///
  /// - Throws: what reading and writing the keychain throws.
  public func erase(_ query: ItemQuery) throws(KeychainError) -> Int {
    if let searchList { return try searchList.erase(query) }
    return try erase { () throws(KeychainError) -> [Item] in
      try find(query).filter(query.isToErase)
    }
  }

  /// The items that hold a refused secret, or only the one that provided it.
  func refused(
    _ query: ItemQuery, holding secret: borrowing Secret, answered: ItemReference?
  ) throws(KeychainError) -> [Item] {
    var found: [Item] = []
    for item in try find(query) where query.isInErasingReach(of: item) {
      guard let credential = try credentialIfPresent(of: item) else { continue }
      if credential.secret.isEqual(to: secret) { found.append(item) }
    }
    if let answered, let item = found.first(where: { $0.reference == answered }) { return [item] }
    return found
  }

  /// - Parameter isKept: whether to keep an item, which it may change.
  private func erase(
    _ candidates: () throws(KeychainError) -> [Item],
    keeping isKept: (Item) throws(KeychainError) -> Bool = { _ in false }
  ) throws(KeychainError) -> Int {
    try exclusively { () throws(KeychainError) -> Int? in
      try candidates().isEmpty ? 0 : nil
    } _: { () throws(KeychainError) -> Int in
      var deleted: [Item] = []
      let found = try candidates()
      for item in found where !(try isKept(item)) { deleted.append(item) }
      if deleted.isEmpty { return found.count }
      return try delete(deleted) + found.count - deleted.count
    }
  }
}

extension ItemQuery {
  /// Whether the item is the caller's own, not merely shared with it.
  func isInErasingReach(of item: Item) -> Bool {
    guard case .internetPassword(let query) = self, case .internetPassword(let key) = item.key else {
      return true
    }
    return key.securityDomain == query.securityDomain
  }

  /// Whether erasing without a password means the item.
  func isToErase(_ item: Item) -> Bool {
    item.key.accessGroup == nil && isInErasingReach(of: item) && asksForThePath(of: item)
  }

  /// Whether the query has the item's path, or none.
  private func asksForThePath(of item: Item) -> Bool {
    guard case .internetPassword(let query) = self, case .internetPassword(let key) = item.key else {
      return true
    }
    return query.path == nil || key.path == query.path
  }
}

extension Item.Key {
  fileprivate func isSame(butForServer other: Item.Key) -> Bool {
    guard case .internetPassword(let key) = self, case .internetPassword(let other) = other else {
      return false
    }
    return key.isSame(butForServer: other)
  }
}

extension Credential {
  /// This credential with the changes of `newer` for the same secret; `nil` if there are none.
  package borrowing func merged(with newer: borrowing Credential, expiringBy: Int64?) -> Credential? {
    let expiry = earlier(newer.expiry ?? self.expiry, expiringBy)
    let keepsToken = !newer.hasRefreshToken || hasSameRefreshToken(as: newer)
    if expiry == self.expiry, keepsToken { return nil }
    var merged = copy()
    merged.expiry = expiry
    if !keepsToken { merged.refreshToken = newer.copyOfRefreshToken() }
    return merged
  }
}

/// The earlier of two expiries, where `nil` is never.
private func earlier(_ first: Int64?, _ second: Int64?) -> Int64? {
  guard let first else { return second }
  guard let second else { return first }
  return min(first, second)
}
