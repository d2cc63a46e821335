/// An explanation of which item answers a query, and why others don't.
public struct AnswerExplanation: Hashable, Sendable {
  /// The reason why a matching item doesn't answer.
  public enum Obstacle: Hashable, Sendable {
    /// It expired at this second of the Unix epoch.
    case expired(Int64)
    /// It has no password, only something beside one, such as one-time codes.
    case noPassword
    /// The caller can't use such an item; it may be ready-made for this scheme.
    case unusable(scheme: ByteString?)
    /// Somebody has just deleted it.
    case deleted
    /// It records that there is no password for this.
    case negative
    /// It is in a keychain that others use, too, and hidden on this machine, because a server refused it here.
    case hidden
  }

  /// The relation of an item to the query.
  public enum Verdict: Hashable, Sendable {
    /// It is the item that answers.
    case answers
    /// It would answer, but this rule prefers the one that does.
    case ranksLower(RankingRule)
    /// It ranks before the answer, but can't answer.
    case passedOver(Obstacle)
    /// It doesn't match the query.
    case differs([ItemDifference])
  }

  /// An item that somebody might expect to answer.
  public struct Candidate: Hashable, Sendable {
    /// The item.
    public let item: Item
    /// Its relation to the query.
    public let verdict: Verdict
  }

  /// The query.
  public let query: ItemQuery

  /// First the matching items, best first, then the others of the same server or service, in the keychain's order.
  public let candidates: [Candidate]

  /// The item that answers; `nil` if none does.
  public var winner: Item? { candidates.first { $0.verdict == .answers }?.item }

  /// The expired item whose refresh token goes to a caller that can renew it, as git can
  /// (``KeychainStore/answerOrRenewal(to:at:where:)``); `nil` if one answers, or none has such a token.
  public let renewal: Item?

  /// The expired item for which the keychain's ``KeychainStore/renewer`` first gets a new secret. Only if there is none,
  /// the ``winner`` answers.
  public let renewed: Item?

  /// What it says of one item alone.
  package func about(_ item: Item) -> AnswerExplanation {
    func isMeant(_ other: Item) -> Bool { other.reference == item.reference }
    return AnswerExplanation(
      query: query, candidates: candidates.filter { isMeant($0.item) },
      renewal: renewal.flatMap { isMeant($0) ? $0 : nil }, renewed: renewed.flatMap { isMeant($0) ? $0 : nil }
    )
  }
}

extension KeychainStore {
  /// Explains the result of ``answer(to:at:where:)``. Loads only the same secrets, to see which have expired.
  ///
  /// - Parameters: as for ``answer(to:at:where:)``.
  /// - Throws: what ``items(matching:)`` and ``credential(of:)`` throw.
  public func explain(
    _ query: ItemQuery, at now: Timestamp = .now,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> AnswerExplanation {
    if let searchList { return try searchList.explain(query, at: now, where: isUsable) }
    return try reading { () throws(KeychainError) -> AnswerExplanation in
      var candidates: [AnswerExplanation.Candidate] = []
      var winner: Item?
      var (renewal, renewed): (Item?, Item?)
      for item in try find(query) {
        if let winner {
          let rule = query.rule(preferring: winner, to: item)
          candidates.append(AnswerExplanation.Candidate(item: item, verdict: .ranksLower(rule)))
          continue
        }
        switch try look(at: item, at: now, where: isUsable) {
        case .answers(_):
          winner = item
          candidates.append(AnswerExplanation.Candidate(item: item, verdict: .answers))
        case .renews(let expiry, let byCaller):
          if byCaller { renewal = renewal ?? item }
          if renewer != nil { renewed = renewed ?? item }
          candidates.append(AnswerExplanation.Candidate(item: item, verdict: .passedOver(.expired(expiry))))
        case .passedOver(let obstacle):
          candidates.append(AnswerExplanation.Candidate(item: item, verdict: .passedOver(obstacle)))
        }
      }
      for item in try items(matching: .all) where query.isNear(item) {
        let differences = query.differences(from: item)
        if differences.isEmpty { continue }
        candidates.append(AnswerExplanation.Candidate(item: item, verdict: .differs(differences)))
      }
      return AnswerExplanation(
        query: query, candidates: candidates, renewal: winner == nil ? renewal : nil, renewed: renewed)
    }
  }

  func look(
    at item: Item, at now: Timestamp, where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(KeychainError) -> Look {
    if item.isNegative { return .passedOver(.negative) }
    guard let credential = try credentialIfPresent(of: item) else { return .passedOver(.deleted) }
    if credential.hasNoPassword { return .passedOver(.noPassword) }
    if credential.isExpired(at: now) {
      let expiry = credential.expiry ?? 0
      return credential.isRenewable(of: item) && isUsable(item, credential)
        ? .renews(expiry, byCaller: credential.isRenewable) : .passedOver(.expired(expiry))
    }
    if isUsable(item, credential) { return .answers(credential) }
    return .passedOver(.unusable(scheme: credential.authenticationScheme))
  }
}

enum Look: ~Copyable {
  case answers(Credential)
  /// It has expired, but can be renewed, perhaps also by a caller that is given its refresh token.
  case renews(Int64, byCaller: Bool)
  case passedOver(AnswerExplanation.Obstacle)
}

extension ItemQuery {
  /// Whether the item is of the same server or service, so that somebody might expect it to answer.
  fileprivate func isNear(_ item: Item) -> Bool {
    switch (self, item.key) {
    case (.internetPassword(let query), .internetPassword(let key)):
      guard let server = query.server else { return key.server == nil }
      return key.server.map { HostForms.answers($0, askedFor: server, query.protocol) } ?? false
    case (.genericPassword(let query), .genericPassword(let key)): return query.service == key.service
    case (.criteria, _), (.all, _): return true
    default: return false
    }
  }
}
