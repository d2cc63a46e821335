package import Bytes
package import Keychain

/// Answers requests from a keychain, as far as permissions reach.
package struct ForwardingService {
  private let keychain: any KeychainStore
  private let permissions: Permissions

  /// What becomes of a request.
  package enum Outcome {
    /// This is the response.
    case response(ForwardResponse)
    /// A person has to decide first. Afterwards the request is to be answered again.
    case asks(Question)
    /// The response is that nothing was found, because nothing may be. Its sender can't tell it from an empty keychain.
    case hidden
  }

  /// What a person has to decide.
  package struct Question: Equatable, Sendable {
    /// The item.
    package let item: Item
    /// What is to be allowed. Who may change an item may use it, too.
    package let right: ForwardingRight

    /// Makes a question.
    package init(_ item: Item, _ right: ForwardingRight) {
      self.item = item
      self.right = right
    }
  }

  /// - Parameters:
  ///   - keychain: the keychain that is forwarded.
  ///   - permissions: what whoever asks may have.
  package init(_ keychain: any KeychainStore, _ permissions: Permissions) {
    self.keychain = keychain
    self.permissions = permissions
  }

  /// Answers a request, or says what a person has to decide first.
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

  /// What the host may use without a question, without what doesn't answer here: what is hidden, and what an earlier
  /// keychain has, too.
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
        // Once something answers, nobody is asked about anything else.
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
      // The other side ranks what it gets by itself, and knows nothing of keychains that are asked one after the other,
      // or of what is hidden.
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

  /// The items in the order in which they answer: those of each keychain by rank, one keychain after the other.
  private static func ranked(_ items: [Item], for query: ItemQuery) -> [Item] {
    items.keychains.flatMap { keychain in query.ranked(items.filter { $0.keychain == keychain }) }
  }

  /// Renews the item that would answer if it has expired: the refresh token stays on this machine.
  private func renew(_ query: ItemQuery, _ tool: ByteString, _ now: Timestamp) throws(KeychainError) {
    if keychain.renewer == nil { return }
    _ = try keychain.answerOrRenewal(to: query, at: now) { item, _ in
      permission(to: .use, item.key, asked: query, by: tool) == .allowed
    }
  }

  /// What a person has to decide about an item; `nil` if that can't lead to what is asked for. For a tool that looks it
  /// up to change it, that is whether it may get and change it.
  private func question(
    about item: Item, _ query: ItemQuery?, _ purpose: ForwardRequest.Purpose, _ tool: ByteString
  ) -> Question? {
    if purpose == .get { return Question(item, .use) }
    let mayChange = permission(to: .change, item.key, asked: query, by: tool) != .refused
    return mayChange ? Question(item, .change) : nil
  }

  /// Whether a person's decision about the item matters: it has a secret that has not expired, or can be renewed.
  private func answers(_ item: Item, _ now: Timestamp) throws(KeychainError) -> Bool {
    guard !item.isNegative, !item.isHidden, let credential = try keychain.credentialIfPresent(of: item) else {
      return false
    }
    return !credential.isExpired(at: now) || keychain.renewer != nil && credential.hasRefreshToken
  }

  private func credential(
    of reference: ItemReference, _ query: ItemQuery?, _ purpose: ForwardRequest.Purpose, _ tool: ByteString
  ) throws(KeychainError) -> Outcome {
    // By its reference alone somebody could ask for what no query of theirs would find.
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
    // Before the keychain is opened, and before anybody is asked: all of it has to be possible.
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
      // The other side goes on to use their references.
      return .response(.items(made.map { keychain.committed($0) }, nil))
    } catch {
      if error != Self.isChanged { throw error }
      return .response(.fault(.changed))
    }
  }

  /// Ends what is done exclusively, so that nothing of it stays.
  private static let isChanged = KeychainError.slot(.changedMeanwhile)

  private func permission(toChange item: Item, _ tool: ByteString) -> Permission {
    permission(to: .change, item.key, by: tool)
  }

  /// What says how secrets are renewed stays on this machine, whatever the rules: it holds the secrets of clients, and
  /// by it somebody could have refresh tokens and files of this machine sent anywhere.
  private func permission(
    to right: ForwardingRight, _ key: Item.Key, asked query: ItemQuery? = nil, by tool: ByteString
  ) -> Permission {
    key.isRenewalSetting ? .refused : permissions.permission(to: right, key, asked: query, by: tool)
  }

  /// Makes a change, and returns the item as it is now, none if it is deleted; `nil` if the item is no longer as it was
  /// seen.
  private func make(_ change: ItemChange, _ tool: ByteString) throws(KeychainError) -> [Item]? {
    switch change.kind {
    case .add(let item, let keepsDates):
      guard let credential = change.credentialCopy else { return nil }
      // Another keychain than the one that new items go to may have the same, hidden perhaps until now.
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
        // The other side doesn't know that a token is renewed here once a server has refused it.
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

  /// Whether an item that a server has refused stays: for people's own commands where only its one-time codes would go, for
  /// tools also where a new secret can be had for it.
  private func staysOnceRefused(_ item: Item, by tool: ByteString) throws(KeychainError) -> Bool {
    if tool != Self.people, try isRenewed(item) { return true }
    guard let credential = try keychain.credentialIfPresent(of: item) else { return false }
    return !credential.further.isEmpty
  }

  /// Whether a new secret can be had for an item.
  private func isRenewed(_ item: Item) throws(KeychainError) -> Bool {
    if item.isMinted { return true }
    return try keychain.credentialIfPresent(of: item)?.hasRefreshToken ?? false
  }

  /// How people's own commands are named, who are told that an item is not theirs alone.
  private static let people: ByteString = "llavero"

  /// Stores what a tool has used as if it were stored here. Returns the item that has it then.
  ///
  /// - Parameter former: the item that the other side wanted to change for that, which others use, too.
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
    switch change.seen {
    case .none: return true
    case .some(let seen):
      guard let present = try keychain.credentialIfPresent(of: former) else { return false }
      return present.hasSameSecret(as: seen) && present.expiry == seen.expiry
    }
  }

  /// A credential for an item whose secret stays the same keeps the item's refresh token, which the other side can't
  /// know.
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
  /// As the other side knows it, which isn't told in which keychain of this machine it is.
  fileprivate var asSent: Item {
    var item = self
    item.keychain = nil
    item.isHidden = false
    return item
  }
}

extension ItemChange {
  /// The items that it touches, as they were and as they become.
  fileprivate var items: [Item] {
    switch kind {
    case .add(let item, _), .delete(let item): [item]
    case .update(let former, let item): [former, item]
    }
  }

  /// Whether its sender has seen the secret, as whoever erases one that a server has refused.
  fileprivate var hasSeen: Bool {
    switch seen {
    case .some: true
    case .none: false
    }
  }

  fileprivate var credentialCopy: Credential? {
    switch credential {
    case .none: nil
    case .some(let credential): credential.copy()
    }
  }
}

extension Credential {
  /// What may leave the machine: everything but the refresh token.
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
    // Nobody is asked whether something goes for all who use it, so nobody elsewhere decides that.
    case .sharedItem: self = .refused
    case .itemNotFound: self = .notFound
    case .unusableAttribute, .queryTooBroad: self = .unusableAttribute
    case .tooLarge: self = .tooLarge
    default: self = .unavailable
    }
  }
}
