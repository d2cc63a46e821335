import Expectations
import Interchange
import Keychain
import KeychainTesting
import Testing

@testable import Commands

@Suite("bringing logins into a keychain")
struct TransferTests {
  private let keychain = InMemoryKeychain()

  @Test("what is new is added, and the same once more changes nothing")
  func adds() throws {
    let logins = [login("a.example", "alice", "1"), login("b.example", "bob", "2")]
    try expect(run(logins), is: [.added, .added])
    try expect(run(logins), is: [.unchanged, .unchanged])
    try expect(secret("a.example"), is: "1")
  }

  @Test("another secret stays unless it is to be replaced")
  func conflicts() throws {
    _ = try run([login("a.example", "alice", "old")])
    let logins = [login("a.example", "alice", "new")]
    try expect(run(logins), is: [.kept])
    try expect(secret("a.example"), is: "old")
    try expect(run(logins, replacing: [0]), is: [.replaced])
    try expect(secret("a.example"), is: "new")
  }

  @Test("of two logins for one item the first comes, and the other is told")
  func repeated() throws {
    let logins = [
      login("a.example", "alice", "1"), login("A.example", "alice", "2"), login("a.example", "alice", "1"),
    ]
    try expect(run(logins), is: [.added, .repeated, .unchanged])
    try expect(secret("a.example"), is: "1")
  }

  @Test("a login that is named twice has the outcome of the first")
  func repeatedConflict() throws {
    _ = try run([login("a.example", "alice", "old")])
    let logins = [login("a.example", "alice", "new"), login("a.example", "alice", "new")]
    try expect(run(logins), is: [.kept, .kept])
    try expect(run(logins, replacing: [0]), is: [.replaced, .unchanged])
    try expect(run(logins), is: [.unchanged, .unchanged])
  }

  @Test("a date to come is none, so that what is changed later answers")
  func datesToCome() throws {
    var item = login("a.example", "alice", "1").item
    item.creationDate = Timestamp(seconds: 250_000_000_000)
    item.modificationDate = item.creationDate
    try expect(run([FoundLogin(item, Credential(password: "1"), at: .line(1))]), is: [.added])
    let held = try #require(try keychain.items(matching: .all).first)
    for date in [held.creationDate, held.modificationDate] { try expect(#require(date) <= .now) }
  }

  @Test("what no keychain takes is left out, and the others come")
  func unusable() throws {
    let logins = [
      login("a.example", "line\nbreak", "1"),
      login("b.example", "bob", String(repeating: "x", count: ItemBounds.secret + 1)),
      login("c.example", "carol", "3"),
    ]
    try expect(run(logins), is: [.unusable, .unusable, .added])
    try expect(keychain.items(matching: .all).count, is: 1)
  }

  @Test("the account that is first at the source answers")
  func order() throws {
    let logins = ["one", "two", "three"].map { login("a.example", $0, $0) }
    _ = try run(logins)
    try expect(secret("a.example"), is: "one")
  }

  @Test(
    "the account that is first at the source answers before what comes later, even if it was there already",
    arguments: ["a.example", "A.Example"])
  func orderOfWhatIsThere(server: String) throws {
    let former = [login("a.example", "one", "one", modified: Timestamp(seconds: 1_700_000_000))]
    _ = try run(former)
    let logins = ["one", "two", "three"].map { login(server, $0, $0) } + [login("b.example", "two", "b")]
    try expect(run(logins), is: [.unchanged, .added, .added, .added])
    try expect(secret("a.example"), is: "one")
    // What comes after another of its place stays behind it.
    let other = TransferTests()
    _ = try other.run(former)
    try expect(
      other.run([login(server, "four", "four"), login(server, "one", "one")]), is: [.added, .unchanged])
    try expect(other.secret("a.example"), is: "four")
  }

  @Test("dates come along, and equal ones keep the source's order")
  func dates() throws {
    let date = Timestamp(seconds: 1_700_000_000)
    let logins = ["one", "two"].map { login("a.example", $0, $0, modified: date) }
    _ = try run(logins)
    let items = try keychain.items(matching: .all)
    expect(items.first { $0.key.account == "one" }?.modificationDate, is: date)
    try expect(secret("a.example"), is: "one")
  }

  @Test("a label alone is a difference only where notes count, and is taken where there is none")
  func notes() throws {
    _ = try run([login("a.example", "alice", "1")])
    var titled = login("a.example", "alice", "1", label: "mine").item
    titled.address = "https://a.example/login"
    try expect(run([FoundLogin(titled, Credential(password: "1"), at: .line(1))]), is: [.completed])
    try expect(keychain.items(matching: .all).first?.label, is: "mine")
    try expect(keychain.items(matching: .all).first?.address, is: "https://a.example/login")
    let logins = [login("a.example", "alice", "1", label: "work")]
    try expect(run(logins), is: [.unchanged])
    try expect(run(logins, comparesNotes: true), is: [.kept])
    try expect(run(logins, replacing: [0], comparesNotes: true), is: [.replaced])
    try expect(keychain.items(matching: .all).first?.label, is: "work")
  }

  @Test("fields that a source doesn't say stay, whether it replaces the secret or adds fields")
  func fieldsThatStay() throws {
    func found(_ secret: String, _ hidden: [(ByteString, String)], _ shown: [(ByteString, ByteString)])
      -> FoundLogin
    {
      var item = login("a.example", "alice", secret).item
      for (name, value) in shown { item.addField(name, value) }
      var credential = Credential(password: secret)
      for (name, value) in hidden { credential.further.addField(name, Secret(value)) }
      return FoundLogin(item, credential, at: .line(1))
    }
    func held() throws -> [String] {
      let item = try #require(try keychain.items(matching: .all).first)
      var fields = item.fields.map { "\($0.name)=\($0.value)" }
      try keychain.credential(of: item).further.forEachField {
        fields.append("\($0)=\(String(decoding: $1, as: UTF8.self))")
      }
      return fields
    }
    _ = try run([found("old", [("PIN", "1"), ("PUK", "2")], [("Door", "back"), ("Floor", "3")])])
    let newer = [found("new", [("PUK", "3"), ("Key", "4")], [("Door", "front"), ("Room", "5")])]
    try expect(run(newer), is: [.kept])
    try expect(run(newer, replacing: [0]), is: [.replaced])
    try expect(held(), is: ["Door=front", "Floor=3", "Room=5", "PIN=1", "PUK=3", "Key=4"])
    try expect(run(newer), is: [.unchanged])
    try expect(run(newer, comparesNotes: true), is: [.unchanged])
    let more = [found("new", [("CVC", "6")], [("Hall", "7")])]
    try expect(run(more), is: [.completed])
    try expect(run(more, comparesNotes: true), is: [.unchanged])
    let other = [found("other", [("PIN", "8")], [("Door", "roof")])]
    try expect(run(other, replacing: [0], comparesNotes: true), is: [.replaced])
    try expect(
      held(),
      is: [
        "Door=roof", "Floor=3", "Room=5", "Hall=7", "PIN=8", "PUK=3", "Key=4", "CVC=6",
      ])
  }

  @Test("what only Keychain Services can name comes along, with every attribute")
  func programsItems() throws {
    var noProtocol = Item(InternetPassword(protocol: "", server: "a.example", account: "alice"))
    noProtocol.generic = ByteString([0, 0xff])
    let certificate = Item(
      .cryptographic(CryptographicItem(.certificate, ["slnr": "1"], accessGroup: "team")))
    let logins = [noProtocol, certificate].map { FoundLogin($0, Credential(password: "1"), at: .line(1)) }
    try expect(run(logins), is: [.added, .added])
    try expect(run(logins, comparesNotes: true), is: [.unchanged, .unchanged])
    let found = try keychain.items(matching: .all)
    expect(Set(found.map(\.key)), is: [noProtocol.key, certificate.key])
    noProtocol.furtherAttributes = ["invi": "1"]
    let changed = [FoundLogin(noProtocol, Credential(password: "1"), at: .line(1))]
    try expect(run(changed, replacing: [0], comparesNotes: true), is: [.replaced])
    let after = try #require(try keychain.items(matching: .criteria(ItemCriteria(noProtocol.key))).first)
    expect(after.furtherAttributes, is: ["invi": "1"])
  }

  @Test("where the keychain fails in the middle, it is known what has come")
  func failure() throws {
    let faults = KeychainFaults()
    let keychain = FailingKeychain(InMemoryKeychain(), faults)
    let logins = (0..<5).map { login("host\($0).example", "user", "x") }
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: false)
    let result = Transfer(plan: plan, replacing: []).run(in: keychain, batch: 2) { done, _ in
      if done == 2 { faults.fail([.adding], with: .locked(path: "in memory")) }
    }
    expect(result.failure, is: .locked(path: "in memory"))
    // The last of the source come first.
    expect(result.outcomes, is: [.unconfirmed, .unconfirmed, .unconfirmed, .added, .added])
    try expect(keychain.items(matching: .all).count, is: 2)
  }

  @Test(
    "where a service fails, notes that it didn't take are not said to be replaced", arguments: [false, true])
  func failureOfNotes(arrives: Bool) throws {
    let keychain = FailingDesktop()
    _ = try keychain.add(login("a.example", "alice", "1", label: "mine").item, Credential(password: "1"))
    let logins = [login("a.example", "alice", "1", label: "theirs")]
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: true)
    keychain.arrives = arrives
    let result = Transfer(plan: plan, replacing: [0]).run(in: keychain, batch: 50) { _, _ in }
    expect(result.failure, is: .noAnswer(call: "CreateItem", milliseconds: 1))
    expect(result.outcomes, is: [arrives ? .replaced : .unconfirmed])
  }

  @Test("what was added meanwhile with the same secret is there already")
  func sameMeanwhile() throws {
    let logins = [login("a.example", "alice", "1")]
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: false)
    _ = try run(logins)
    let result = Transfer(plan: plan, replacing: []).run(in: keychain, batch: .max) { _, _ in }
    expect(result.outcomes, is: [.unchanged])
  }

  @Test("what was added meanwhile is kept, and what was deleted meanwhile comes back")
  func meanwhile() throws {
    _ = try run([login("b.example", "bob", "old")])
    let plan = try TransferPlan(
      [login("a.example", "alice", "new"), login("b.example", "bob", "new")], in: keychain,
      comparesNotes: false)
    _ = try run([login("a.example", "alice", "mine")])
    try keychain.delete(try keychain.items(matching: .all).filter { $0.key.account == "bob" })
    let result = Transfer(plan: plan, replacing: [1]).run(in: keychain, batch: .max) { _, _ in }
    expect(result.outcomes, is: [.overtaken, .added])
    try expect(secret("a.example"), is: "mine")
    try expect(secret("b.example"), is: "new")
  }

  @Test("what was changed meanwhile stays, whether it was to be replaced or to be completed")
  func changedMeanwhile() throws {
    _ = try run([login("a.example", "alice", "old"), login("b.example", "bob", "same")])
    var known = login("b.example", "bob", "same").item
    known.secretService.lookup = lookup(["server": "b.example"])
    let plan = try TransferPlan(
      [login("a.example", "alice", "new"), FoundLogin(known, Credential(password: "same"), at: .line(2))],
      in: keychain, comparesNotes: false)
    let transfer = Transfer(plan: plan, replacing: [0])
    expect(transfer.foreseen, is: [.replaced, .completed])
    for var item in try keychain.items(matching: .all) {
      item.comment = "theirs"
      try keychain.update(item, Credential(password: "newer"))
    }
    let result = transfer.run(in: keychain, batch: .max) { _, _ in }
    expect(result.outcomes, is: [.overtaken, .overtaken])
    try expect(secret("a.example"), is: "newer")
    try expect(secret("b.example"), is: "newer")
    try expect(keychain.items(matching: .all).allSatisfy { $0.comment == "theirs" })
  }

  @Test("what can't be read back is noticed")
  func readBack() throws {
    let plan = try TransferPlan(
      [login("a.example", "alice", "1"), login("b.example", "bob", "2"), login("c.example", "carol", "3")],
      in: keychain, comparesNotes: false)
    let transfer = Transfer(plan: plan, replacing: [])
    let outcomes = transfer.run(in: keychain, batch: 1) { _, _ in }.outcomes
    try expect(transfer.missing(outcomes, in: keychain) { _, _ in }, is: [])
    let items = try keychain.items(matching: .all)
    try keychain.delete(items.filter { $0.key.account == "alice" })
    let carols = try #require(items.first { $0.key.account == "carol" })
    try keychain.update(carols, Credential(password: "other"))
    try expect(transfer.missing(outcomes, in: keychain) { _, _ in }, is: [0, 2])
  }

  @Test("items that are no logins are known by what they are, whatever their name, and none comes twice")
  func otherItems() throws {
    let all = [
      other("1", [:], "", "a"), other("2", [:], "", "b"), other("3", [:], "L", "a"),
      other("4", ["n": "v"], "L", "a"),
      other("5", ["n": "v"], "L", "a"), other("6", ["n": "v"], "L", "b"),
      other("7", ["n": "v"], "L", "a", in: "c"),
    ]
    try expect(run(all, comparesNotes: true), is: all.map { _ in .added })
    try expect(keychain.items(matching: .all).count, is: 7)
    // Another keychain has other names, and makes up a schema.
    let again = [
      other("g", ["n": "v"], "L", "a", in: "c"), other("f", ["n": "v"], "L", "b"),
      other("e", ["n": "v"], "L", "a"),
      other("d", ["n": "v", "xdg:schema": "org.freedesktop.Secret.Generic"], "L", "a"),
      other("c", [:], "L", "a"),
      other("b", [:], "", "b"), other("a", [:], "", "a"),
    ]
    try expect(run(again, comparesNotes: true), is: again.map { _ in .unchanged })
    // A secret or a label that is another one is a difference; other attributes are another item.
    try expect(run([other("a", ["n": "v"], "L", "c", in: "c")], comparesNotes: true), is: [.kept])
    try expect(run([other("a", [:], "new", "b")], comparesNotes: true), is: [.kept])
    let more = [
      other("a", ["n": "v", "m": "w"], "L", "a"), other("b", [:], "", "c"), other("c", [:], "M", "z"),
    ]
    try expect(run(more, comparesNotes: true), is: [.added, .added, .added])
    try expect(run([other("x", ["n": "v"], "L", "d", in: "c")], replacing: [0]), is: [.replaced])
    try expect(keychain.items(matching: .all).count, is: 10)
  }

  @Test("an item that is no login has changed if its name and one thing more are the same, or is another one")
  func otherItemOfTheName() throws {
    _ = try run([other("1", ["n": "v"], "L", "a")])
    let changed = [other("1", ["n": "w"], "L", "b")]
    try expect(run(changed), is: [.kept])
    try expect(run(changed, replacing: [0]), is: [.replaced])
    let renamed = [other("1", ["n": "w"], "M", "c")]
    try expect(run(renamed, replacing: [0]), is: [.replaced])
    let item = try #require(try keychain.items(matching: .all).first)
    expect(item.secretService.lookup == renamed[0].item.secretService.lookup && item.label == "M")
    let another = [other("1", ["n": "x"], "N", "d")]
    try expect(run(another), is: [.added])
    try expect(run(another), is: [.unchanged])
    try expect(keychain.items(matching: .all).map(\.key.secretServiceItem?.name), is: ["1-2", "1"])
  }

  @Test("a login learns by which attributes programs find it, and keeps what a person has noted")
  func completed() throws {
    _ = try run([login("a.example", "alice", "1"), login("b.example", "bob", "1", label: "mine")])
    func found(_ server: ByteString, _ account: ByteString) -> FoundLogin {
      var item = Item(InternetPassword(protocol: "https", server: server, account: account))
      item.label = "theirs"
      item.secretService.lookup = lookup(["server": server, "more": "1"])
      return FoundLogin(item, Credential(password: "1"), at: .line(1))
    }
    let logins = [found("a.example", "alice"), found("b.example", "bob")]
    try expect(run(logins, comparesNotes: true), is: [.completed, .kept])
    try expect(run(logins, comparesNotes: true), is: [.unchanged, .kept])
    let items = try keychain.items(matching: .all)
    expect(
      items.first { $0.key.account == "alice" }?.secretService.lookup,
      is: lookup(["server": "a.example", "more": "1"]))
    expect(items.first { $0.key.account == "bob" }?.label, is: "mine")
  }

  @Test("collections come once, and there is one default collection")
  func collections() throws {
    func collection(_ name: ByteString, isDefault: Bool = false) -> FoundLogin {
      FoundLogin(
        Item(.secretService(SecretServiceItem(.collection, name: name)), label: "L", isDefault: isDefault),
        Credential(password: ""), at: .line(1))
    }
    try expect(run([collection("a", isDefault: true), collection("b")]), is: [.added, .added])
    try expect(run([collection("a"), collection("c", isDefault: true)]), is: [.unchanged, .added])
    let defaults = try keychain.items(matching: .all).filter(\.isDefault)
    expect(defaults.map(\.key), is: [.secretService(SecretServiceItem(.collection, name: "a"))])
  }

  private func other(
    _ name: ByteString, _ attributes: [ByteString: ByteString], _ label: ByteString, _ secret: String,
    in collection: ByteString? = nil
  ) -> FoundLogin {
    var item = Item(
      .secretService(SecretServiceItem(.item, name: name)), label: label.isEmpty ? nil : label)
    item.secretService = SecretServiceAttributes(collection: collection, lookup: lookup(attributes))
    return FoundLogin(item, Credential(password: secret), at: .entry(name))
  }

  private func lookup(_ attributes: [ByteString: ByteString]) -> LookupAttributes {
    var lookup = LookupAttributes()
    for (name, value) in attributes { lookup[name] = value }
    return lookup
  }

  @Test("progress ends at the total")
  func progress() throws {
    let logins = (0..<250).map { login("host\($0).example", "user", "x") }
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: false)
    var shown: [Int] = []
    _ = Transfer(plan: plan, replacing: []).run(in: keychain, batch: 50) { done, total in
      expect(total, is: 250)
      shown.append(done)
    }
    expect(shown.last, is: 250)
    expect(shown, is: shown.sorted())
  }

  private func login(
    _ server: String, _ account: String, _ secret: String, label: ByteString? = nil,
    modified: Timestamp? = nil
  ) -> FoundLogin {
    var item = Item(
      InternetPassword(protocol: "https", server: ByteString(server), account: ByteString(account)))
    item.label = label
    item.modificationDate = modified
    return FoundLogin(item, Credential(password: secret), at: .line(1))
  }

  private func run(
    _ logins: [FoundLogin], replacing: Set<Int> = [], comparesNotes: Bool = false
  ) throws -> [Transfer.Outcome] {
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: comparesNotes)
    let result = Transfer(plan: plan, replacing: replacing).run(in: keychain, batch: .max) { _, _ in }
    if let failure = result.failure { throw failure }
    return result.outcomes
  }

  private func secret(_ server: ByteString) throws -> String? {
    let query = ItemQuery.internetPassword(try InternetPasswordQuery(protocol: "https", server: server))
    guard let answer = try keychain.answer(to: query) else { return nil }
    return answer.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// A service that answers no change, whether or not it makes it.
private final class FailingDesktop: DesktopKeychain, KeychainWrapper {
  private let keychain = InMemoryKeychain()
  var arrives = true
  let isOwn = false
  let servesForwarded = false

  func wrapped() -> any KeychainStore { keychain }

  func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    if arrives { _ = try keychain.update(item, credential) }
    throw .noAnswer(call: "CreateItem", milliseconds: 1)
  }

  // A service keeps what it got before it failed.
  func exclusively<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    try body()
  }

  func facts() throws(KeychainError) -> DesktopKeychainFacts {
    DesktopKeychainFacts(
      address: "", owner: "", program: nil, processID: nil, collection: nil, collections: [])
  }

  func keepsNewItems() throws(KeychainError) -> Bool { true }

  func unlock(
    isKnown: Bool, passphrase: (_ attempt: Int) throws(KeychainError) -> Secret?
  ) throws(KeychainError) {}

  func lock() throws(KeychainError) {}

  func whole(_ item: Item, asLogin: Bool) throws(KeychainError) -> Answer {
    Answer(item: item, credential: try credential(of: item))
  }

  func asProgramsFind(_ item: Item) throws(KeychainError) -> Item { item }

  func createCollection(
    _ label: String, isKnown: Bool, passphrase: () throws(KeychainError) -> Secret?
  ) throws(KeychainError) {}
}
