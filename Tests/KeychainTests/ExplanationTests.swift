import Expectations
import Keychain
import KeychainTesting
import TestSupport
import Testing

@Suite("why an item answers") struct ExplanationTests {
  private let now = Timestamp(seconds: 1_000_000)

  @Test("the item that is said to answer is the one that does, and what is said of the others holds")
  func agreesWithAnswers() throws {
    var numbers = SeededGenerator(seed: 10)
    var (winners, renewals, verdicts) = (0, 0, 0)
    for _ in 0..<300 {
      let keychain = try randomKeychain(&numbers)
      for _ in 0..<6 {
        let query = try randomQuery(&numbers)
        let scheme: ByteString? = numbers.pick([nil, nil, "Bearer"])
        func isUsable(_ item: Item, _ credential: borrowing Credential) -> Bool {
          credential.authenticationScheme == nil || credential.authenticationScheme == scheme
        }
        let explanation = try keychain.explain(query, at: now, where: isUsable)
        let answered = try keychain.revealedAnswer(query, at: now, where: isUsable)?.item
        expect(explanation.winner, is: answered)
        if explanation.winner != nil { winners += 1 }
        expect(explanation.renewal, is: try renewedItem(query, keychain, isUsable))
        if explanation.renewal != nil { renewals += 1 }
        expect(Set(explanation.candidates.map(\.item)).count, is: explanation.candidates.count)

        for candidate in explanation.candidates {
          verdicts += 1
          try check(candidate, explanation, keychain, isUsable)
        }
        let mentioned = Set(explanation.candidates.map(\.item))
        for item in try keychain.items(matching: query) { expect(mentioned.contains(item)) }
      }
    }
    expect(winners > 100 && renewals > 20 && verdicts > 3000)
  }

  /// The item whose refresh token git gets, by the documented rules: if nothing answers, it is the first with such a
  /// token among those that could answer if they had not expired.
  private func renewedItem(
    _ query: ItemQuery, _ keychain: InMemoryKeychain, _ isUsable: (Item, borrowing Credential) -> Bool
  ) throws -> Item? {
    var expected: Item?
    if try keychain.revealedAnswer(query, at: now, where: isUsable) == nil {
      expected = try keychain.find(query).first { item in
        let credential = try keychain.credential(of: item)
        return credential.isExpired(at: now) && credential.hasRefreshToken && isUsable(item, credential)
      }
    }
    switch try keychain.answerOrRenewal(to: query, at: now, where: isUsable) {
    case .renewal(let renewal): expect(renewal.item, is: expected)
    default: expect(expected, is: nil)
    }
    return expected
  }

  private func check(
    _ candidate: AnswerExplanation.Candidate, _ explanation: AnswerExplanation, _ keychain: InMemoryKeychain,
    _ isUsable: (Item, borrowing Credential) -> Bool
  ) throws {
    let item = candidate.item
    let query = explanation.query
    switch candidate.verdict {
    case .answers: expect(query.matches(item))
    case .ranksLower(let rule):
      let winner = try #require(explanation.winner)
      expect(query.matches(item))
      expect(query.ranked([item, winner]).first?.reference == winner.reference || rule == .order)
      switch rule {
      case .isDefault: expect(winner.isDefault && !item.isDefault)
      case .modified: try expect(#require(winner.modificationDate) > (try #require(item.modificationDate)))
      default: break
      }
    case .passedOver(.expired(let second)):
      expect(second <= now.seconds)
      try expect(keychain.credential(of: item).expiry, is: second)
    case .passedOver(.negative): expect(item.isNegative)
    case .passedOver(.noPassword): try expect(keychain.credential(of: item).hasNoPassword)
    case .passedOver(.unusable(let scheme)):
      try expect(keychain.credential(of: item).authenticationScheme, is: scheme)
      expect(!isUsable(item, try keychain.credential(of: item)))
    case .passedOver(.deleted): Issue.record("nobody has deleted anything")
    case .passedOver(.hidden): Issue.record("nobody else uses this keychain")
    case .differs(let differences):
      expect(!differences.isEmpty)
      expect(!query.matches(item))
      // No difference is missing: without all of them the item would match. And none is superfluous.
      expect(query.matches(item.without(differences, from: query)))
      for difference in differences {
        expect(!query.matches(item.without(differences.filter { $0 != difference }, from: query)))
      }
    }
  }

  @Test("each rule of the ranking is told")
  func rules() throws {
    let clock = SettableClock()
    let keychain = InMemoryKeychain(clock: clock.read)
    let query = try ItemQuery.internet(path: "acme/app", domain: "docker")
    func add(_ item: Item) throws { try keychain.add(item, .text("secret")) }
    func rule(of account: ByteString) throws -> AnswerExplanation.Verdict? {
      try keychain.explain(query, at: now).candidates.first { $0.item.key.account == account }?.verdict
    }
    try add(.internet(account: "old"))
    try expect(rule(of: "old"), is: .answers)
    clock.advance(seconds: 1)
    try add(.internet(account: "new"))
    try expect(rule(of: "old"), is: .ranksLower(.modified))
    try add(.internet(account: "twin"))
    try expect(rule(of: "new"), is: .ranksLower(.order))
    var marked = Item.internet(account: "marked")
    marked.isDefault = true
    clock.advance(seconds: -2)
    try add(marked)
    try expect(rule(of: "twin"), is: .ranksLower(.isDefault))
    try add(.internet(account: "organisation", path: "acme"))
    try expect(rule(of: "marked"), is: .ranksLower(.path))
    try add(.internet(account: "own", domain: "docker"))
    try expect(rule(of: "organisation"), is: .ranksLower(.ownItem))
    try expect(rule(of: "own"), is: .answers)
  }

  @Test("no secret is loaded but those that an answer takes")
  func loadsNoMore() throws {
    let keychain = InMemoryKeychain(clock: SettableClock().read)
    for account in ["a", "b", "c"] as [ByteString] {
      try keychain.add(.internet(account: account), .text("secret", expiry: account == "c" ? 1 : nil))
    }
    var looked = 0
    let explanation = try keychain.explain(try .internet(), at: now) { _, _ in
      looked += 1
      return true
    }
    expect(looked, is: 1)
    expect(
      explanation.candidates.map(\.verdict), is: [.passedOver(.expired(1)), .answers, .ranksLower(.order)])
  }

  // MARK: Random

  private let servers: [ByteString] = ["example.com", "example.com", "Example.COM", "other.org"]
  private let protocols: [ByteString] = ["https", "https", "HTTPS", "http"]
  private let ports: [UInt16?] = [nil, nil, nil, 443, 80]
  private let accounts: [ByteString?] = [nil, nil, "", "alice", "bob"]
  private let paths: [ByteString?] = [nil, nil, "acme", "acme/app", "acmeister"]
  private let domains: [ByteString?] = [nil, nil, "docker", "cargo"]

  private func randomKeychain(_ numbers: inout SeededGenerator) throws -> InMemoryKeychain {
    let clock = SettableClock()
    let keychain = InMemoryKeychain(clock: clock.read)
    for _ in 0..<numbers.number(in: 0..<16) {
      if numbers.number(in: 0..<3) == 0 { clock.advance(seconds: 1) }
      var item =
        numbers.number(in: 0..<6) == 0
        ? Item.generic(numbers.pick(["service", "other"]), account: numbers.pick(accounts))
        : Item.internet(
          numbers.pick(servers), account: numbers.pick(accounts), path: numbers.pick(paths),
          protocol: numbers.pick(protocols), port: numbers.pick(ports), domain: numbers.pick(domains))
      item.isDefault = numbers.number(in: 0..<5) == 0
      let credential = Credential.text(
        "secret", expiry: numbers.pick([nil, nil, 999_999, 1_000_000, 1_000_001]),
        refreshToken: numbers.pick([nil, "token"]),
        scheme: numbers.pick([nil, nil, nil, "Bearer"]))
      do {
        try keychain.add(item, credential)
      } catch KeychainError.duplicateItem {
        continue
      }
    }
    return keychain
  }

  private func randomQuery(_ numbers: inout SeededGenerator) throws -> ItemQuery {
    if numbers.number(in: 0..<8) == 0 { return try .generic("service", account: numbers.pick(accounts)) }
    return try .internet(
      numbers.pick(servers), account: numbers.pick(accounts), path: numbers.pick(paths),
      protocol: numbers.pick(protocols), port: numbers.pick(ports), domain: numbers.pick(domains))
  }
}

extension Item {
  /// The item with these attributes changed to those of the query.
  fileprivate func without(_ differences: [ItemDifference], from query: ItemQuery) -> Item {
    var item = self
    switch (query, key) {
    case (.internetPassword(let query), .internetPassword(var key)):
      // The effective port stays the same when the protocol changes.
      key.port = key.effectivePort
      for difference in differences {
        switch difference {
        case .attribute(.protocol): key.protocol = query.protocol
        case .attribute(.server): key.server = query.server
        case .attribute(.port): key.port = query.effectivePort
        case .attribute(.path): key.path = query.path
        case .attribute(.account): key.account = query.account
        case .attribute(.securityDomain): key.securityDomain = query.securityDomain
        default: break
        }
      }
      item.key = .internetPassword(key)
    case (.genericPassword(let query), .genericPassword(var key)):
      if differences.contains(.attribute(.account)) { key.account = query.account }
      if differences.contains(.attribute(.service)) { key.service = query.service }
      item.key = .genericPassword(key)
    default: break
    }
    return item
  }
}
