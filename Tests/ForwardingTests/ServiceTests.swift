import Bytes
import Expectations
import Forwarding
import Keychain
import KeychainTesting
import TestSupport
import Testing

@Suite("a forwarded keychain's other side") struct ServiceTests {
  private let offered = InMemoryKeychain()

  init() throws {
    for (server, path, account, secret) in [
      ("a.example", nil, "alice", "whole"), ("a.example", "acme", "alice", "acme"),
      ("b.example", nil, "alice", "other"),
    ] as [(ByteString, ByteString?, ByteString, String)] {
      try offered.add(.internet(server, account: account, path: path), Credential(password: secret))
    }
  }

  private func permissions(
    _ lines: String..., grants: [Permissions.Grant] = [], mayAsk: Bool = false
  ) throws -> Permissions {
    Permissions(hosts: [try lines.map { try ForwardingRule(line: $0) }], grants: grants, mayAsk: mayAsk)
  }

  private func keychain(
    _ permissions: Permissions,
    asks: @escaping (ForwardingService.Question) -> Permissions? = { _ in nil }
  ) -> ForwardedKeychain {
    ForwardedKeychain(to: { offered }, permissions: permissions, asks: asks)
  }

  /// The fault that answers a host's change; `nil` if there is none.
  private func fault(of change: ItemChange, _ permissions: Permissions) -> ForwardFault? {
    let request = ForwardRequest(.change([change]), tool: "git")
    guard case .response(.fault(let fault)) = ForwardingService(offered, permissions).answer(request) else {
      return nil
    }
    return fault
  }

  @Test("a list has only what rules allow")
  func list() throws {
    let allowed = keychain(try permissions("allow far https://a.example/acme"))
    try expect(allowed.items(matching: .all).map(\.key.place), is: ["https://a.example/acme"])
    try expect(keychain(try permissions()).items(matching: .all).isEmpty)
    try expect(keychain(try permissions(mayAsk: true)).items(matching: .all).isEmpty)
  }

  @Test("a host gets what it may have, and nothing else shows")
  func answers() throws {
    let allowed = keychain(try permissions("allow far https://a.example/acme"))
    try expect(allowed.answeredSecret(.internet("a.example")), is: "acme")
    try expect(allowed.answeredSecret(.internet("a.example", path: "other")), is: nil)
    try expect(allowed.answeredSecret(.internet("b.example")), is: nil)
    try expect(allowed.foundAccounts(.internet("b.example")).isEmpty)
  }

  @Test("nothing answers by its reference that no rule allows")
  func references() throws {
    let allowed = keychain(try permissions("allow far https://a.example/acme"))
    for item in try offered.items(matching: .all) where item.key.place != "https://a.example/acme" {
      #expect(throws: KeychainError.itemNotFound) { _ = try allowed.credential(of: item) }
    }
  }

  @Test("a refused host does not open the keychain")
  func unopened() throws {
    let faults = KeychainFaults()
    faults.lock()
    let locked = FailingKeychain(offered, faults)
    let refused = ForwardedKeychain(to: { locked }, permissions: try permissions("deny far *"))
    try expect(refused.items(matching: .internet("a.example")).isEmpty)
    try expect(refused.items(matching: .all).isEmpty)
    #expect(throws: ForwardFault.refused.error) {
      try refused.add(.internet("c.example"), Credential(password: "x"))
    }
  }

  @Test("a locked keychain is locked for the host too, never empty")
  func locked() throws {
    let faults = KeychainFaults()
    faults.lock()
    let locked = FailingKeychain(offered, faults)
    let keychain = ForwardedKeychain(
      to: { locked }, permissions: try permissions("allow far https://a.example"))
    #expect(throws: ForwardFault.locked.error) { try keychain.items(matching: .internet("a.example")) }
  }

  @Test("a person is asked once for the best item, and not for what has no rule to be listed")
  func asking() throws {
    var asked: [ForwardingService.Question] = []
    let open = try permissions(mayAsk: true)
    let keychain = keychain(open) { question in
      asked.append(question)
      return Permissions(
        hosts: open.hosts, grants: [.init(question.item.key, question.right, isAllowed: true)], mayAsk: true)
    }
    try expect(keychain.answeredSecret(.internet("a.example")), is: "whole")
    expect(asked.map(\.item.key.place), is: ["https://a.example"])
    expect(asked.map(\.right), is: [.use])
  }

  @Test("what a person declines does not exist, and no second item is asked for in its place")
  func declining() throws {
    var count = 0
    let keychain = keychain(try permissions(mayAsk: true)) { _ in
      count += 1
      return nil
    }
    #expect(throws: ForwardFault.refused.error) { try keychain.items(matching: .internet("a.example")) }
    expect(count, is: 1)
  }

  @Test("nobody is asked about an item that has expired, or that there is none of")
  func nothingToAsk() throws {
    try offered.add(
      .internet("c.example", account: "alice"), .text("old", expiry: 1, refreshToken: "token"))
    let keychain = keychain(try permissions(mayAsk: true)) { question in
      Issue.record("\(question) is asked")
      return nil
    }
    try expect(keychain.answeredSecret(.internet("c.example")), is: nil)
    try expect(keychain.answeredSecret(.internet("d.example")), is: nil)
  }

  @Test("a host without the right changes nothing")
  func noChange() throws {
    let before = try offered.everything()
    let allowed = keychain(try permissions("allow far https://a.example"))
    let item = try #require(try allowed.items(matching: .internet("a.example")).first)
    for fault in [
      { try allowed.update(item, Credential(password: "x")) as Any }, { try allowed.delete([item]) },
      { try allowed.add(.internet("a.example", account: "bob"), Credential(password: "x")) },
      { try allowed.save(.internet("a.example", account: "bob"), Credential(password: "x")) },
      { try allowed.erase(.internet("a.example", account: "alice"), holding: Secret("whole")) },
    ] as [() throws -> Any] {
      #expect(throws: ForwardFault.refused.error) { _ = try fault() }
    }
    try expect(offered.everything(), is: before)
  }

  @Test("a host with the right changes only its own place, and moves nothing out of it or into it")
  func ownPlace() throws {
    let allowed = keychain(
      try permissions("allow far https://a.example/acme write", "allow far https://b.example"))
    let before = try offered.everything()
    var item = try #require(try allowed.items(matching: .internet("a.example", path: "acme")).first)
    item.key = Item.internet("b.example", account: "mallory").key
    #expect(throws: ForwardFault.refused.error) { try allowed.update(item) }
    var other = try #require(try allowed.items(matching: .internet("b.example")).first)
    other.key = Item.internet("a.example", account: "mallory", path: "acme").key
    #expect(throws: ForwardFault.refused.error) { try allowed.update(other) }
    try expect(offered.everything(), is: before)
    try expect(
      allowed.save(.internet("a.example", account: "alice", path: "acme"), Credential(password: "new")),
      is: .updated)
    try expect(offered.answeredSecret(.internet("a.example", path: "acme")), is: "new")
  }

  @Test(
    "what says how secrets are renewed stays here, whatever the rules", arguments: RenewalSetting.allCases)
  func renewalSettings(setting: RenewalSetting) throws {
    let service = setting.service(of: "https://a.example")
    let kept = try offered.add(.generic(service, account: "web"), "registration")
    let other = try offered.add(.generic("other"), "x")
    let before = try offered.everything()
    let asking = keychain(try permissions(mayAsk: true)) { question in
      Issue.record("\(question) is asked")
      return nil
    }
    for keychain in [keychain(.everything), asking] {
      try expect(keychain.items(matching: .generic(service)).isEmpty)
      try expect(!keychain.items(matching: .all).contains { $0.key == kept.key })
      #expect(throws: KeychainError.itemNotFound) { _ = try keychain.credential(of: kept) }
      #expect(throws: ForwardFault.refused.error) {
        try keychain.save(.generic(service, account: "web"), Credential(password: "x"))
      }
    }
    var moved = other
    moved.key = Item.generic(service, account: "another").key
    var movedAway = kept
    movedAway.key = Item.generic("away").key
    for change in [
      ItemChange(.add(.generic(service, account: "another"), keepsDates: false), Credential(password: "x")),
      ItemChange(.update(kept, kept), Credential(password: "x")), ItemChange(.update(kept, movedAway)),
      ItemChange(.update(other, moved)), ItemChange(.delete(kept)),
    ] { expect(fault(of: change, .everything), is: .refused) }
    try expect(offered.everything(), is: before)
  }

  @Test("a forged description of an item is believed by nobody")
  func forgedItem() throws {
    let permissions = try permissions("allow far https://a.example/acme write")
    let other = try #require(try offered.items(matching: .internet("b.example")).first)
    var forged = other
    forged.key = Item.internet("a.example", account: "alice", path: "acme").key
    let before = try offered.everything()
    for change in [
      ItemChange(.delete(forged)), ItemChange(.update(forged, forged), Credential(password: "x")),
    ] { expect(fault(of: change, permissions), is: .changed) }
    try expect(offered.everything(), is: before)
  }

  @Test("one change that isn't allowed stops all others of its request")
  func together() throws {
    let allowed = keychain(try permissions("allow far https://a.example write"))
    let before = try offered.everything()
    #expect(throws: ForwardFault.refused.error) {
      try allowed.exclusively { () throws(KeychainError) in
        try allowed.add(.internet("a.example", account: "new"), Credential(password: "x"))
        try allowed.add(.internet("b.example", account: "new"), Credential(password: "x"))
      }
    }
    try expect(offered.everything(), is: before)
  }

  @Test("what one-time codes are made of and hidden fields never leave, come in, and stay")
  func further() throws {
    let everything = keychain(.everything)
    let item = Item.internet("c.example", account: "alice")
    var credential = Credential.text("secret")
    credential.further.oneTimeCode = Secret("otpauth://totp/?secret=GEZDGNBV")
    credential.further.addField("PIN", Secret("1234"))
    try everything.save(item, credential)
    func further(_ keychain: any KeychainStore) throws -> Bool {
      let held = try #require(try keychain.items(matching: .all).first { $0.key == item.key })
      let credential = try keychain.credential(of: held)
      return credential.further.hasOneTimeCode && credential.further.hasFields
    }
    try expect(further(offered) && !further(everything))
    try everything.save(item, .text("another"))
    try expect(further(offered) && !further(everything))
  }

  @Test("a refresh token never leaves, comes in, and stays with its secret")
  func refreshTokens() throws {
    let everything = keychain(.everything)
    let item = Item.internet("c.example", account: "alice")
    try everything.save(item, .text("secret", refreshToken: "token"))
    try expect(
      everything.revealedAnswer(.internet("c.example"))?.credential, is: RevealedCredential("secret"))
    try expect(offered.revealedAnswer(.internet("c.example"))?.credential.refreshToken, is: "token")
    try everything.save(item, .text("secret", expiry: 4_000_000_000))
    try expect(offered.revealedAnswer(.internet("c.example"))?.credential.refreshToken, is: "token")
    try everything.save(item, .text("another"))
    try expect(offered.revealedAnswer(.internet("c.example"))?.credential.refreshToken, is: nil)
  }

  @Test(
    "what somebody else changes in the middle is seen, also if nothing seems to be left to do",
    arguments: [nil, "5"])
  func torn(first: String?) throws {
    let (mine, others) = (keychain(.everything), keychain(.everything))
    let item = Item.internet("n.example", account: "alice")
    func count(_ keychain: ForwardedKeychain) throws(KeychainError) -> Int {
      let found = try keychain.items(matching: .criteria(ItemCriteria(item.key)))
      guard let item = found.first else { return 0 }
      return Int(try keychain.secret(of: item).description) ?? 0
    }
    func save(_ number: Int, in keychain: ForwardedKeychain) throws(KeychainError) {
      try keychain.save(item, Credential(password: "\(number)"))
    }
    if let first { try others.save(item, Credential(password: first)) }
    var runs = 0
    try mine.exclusively { () throws(KeychainError) in
      runs += 1
      let number = try count(mine)
      if runs == 1 { try save(number + 1, in: others) }
      try save(number + 1, in: mine)
    }
    expect(runs, is: 2)
    try expect(count(others), is: first == nil ? 2 : 7)
  }

  @Test("what only fails because of that is tried again, also in a body within another")
  func tornWithin() throws {
    let (mine, others) = (keychain(.everything), keychain(.everything))
    let item = Item.internet("n.example", account: "alice")
    var runs = 0
    try mine.exclusively { () throws(KeychainError) in
      runs += 1
      try mine.exclusively { () throws(KeychainError) in
        let isThere = try !mine.items(matching: .criteria(ItemCriteria(item.key))).isEmpty
        if runs == 1 { try others.add(item, Credential(password: "1")) }
        if !isThere { try mine.add(item, Credential(password: "2")) }
      }
    }
    expect(runs, is: 2)
  }
}
