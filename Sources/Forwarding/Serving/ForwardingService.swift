package import Bytes
package import Keychain

/// Answers requests from a keychain, within permissions.
package struct ForwardingService {
  private let keychain: any KeychainStore
  private let permissions: Permissions

  package enum Outcome {
    case response(ForwardResponse)
    /// A person must decide first. Then the request must be answered again.
    case asks(Question)
    /// The response is that nothing was found, because nothing is allowed. The sender can't distinguish it from an
    /// empty keychain.
    case hidden
  }

  package struct Question: Equatable, Sendable {
    package let item: Item
    /// The requested access. Permission to change an item includes using it.
    package let right: ForwardingRight

    package init(_ item: Item, _ right: ForwardingRight) {
      self.item = item
      self.right = right
    }
  }

  /// - Parameters:
  ///   - keychain: the forwarded keychain.
  ///   - permissions: the sender's permissions.
  package init(_ keychain: any KeychainStore, _ permissions: Permissions) {
    self.keychain = keychain
    self.permissions = permissions
  }

  /// Answers a request, or returns the question for a person.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - now: the present time, by which secrets expire.
  package func answer(_ request: borrowing ForwardRequest, at now: Timestamp = .now) -> Outcome {
    let tool = request.tool
    do throws(KeychainError) {
      switch request.action {
      case .probe: return .response(probe())
      case .find(let query): return try find(query, request.purpose, tool, now)
      case .list:
        let items = try usableItems(tool)
        return .response(.items(items, nil, isPart: keychain.passedOver != nil))
      case .credential(let reference, let query):
        return try credential(of: reference, query, request.purpose, tool)
      case .change(let changes): return try change(changes, request.purpose, tool)
      case .wait: return .response(.fault(.malformed))
      }
    } catch {
      return .response(.fault(ForwardFault(error)))
    }
  }

  private func probe() -> ForwardResponse {
    switch keychain.probe() {
    case .ready: .items([], nil)
    case .locked: .fault(.locked)
    case .notWritable: .fault(.notWritable)
    case .unavailable: .fault(.unavailable)
    }
  }

  // MARK: Reading

  /// The items that the host may use without a question, except those that don't answer here: hidden ones, and those
  /// that an earlier keychain has, too.
  private func usableItems(_ tool: ByteString) throws(KeychainError) -> [Item] {
    guard permissions.mayAnswer(nil, by: tool) else { return [] }
    var first: [Item.Key: String?] = [:]
    return try keychain.items(matching: .all).filter { item in
      if item.isHidden || permission(to: .use, item.key, by: tool) != .allowed { return false }
      let key = item.key.primaryKey
      guard let keychain = first[key] else {
        first[key] = .some(item.keychain)
        return true
      }
      return keychain == item.keychain
    }
  }

  private func find(
    _ query: ItemQuery, _ purpose: ForwardRequest.Purpose, _ tool: ByteString, _ now: Timestamp
  ) throws(KeychainError) -> Outcome {
    guard permissions.mayAnswer(query, by: tool) else { return .hidden }
    if purpose == .get { try renew(query, tool, now) }
    return try keychain.reading { () throws(KeychainError) -> Outcome in
      let items = try keychain.items(matching: query)
      var allowed = Set<ItemReference?>()
      var answer: (item: Item, credential: ForwardResponse.CredentialOfItem)?
      for item in Self.ranked(items, for: query) {
        let permission = permission(to: .use, item.key, asked: query, by: tool)
        if permission == .refused { continue }
        // Once an item answers, nobody is asked about others.
        if permission == .undecided {
          if answer == nil, let question = question(about: item, query, purpose, tool), try answers(item, now)
          {
            return .asks(question)
          }
          continue
        }
        allowed.insert(item.reference)
        guard answer == nil, !item.isNegative, !item.isHidden,
          let credential = try keychain.credentialIfPresent(of: item), !credential.isExpired(at: now)
        else { continue }
        answer = (item, ForwardResponse.CredentialOfItem(0, credential.withoutRefreshToken))
      }
      var visible = items.filter { allowed.contains($0.reference) }
      if visible.isEmpty, !items.isEmpty { return .hidden }
      // The other side ranks its results by itself, and knows nothing of the order of keychains, or of hidden items.
      if purpose != .erase { visible = visible.filter { !$0.isHidden } }
      if purpose == .get, let keychain = answer?.item.keychain {
        visible = visible.filter { $0.keychain == keychain }
      }
      guard let answer, let index = visible.firstIndex(of: answer.item) else {
        return .response(.items(visible, nil, isPart: keychain.passedOver != nil))
      }
      let credential = ForwardResponse.CredentialOfItem(index, answer.credential.credential.copy())
      return .response(.items(visible, credential, isPart: keychain.passedOver != nil))
    }
  }

  /// The items in the order in which they answer: each keychain's by rank, one keychain after the other.
  private static func ranked(_ items: [Item], for query: ItemQuery) -> [Item] {
    items.keychains.flatMap { keychain in query.ranked(items.filter { $0.keychain == keychain }) }
  }

  /// Renews the answering item if it has expired: the refresh token stays on this machine.
  private func renew(_ query: ItemQuery, _ tool: ByteString, _ now: Timestamp) throws(KeychainError) {
    if keychain.renewer == nil { return }
    _ = try keychain.answerOrRenewal(to: query, at: now) { item, _ in
      permission(to: .use, item.key, asked: query, by: tool) == .allowed
    }
  }

  /// The question about an item; `nil` if the answer can't help the request. For a lookup before a change, it asks for
  /// both use and change.
  private func question(
    about item: Item, _ query: ItemQuery?, _ purpose: ForwardRequest.Purpose, _ tool: ByteString
  ) -> Question? {
    if purpose == .get { return Question(item, .use) }
    let mayChange = permission(to: .change, item.key, asked: query, by: tool) != .refused
    return mayChange ? Question(item, .change) : nil
  }

  /// Whether a decision about the item matters: it has a secret that has not expired, or can be renewed.
  private func answers(_ item: Item, _ now: Timestamp) throws(KeychainError) -> Bool {
    guard !item.isNegative, !item.isHidden, let credential = try keychain.credentialIfPresent(of: item) else {
      return false
    }
    return !credential.isExpired(at: now) || keychain.renewer != nil && credential.hasRefreshToken
  }

  private func credential(
    of reference: ItemReference, _ query: ItemQuery?, _ purpose: ForwardRequest.Purpose, _ tool: ByteString
  ) throws(KeychainError) -> Outcome {
    // Otherwise a bare reference could get items that none of the sender's queries would find.
    guard permissions.mayAnswer(query, by: tool) else { throw .itemNotFound }
    return try keychain.reading { () throws(KeychainError) -> Outcome in
      let found = try keychain.items(matching: query ?? .all).first { $0.reference == reference }
      guard let item = found else { throw .itemNotFound }
      switch permission(to: .use, item.key, asked: query, by: tool) {
      case .refused: throw .itemNotFound
      case .undecided where query == nil: throw .itemNotFound
      case .undecided:
        guard let question = question(about: item, query, purpose, tool) else { throw .itemNotFound }
        return .asks(question)
      case .allowed:
        let credential = try keychain.credential(of: item)
        return .response(
          .credential(ForwardResponse.CredentialOfItem(0, credential.withoutRefreshToken)))
      }
    }
  }

  // MARK: Changing

  private func change(
    _ changes: [ItemChange], _ purpose: ForwardRequest.Purpose, _ tool: ByteString
  ) throws(KeychainError) -> Outcome {
    // Before opening the keychain and asking anybody, check that everything is possible.
    for change in changes {
      for item in change.items where permission(toChange: item, tool) == .refused {
        return .response(.fault(.refused))
      }
    }
    for change in changes {
      for item in change.items where permission(toChange: item, tool) == .undecided {
        return .asks(Question(item, .change))
      }
    }
    do throws(KeychainError) {
      let made = try keychain.exclusively { () throws(KeychainError) -> [Item] in
        var made: [Item] = []
        for change in changes {
          guard let item = try make(change, tool) else { throw Self.isChanged }
          made += item
        }
        return made
      }
      // The other side continues to use their references.
      return .response(.items(made.map { keychain.committed($0) }, nil))
    } catch {
      if error != Self.isChanged { throw error }
      return .response(.fault(.changed))
    }
  }

  /// Ends the exclusive body without any change.
  private static let isChanged = KeychainError.slot(.changedMeanwhile)

  private func permission(toChange item: Item, _ tool: ByteString) -> Permission {
    permission(to: .change, item.key, by: tool)
  }

  /// Renewal settings stay on this machine, whatever the rules: they contain the secrets of clients, and could send
  /// refresh tokens and files of this machine anywhere.
  private func permission(
    to right: ForwardingRight, _ key: Item.Key, asked query: ItemQuery? = nil, by tool: ByteString
  ) -> Permission {
    key.isRenewalSetting ? .refused : permissions.permission(to: right, key, asked: query, by: tool)
  }

  /// Makes a change, and returns the item's new state, none if it is deleted; `nil` if the item is no longer as it was
  /// seen.
  private func make(_ change: ItemChange, _ tool: ByteString) throws(KeychainError) -> [Item]? {
    switch change.kind {
    case .add(let item, let keepsDates):
      guard let credential = change.credentialCopy else { return nil }
      // Another keychain than the one for new items may have the same one, perhaps hidden until now.
      if !keepsDates, tool != Self.people, keychain is KeychainSearchList {
        return [try save(item, credential)]
      }
      return [
        keepsDates
          ? try keychain.add(keepingDatesOf: item, credential) : try keychain.add(item, credential)
      ]
    case .update(let former, let item):
      guard try isPresent(former, seenBy: change), item.reference == former.reference else { return nil }
      guard let credential = change.credentialCopy else { return [try keychain.update(item)] }
      do throws(KeychainError) {
        return [try keychain.update(item, try withFormerToken(credential.copy(), of: former))]
      } catch .sharedItem where tool != Self.people {
        return [try save(item, credential, insteadOf: former)]
      }
    case .delete(let former):
      guard try isPresent(former, seenBy: change) else { return nil }
      if change.hasSeen, let reference = former.reference, try staysOnceRefused(former, by: tool) {
        // The other side doesn't know that a token is renewed here after a server's refusal.
        try keychain.refuse(reference, to: ItemQuery(for: former.key))
        return []
      }
      do throws(KeychainError) {
        try keychain.delete([former])
      } catch .sharedItem where tool != Self.people {
        _ = try keychain.discard([former])
      }
      return []
    }
  }

  /// Whether an item refused by a server stays: for people's own commands if only its one-time codes would be lost, for
  /// tools also if a new secret can be obtained for it.
  private func staysOnceRefused(_ item: Item, by tool: ByteString) throws(KeychainError) -> Bool {
    if tool != Self.people, try isRenewed(item) { return true }
    guard let credential = try keychain.credentialIfPresent(of: item) else { return false }
    return !credential.further.isEmpty
  }

  private func isRenewed(_ item: Item) throws(KeychainError) -> Bool {
    if item.isMinted { return true }
    return try keychain.credentialIfPresent(of: item)?.hasRefreshToken ?? false
  }

  /// The name of people's own commands, which are told that an item is shared with others.
  private static let people: ByteString = "llavero"

  /// Stores a tool's login as if it were stored here. Returns its item.
  ///
  /// - Parameter former: the shared item that the other side wanted to change.
  private func save(
    _ item: Item, _ credential: borrowing Credential, insteadOf former: Item? = nil
  ) throws(KeychainError) -> Item {
    var own = item
    own.reference = nil
    try keychain.save(own, credential)
    let found = try keychain.items(matching: ItemQuery(for: own.key)).filter {
      $0.key.primaryKey == own.key.primaryKey
    }
    return found.first { $0.reference != former?.reference } ?? former ?? found.first ?? own
  }

  /// Whether the item is still as the other side saw it.
  private func isPresent(_ former: Item, seenBy change: ItemChange) throws(KeychainError) -> Bool {
    guard let reference = former.reference,
      try keychain.items(matching: .criteria(ItemCriteria(former.key))).contains(where: {
        $0.reference == reference && $0.asSent == former
      })
    else { return false }
    if !change.hasSeen { return true }
    guard let present = try keychain.credentialIfPresent(of: former) else { return false }
    return change.seen.lend { present.hasSameSecret(as: $0) && present.expiry == $0.expiry } ?? true
  }

  /// A credential for an item with an unchanged secret keeps the item's refresh token, which the other side can't know.
  private func withFormerToken(
    _ credential: consuming Credential, of former: Item
  ) throws(KeychainError) -> Credential {
    if credential.hasRefreshToken { return credential }
    let present = try keychain.credential(of: former)
    if present.secret.isEqual(to: credential.secret) {
      credential.refreshToken = present.copyOfRefreshToken()
    }
    return credential
  }
}

extension Item {
  /// As sent to the other side, without the name of its keychain on this machine.
  fileprivate var asSent: Item {
    var item = self
    item.keychain = nil
    item.isHidden = false
    return item
  }
}

extension ItemChange {
  fileprivate var items: [Item] {
    switch kind {
    case .add(let item, _), .delete(let item): [item]
    case .update(let former, let item): [former, item]
    }
  }

  /// Whether its sender has seen the secret, as when erasing one that a server refused.
  fileprivate var hasSeen: Bool { seen != nil }

  fileprivate var credentialCopy: Credential? { credential.lend { $0.copy() } }
}

extension Credential {
  /// The part that may leave the machine: everything but the refresh token.
  fileprivate var withoutRefreshToken: Credential {
    Credential(secret.copy(), expiry: expiry, authenticationScheme: authenticationScheme)
  }
}

extension ForwardFault {
  /// The part of a keychain's error that the other side is told.
  package init(_ error: KeychainError) {
    switch error {
    case .locked, .collectionLocked, .itemLocked, .promptDismissed, .wrongPassphrase, .wrongPassphraseGiven:
      self = .locked
    case .duplicateItem: self = .duplicate
    // A change for everyone who uses the item needs a question here, which nobody elsewhere can answer.
    case .sharedItem: self = .refused
    case .itemNotFound: self = .notFound
    case .unusableAttribute, .queryTooBroad: self = .unusableAttribute
    case .tooLarge: self = .tooLarge
    default: self = .unavailable
    }
  }
}
