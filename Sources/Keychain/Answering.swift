/// An item that answers a query, with its secret.
public struct Answer: ~Copyable, Sendable {
  /// The item.
  public let item: Item
  /// Its confidential part.
  public var credential: Credential

  /// Makes an answer.
  public init(item: Item, credential: consuming Credential) {
    self.item = item
    self.credential = credential
  }

  /// Whether a keychain with a ``KeychainStore/renewer`` can get a new secret for it.
  package var isRenewable: Bool { credential.isRenewable(of: item) }
}

extension KeychainStore {
  /// The items that answer the query, best first (see ``ItemQuery/ranked(_:)``), expired ones included: the expiry is
  /// confidential, and finding loads no secret.
  ///
  /// - Throws: what ``items(matching:)`` throws.
  public func find(_ query: ItemQuery) throws(KeychainError) -> [Item] {
    if let searchList { return try searchList.find(query) }
    return query.ranked(try itemsInEveryForm(matching: query))
  }

  /// The items that answer the query, whichever form of the host they have.
  func itemsInEveryForm(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    let others = query.inOtherForms
    if others.isEmpty { return try items(matching: query) }
    return try reading { () throws(KeychainError) -> [Item] in
      var found = try items(matching: query)
      for form in others {
        for item in try items(matching: form) where !found.contains(item) { found.append(item) }
      }
      return found
    }
  }

  /// The best item that answers the query and has not expired, with its secret; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - query: what to look for.
  ///   - now: the present time, by which items expire.
  ///   - isUsable: returns whether the caller can use such an item; others are skipped. By default those that hold a
  ///     password, and not a ready-made credential.
  /// - Throws: what ``items(matching:)`` and ``credential(of:)`` throw, except for an item deleted in between.
  public func answer(
    to query: ItemQuery, at now: Timestamp = .now,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> Answer? {
    switch try answerOrRenewal(to: query, at: now, where: isUsable) {
    case .answer(let answer): return answer
    default: return nil
    }
  }

  /// The same for a caller that can renew a secret, as git can: if all items that would answer have expired, returns
  /// the remains of the best one with a refresh token.
  ///
  /// A keychain with a ``KeychainStore/renewer`` first gets a new secret for the best item if that has expired, or
  /// expires within a minute. If there is none, the next item that has not expired answers.
  ///
  /// - Parameters: as for ``answer(to:at:where:)``.
  /// - Throws: as ``answer(to:at:where:)`` does.
  public func answerOrRenewal(
    to query: ItemQuery, at now: Timestamp = .now,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> AnswerOrRenewal? {
    if let searchList { return try searchList.answerOrRenewal(to: query, at: now, where: isUsable) }
    let renewer = renewer
    let limit = renewer == nil ? now : Timestamp(seconds: now.seconds + Self.renewalMargin)
    let found = try search(query, at: now, renewingBy: limit, preferringBest: renewer != nil, where: isUsable)
    // No lock is held here, so others go on during a fetch.
    switch consume found {
    case .nothing:
      // An answer in a part that can't be used isn't missing.
      try refusePassingOver()
      return nil
    case .valid(let answer): return .answer(answer)
    case .renewable(let answer):
      var isEnded = false
      if let renewer {
        switch try renewer.renew(answer.item, answer.credential, in: self, at: now) {
        case .renewed(let answer): return .answer(answer)
        case .ended: isEnded = true
        case .failed: break
        }
      }
      if !answer.credential.isExpired(at: now) { return .answer(answer) }
      if renewer != nil, let next = try heldAnswer(to: query, at: now, where: isUsable) {
        return .answer(next)
      }
      if isEnded { return nil }
      guard let renewal = Renewal(answer.item, answer.credential) else { return nil }
      return .renewal(renewal)
    }
  }

  /// The answer as the keychain holds it, without renewing.
  ///
  /// - Parameter includesRenewable: whether expired items count that could be renewed.
  /// - Throws: as ``answer(to:at:where:)`` does.
  package func heldAnswer(
    to query: ItemQuery, at now: Timestamp, includingRenewable includesRenewable: Bool = false,
    where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(KeychainError) -> Answer? {
    let found = try search(query, at: now, renewingBy: now, where: isUsable)
    switch consume found {
    case .valid(let answer): return answer
    case .renewable(let answer):
      if includesRenewable { return answer }
      return nil
    case .nothing: return nil
    }
  }

  /// - Parameters:
  ///   - limit: items that expire by then are better renewed.
  ///   - prefersBest: whether the best item is renewed even if a worse one has not expired.
  private func search(
    _ query: ItemQuery, at now: Timestamp, renewingBy limit: Timestamp,
    preferringBest prefersBest: Bool = false,
    where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(KeychainError) -> Found {
    try reading { () throws(KeychainError) -> Found in
      var expired: Answer?
      for item in try find(query) where !item.isNegative {
        guard let credential = try credentialIfPresent(of: item) else { continue }
        let canBeRenewed = credential.isRenewable(of: item)
        let isExpired = credential.isExpired(at: now)
        if isExpired, !canBeRenewed || expired != nil { continue }
        if !isUsable(item, credential) { continue }
        if isExpired {
          expired = Answer(item: item, credential: credential)
          if prefersBest { break }
        } else if canBeRenewed, credential.isExpired(at: limit) {
          return .renewable(Answer(item: item, credential: credential))
        } else {
          return .valid(Answer(item: item, credential: credential))
        }
      }
      guard let expired else { return .nothing }
      return .renewable(expired)
    }
  }

  /// The confidential part of an item; `nil` if it was deleted since it was found, because then it no longer matches.
  package func credentialIfPresent(of item: Item) throws(KeychainError) -> Credential? {
    do throws(KeychainError) {
      return try credential(of: item)
    } catch .itemNotFound {
      return nil
    }
  }
}

extension KeychainStore {
  /// How many seconds before its end a secret is renewed: a request that begins now may take that long.
  private static var renewalMargin: Int64 { 60 }
}

private enum Found: ~Copyable {
  case nothing
  case valid(Answer)
  /// It has expired, or soon will, and can be renewed.
  case renewable(Answer)
}
