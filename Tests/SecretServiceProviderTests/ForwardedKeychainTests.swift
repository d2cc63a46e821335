import Bytes
import Expectations
import Forwarding
import Keychain
import KeychainTesting
import SecretService
import TestSupport
import Testing
import ToolCommands

@testable import SecretServiceProvider

@Suite("a keychain of another machine, served") struct ForwardedKeychainTests {
  private let offered = InMemoryKeychain()

  private func shown(_ user: ByteString) -> ItemTranslation.Shown {
    ItemTranslation.Shown(
      attributes: lookup(["protocol": "https", "server": "a.example", "user": user]), label: "x",
      contentType: ItemTranslation.plainText)
  }

  private func store(
    _ shown: ItemTranslation.Shown, _ text: String, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    try ClientChanges.store(
      shown, SharedSecret(Secret(text)), in: nil, replacing: nil, mayReplaceLogin: true, in: keychain)
  }

  @Test("a stored item has the reference that the other machine has given it")
  func reference() throws {
    let forwarded = ForwardedKeychain(to: { offered })
    let made = try store(shown("alice"), "one", in: forwarded)
    try expect(offered.items(matching: .all).map(\.reference), is: [made.reference])
    let changed = try ClientChanges.update(made, SharedSecret(Secret("two")), in: forwarded) { _ in }
    try expect(offered.items(matching: .all), is: [changed])
    let relabelled = try ClientChanges.update(changed, in: forwarded) { $0.label = "y" }
    try expect(offered.items(matching: .all), is: [relabelled])
    expect(relabelled.label, is: "y")
    // Another takes the place of it, as the same login.
    let again = try store(shown("alice"), "three", in: forwarded)
    expect(again.reference, is: made.reference)
  }

  @Test("a store is asked about as one question, which is about changing it")
  func asking() throws {
    var questions: [ForwardingRight] = []
    let permissions = Permissions(hosts: [[ForwardingRule(.ask, .socket("x"), .everywhere, mayChange: true)]])
    let forwarded = ForwardedKeychain(
      to: { offered }, permissions: permissions,
      asks: { question in
        questions.append(question.right)
        return permissions.adding([.init(question.item.key, question.right, isAllowed: true)])
      })
    _ = try store(shown("alice"), "one", in: forwarded)
    expect(questions, is: [.change])
    try expect(offered.answeredSecret(.internet("a.example")), is: "one")
  }

  @Test("a secret that came with its item is not kept for later")
  func held() throws {
    var isAllowed = true
    let item = try offered.add(.internet("a.example"), Credential(password: "one"))
    let forwarded = ForwardedKeychain(to: { isAllowed ? offered : InMemoryKeychain() })
    forwarded.holdsAnswers = false
    try expect(forwarded.items(matching: .internet("a.example")), is: [item])
    isAllowed = false
    #expect(throws: KeychainError.itemNotFound) { _ = try forwarded.credential(of: item) }
  }

  @Test("nor, by a program that asks at once, for longer than a few seconds")
  func heldForLong() throws {
    var time = 0
    try offered.add(.internet("a.example"), "one")
    let forwarded = ForwardedKeychain(to: { offered })
    forwarded.clock = { time }
    // The item as it is found before its secret is changed.
    func found(changingTo secret: String) throws -> Item {
      let item = try #require(try forwarded.items(matching: .internet("a.example")).first)
      try offered.update(item, Credential.text(secret))
      return item
    }
    let first = try found(changingTo: "two")
    time += 4_999
    try expect(forwarded.secret(of: first), is: "one")
    let second = try found(changingTo: "three")
    time += 5_000
    try expect(forwarded.secret(of: second), is: "three")
  }

  @Test(
    "what another machine doesn't do has its own names on the bus",
    arguments: [
      (.answered(.refused), "org.freedesktop.DBus.Error.AccessDenied"),
      (.answered(.locked), "org.freedesktop.Secret.Error.IsLocked"),
      (.noSocket, "org.freedesktop.DBus.Error.NoServer"),
      (.ended(path: "/x"), "org.freedesktop.DBus.Error.NoServer"),
      (.noAnswer(path: "/x", milliseconds: 1), "org.freedesktop.DBus.Error.TimedOut"),
      (.answered(.undecided), "org.freedesktop.DBus.Error.TimedOut"),
      (.answered(.busy), "org.freedesktop.DBus.Error.LimitsExceeded"),
      (.answered(.changed), "org.freedesktop.DBus.Error.Failed"),
    ] as [(ForwardingFault, String)])
  func names(_ fault: ForwardingFault, _ name: String) {
    for error in [
      ServiceError(.forwarding(fault)),
      ServiceError(unusable: .forwarding(fault)),
    ] {
      expect(error.told.name, is: name)
      expect(error.told.text, is: KeychainError.forwarding(fault).message)
    }
  }

  @Test("what is no login is not supported where a rule doesn't allow it, and other errors stay")
  func others() {
    let refused = ServiceError(.forwarding(.answered(.refused)))
    expect(refused.ofOther(if: true).told.name, is: "org.freedesktop.DBus.Error.NotSupported")
    expect(refused.ofOther(if: false).told.name, is: refused.told.name)
    expect(ServiceError.accessDenied("x").ofOther(if: true).told.text, is: "x")
  }

  @Test("a look doesn't undo what was changed since it began, and keeps what it can't see")
  func looks() throws {
    var holdings = Holdings()
    func item(_ account: ByteString) throws -> Item {
      try offered.add(.internet("a.example", account: account), Credential(password: "x"))
    }
    let (old, deleted, stored, once, gone) = (
      try item("old"), try item("deleted"), try item("stored"), try item("once"), try item("gone")
    )
    let paths = [old, deleted, stored, once, gone].compactMap { holdings.put($0) }
    holdings.remove(paths[1])
    let differences = holdings.take(
      [old, deleted], leaving: [paths[1], paths[2]], keeping: [paths[3]])
    expect(Set(holdings.items.keys), is: [paths[0], paths[2], paths[3]])
    expect(differences.made.isEmpty)
    expect(differences.gone.map(\.path), is: [paths[4]])
  }

  @Test("a call is answered once, and its caller may be gone")
  func calls() {
    let call = HeldCalls.Ticket()
    expect(!call.isOver)
    expect(call.take())
    expect(!call.take())
    expect(call.hasCaller)
    call.leave()
    expect(!call.hasCaller)
  }

  @Test("a search for a login is a question, and no other search")
  func questions() throws {
    try expect(
      ItemTranslation.question(lookup(["protocol": "https", "server": "a.example"])),
      is: .internet("a.example")
    )
    expect(ItemTranslation.question(lookup(["service": "x", "username": "u"])) != nil)
    for attributes in [[:], ["application": "chrome"], ["server": "a.example"]] as [[ByteString: ByteString]]
    {
      expect(ItemTranslation.question(lookup(attributes)), is: nil)
    }
  }
}
