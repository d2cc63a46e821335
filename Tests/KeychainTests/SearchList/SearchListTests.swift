import Bytes
import Expectations
import Keychain
import KeychainTesting
import TestSupport
import Testing

/// A list of a person's own keychain, another one of hers, and one that a team uses.
private final class Keychains {
  let own: InMemoryKeychain
  let old: InMemoryKeychain
  let team: InMemoryKeychain
  let hiding = HidingInMemory()
  let faults: [String: KeychainFaults]
  private(set) var opened: [String] = []
  private(set) var passedOver: [String] = []
  let clock = SettableClock()

  init() {
    own = InMemoryKeychain(clock: clock.read)
    old = InMemoryKeychain(clock: clock.read)
    team = InMemoryKeychain(clock: clock.read)
    faults = ["own": KeychainFaults(), "old": KeychainFaults(), "team": KeychainFaults()]
  }

  private func store(_ name: String) -> any KeychainStore {
    opened.append(name)
    let store = ["own": own, "old": old, "team": team][name] ?? own
    return FailingKeychain(store, faults[name] ?? KeychainFaults())
  }

  func list(_ names: [String] = ["own", "old", "team"], newItemsIn home: String = "own") -> KeychainSearchList
  {
    KeychainSearchList(
      names.map { name in
        KeychainSearchList.Member(name, isShared: name == "team") { self.store(name) }
      }, newItemsIn: home, hiding: hiding, onUnusable: { name, _ in self.passedOver.append(name) })
  }

  func breakDown(_ name: String) {
    faults[name]?.fail([.reading], with: .damaged(path: name, detail: "test"))
  }
}

private let broken = KeychainError.damaged(path: "team", detail: "test")

@Suite("a search list") struct SearchListTests {
  private let keychains = Keychains()
  private let query: ItemQuery
  private let login = Item.internet(account: "alice")

  init() throws { query = try .internet() }

  @Test("the first keychain that has an answer gives it, however new and however good the others' are")
  func firstAnswers() throws {
    let list = keychains.list()
    try keychains.team.add(.internet(account: "bot", path: nil), .text("team"))
    try expect(list.answeredSecret(query), is: "team")
    keychains.clock.advance(seconds: 60)
    try keychains.old.add(login, .text("old"))
    try expect(list.answeredSecret(query), is: "old")
    try keychains.own.add(login, .text("own"))
    keychains.clock.advance(seconds: 60)
    try keychains.team.add(login, .text("newer"))
    try expect(list.answeredSecret(query), is: "own")
    try expect(keychains.list(["team", "own"]).answeredSecret(query), is: "newer")
    try expect(list.find(query).map(\.keychain), is: ["own", "old", "team", "team"])
  }

  @Test("to change items needs only the keychains that have them, and to add one only the default")
  func parts() throws {
    try keychains.old.add(login, .text("old"))
    let item = try #require(try keychains.list().find(query).first)
    let isBefore = keychains.opened.count
    let part = keychains.list().part(with: [item])
    let changed = try part.exclusively { () throws(KeychainError) in
      _ = try part.items(matching: .all)
      return try part.update(item, .text("new"))
    }
    expect(changed.reference == item.reference && changed.keychain == "old")
    expect(keychains.opened.dropFirst(isBefore), is: ["old"])
    try expect(keychains.old.answeredSecret(query), is: "new")
    // If that fails, nothing has changed there.
    #expect(throws: KeychainError.itemNotFound) {
      try part.exclusively { () throws(KeychainError) in
        try part.update(item, .text("never"))
        throw .itemNotFound
      }
    }
    try expect(keychains.old.answeredSecret(query), is: "new")
    let home = keychains.list().part(with: [])
    try home.add(login, .text("own"))
    expect(keychains.opened.dropFirst(isBefore), is: ["old", "own"])
    try expect(keychains.list().find(query).map(\.keychain), is: ["own", "old"])
    // Items of two keychains that aren't the default.
    let bot = try keychains.team.add(.internet(account: "bot"), .text("team"))
    expect(bot.reference != nil)
    let found = try keychains.list().find(query).filter { $0.keychain != "own" }
    let both = keychains.list().part(with: found)
    try expect(both.exclusively { () throws(KeychainError) in try both.items(matching: .all).count }, is: 2)
  }

  @Test("what was deleted is looked for where it would be deleted, and where that can't be it is said")
  func whereDeleted() throws {
    func found(_ list: KeychainSearchList) throws -> [String?] {
      try list.collectWhereDeleted { (keychain, outward) throws(KeychainError) in
        try keychain.items(matching: .all).map { outward($0).keychain }
      }
    }
    for keychain in [keychains.old, keychains.team] { try keychain.add(login, .text("x")) }
    try expect(found(keychains.list()), is: ["old"])
    try expect(found(keychains.list(newItemsIn: "team")), is: ["old", "team"])
    keychains.breakDown("own")
    try expect(found(keychains.list()), is: ["old"])
    expect(keychains.passedOver, is: ["own"])
    keychains.breakDown("old")
    #expect(throws: KeychainError.damaged(path: "own", detail: "test")) { try found(keychains.list()) }
  }

  @Test("that a keychain was passed over is known afterwards")
  func passedOver() throws {
    let list = keychains.list()
    try keychains.own.add(login, .text("own"))
    try expect(list.items(matching: .all).count, is: 1)
    expect(list.passedOver, is: nil)
    try list.refusePassingOver()
    keychains.breakDown("team")
    try expect(list.items(matching: .all).count, is: 1)
    expect(list.passedOver, is: broken)
    #expect(throws: broken) { try list.refusePassingOver() }
  }

  @Test("no keychain is opened before it is needed, and none twice")
  func opening() throws {
    let list = keychains.list()
    try keychains.own.add(login, .text("own"))
    _ = try list.answer(to: query)
    _ = try list.answer(to: query)
    expect(keychains.opened, is: ["own"])
    _ = try list.items(matching: .all)
    _ = try list.items(matching: .all)
    expect(keychains.opened, is: ["own", "old", "team"])
  }

  @Test("an expired answer gives way to that of a later keychain, and a renewal does only then")
  func expired() throws {
    let list = keychains.list()
    try keychains.own.add(
      login, .text("old", expiry: 1, refreshToken: "refresh"))
    switch try list.answerOrRenewal(to: query) {
    case .renewal(let renewal): expect(renewal.item.keychain, is: "own")
    default: Issue.record("there is a renewal")
    }
    try keychains.team.add(login, .text("team"))
    try expect(list.answeredSecret(query), is: "team")
  }

  @Test("what was refused is erased only where it came from, if that is known")
  func erasingTheAnswer() throws {
    let list = keychains.list()
    for store in [keychains.own, keychains.team] { try store.add(login, .text("refused")) }
    let shared = try #require(try list.find(query).last)
    try expect(list.erase(query, holding: Secret("refused"), answered: shared.reference), is: 1)
    try expect(keychains.own.items(matching: .all).count, is: 1)
    try expect(list.find(query).map(\.isHidden), is: [false, true])
  }

  @Test("a hidden item answers again once it has changed, or a server has accepted it")
  func revealing() throws {
    let list = keychains.list()
    let item = try keychains.team.add(login, .text("refused"))
    _ = try list.erase(query, holding: Secret("refused"))
    try expect(list.answeredSecret(query), is: nil)
    try expect(list.explain(query).candidates.map(\.verdict), is: [.passedOver(.hidden)])
    try expect(list.save(login, .text("refused")), is: .unchanged)
    try expect(list.answeredSecret(query), is: "refused")
    _ = try list.erase(query, holding: Secret("refused"))
    keychains.clock.advance(seconds: 1)
    try keychains.team.update(item, .text("changed"))
    try expect(list.answeredSecret(query), is: "changed")
    try expect(list.items(matching: .all).map(\.isHidden), is: [false])
  }

  @Test("a keychain that others use keeps what a server refuses here, also where it is the only one")
  func sharedAlone() throws {
    let list = keychains.list(["team"], newItemsIn: "team")
    try keychains.team.add(login, .text("secret"))
    try expect(list.erase(query, holding: Secret("secret")), is: 1)
    try expect(keychains.team.items(matching: .all).count, is: 1)
    try expect(list.answeredSecret(query), is: nil)
    // The server has accepted it.
    try expect(list.save(login, .text("secret")), is: .unchanged)
    try expect(list.answeredSecret(query), is: "secret")
  }

  @Test("a tool that logs out deletes one's own items and hides the others'")
  func discarding() throws {
    let list = keychains.list()
    for store in [keychains.own, keychains.old, keychains.team] { try store.add(login, .text("secret")) }
    try expect(list.discard(try list.find(query)), is: 3)
    try expect(keychains.own.items(matching: .all).isEmpty && keychains.old.items(matching: .all).isEmpty)
    try expect(keychains.team.items(matching: .all).count, is: 1)
    try expect(list.find(query).map(\.isHidden), is: [true])
  }

  @Test("an item that others use is changed and deleted only where its keychain is named")
  func sharedItems() throws {
    let list = keychains.list()
    try keychains.team.add(login, .text("team"))
    try keychains.own.add(.internet(account: "bob"), .text("own"))
    let items = try list.items(matching: .all)
    var shared = try #require(items.last)
    #expect(throws: KeychainError.sharedItem(keychain: "team")) { try list.delete(items) }
    shared.label = "changed"
    #expect(throws: KeychainError.sharedItem(keychain: "team")) { try list.update(shared) }
    #expect(throws: KeychainError.sharedItem(keychain: "team")) { try list.update(shared, .text("x")) }
    try expect(list.items(matching: .all), is: items)
    let named = keychains.list(["team"], newItemsIn: "team")
    let own = try #require(try named.items(matching: .all).first)
    try expect(named.delete([own]), is: 1)
  }

  @Test("items are changed and deleted in the keychain where they are")
  func changing() throws {
    let list = keychains.list()
    try keychains.old.add(login, .text("old"))
    var item = try #require(try list.items(matching: .all).first)
    item.label = "changed"
    let changed = try list.update(item, .text("new"))
    expect(changed.keychain == "old" && changed.label == "changed")
    try expect(keychains.old.answeredSecret(query), is: "new")
    try expect(list.delete([changed]), is: 1)
    try expect(keychains.old.items(matching: .all).isEmpty)
    #expect(throws: KeychainError.itemNotFound) { try list.update(changed) }
  }

  @Test("a broken keychain is passed over and said once, if another one answers")
  func brokenIsSaid() throws {
    try keychains.old.add(login, .text("old"))
    let list = keychains.list(["team", "own", "old"])
    keychains.breakDown("team")
    try expect(list.answeredSecret(query), is: "old")
    try expect(list.answeredSecret(query), is: "old")
    try expect(list.items(matching: .all).count, is: 1)
    try expect(list.explain(query).winner?.keychain, is: "old")
    expect(keychains.passedOver, is: ["team"])
  }

  @Test("a broken keychain after the one that answers isn't even looked at")
  func brokenLater() throws {
    try keychains.own.add(login, .text("own"))
    keychains.breakDown("team")
    try expect(keychains.list().answeredSecret(query), is: "own")
    try expect(keychains.list().first(among: .all) { $0.first }?.keychain, is: "own")
    expect(keychains.passedOver.isEmpty)
    #expect(throws: broken) { try keychains.list().first(among: .all) { _ in Item?.none } }
  }

  @Test("if no other keychain has an answer, a broken one is an error, and not an empty one")
  func brokenIsNotEmpty() throws {
    let list = keychains.list()
    keychains.breakDown("team")
    #expect(throws: broken) { try list.answeredSecret(query) }
    #expect(throws: broken) { try list.find(query) }
    #expect(throws: broken) { try list.items(matching: .all) }
    #expect(throws: broken) { try list.explain(query) }
    #expect(throws: broken) { try list.erase(query) }
    // The error itself says it.
    expect(keychains.passedOver.isEmpty)
  }

  @Test("a broken default keychain takes no new item, and others still answer")
  func brokenDefault() throws {
    try keychains.old.add(login, .text("old"))
    let list = keychains.list()
    keychains.faults["own"]?.fail([.reading, .adding], with: broken)
    try expect(list.answeredSecret(query), is: "old")
    #expect(throws: broken) { try list.save(.internet(account: "bob"), .text("x")) }
    #expect(throws: broken) { try list.add(.internet(account: "bob"), .text("x")) }
    // What was deleted elsewhere stays deleted, and the caller learns that it isn't all.
    #expect(throws: broken) { try list.erase(query, holding: Secret("old")) }
    try expect(keychains.old.items(matching: .all).isEmpty)
  }

  @Test("each item's reference leads to it, also where a keychain's own look like those of a list")
  func references() throws {
    try keychains.own.add(login, .text("own"))
    try keychains.team.add(login, .text("team"))
    let inner = keychains.list(["own", "team"])
    let outer = KeychainSearchList(
      [.init("team") { inner }, .init("own") { self.keychains.old }], newItemsIn: "team")
    try keychains.old.add(login, .text("old"))
    let found = try outer.find(query)
    expect(Set(found.compactMap(\.reference)).count, is: 3)
    for (item, text) in zip(found, ["own", "team", "old"]) {
      try expect(outer.secret(of: item).description, is: text)
    }
  }

  @Test("references of the default keychain are its own")
  func ownReferences() throws {
    let item = try keychains.own.add(login, .text("own"))
    try expect(keychains.list().find(query).first?.reference, is: item.reference)
    try expect(keychains.list().add(.internet(account: "bob"), .text("x")).reference?.bytes, is: "2")
  }

  @Test("a token that can be renewed is marked as expired, also where others use it")
  func refusing() throws {
    let list = keychains.list()
    try keychains.team.add(
      login, .text("token", expiry: 4_000_000_000, refreshToken: "refresh"))
    let now = Timestamp(seconds: keychains.clock.now.seconds + 3600)
    try expect(list.erase(query, holding: Secret("token"), at: now), is: 1)
    let item = try #require(try keychains.team.items(matching: .all).first)
    try expect(keychains.team.credential(of: item).expiry, is: now.seconds)
    try expect(list.find(query).map(\.isHidden), is: [false])
  }

  @Test("explains every keychain's items, those of the first one first")
  func explaining() throws {
    let list = keychains.list()
    try keychains.old.add(login, .text("old"))
    try keychains.team.add(login, .text("team"))
    try keychains.own.add(.internet(account: "x", path: "a/b"), .text("x"))
    let explanation = try list.explain(query)
    expect(explanation.candidates.first?.item.keychain, is: "own")
    let others = try list.explain(.internet(account: "alice"))
    expect(others.winner?.keychain, is: "old")
    expect(others.candidates.map(\.verdict).prefix(2), is: [.answers, .ranksLower(.keychain)])
  }
}
