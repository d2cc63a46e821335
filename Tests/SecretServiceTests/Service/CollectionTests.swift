import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("collections", .timeLimit(.minutes(60))) struct CollectionTests {
  private let keyring = PrivateKeyring()

  @Test("what is told of the service is so")
  func facts() throws {
    let keychain = try keyring.keychain()
    try keychain.add(.internet(), "s3cret")
    let facts = try keychain.facts()
    expect(facts.address, is: keyring.address)
    expect(facts.owner.hasPrefix(":1."))
    expect(facts.program, is: "gnome-keyring-daemon")
    expect(facts.processID.map { programName(of: $0) }, is: "gnome-keyring-daemon")
    let collection = try #require(facts.collection)
    expect(collection.path, is: "/org/freedesktop/secrets/collection/login")
    expect(collection.name == "login" && collection.label == "Login" && collection.isLasting)
    expect(!collection.isLocked && collection.itemCount == 1)
    expect(facts.collections.map(\.name).sorted(), is: ["login", "session"])
    expect(facts.collections.first { $0.name == "session" }?.isLasting, is: false)
    try expect(keychain.keepsNewItems())
  }

  @Test("one is made with a password, and named by the end of its path or by its label")
  func create() throws {
    let keychain = try keyring.keychain()
    for isKnown in [true, false] {
      try keychain.createCollection("Work of \(isKnown)", isKnown: isKnown) { Secret("another password") }
    }
    let made = try #require(try keychain.facts().collections.first { $0.label == "Work of true" })
    expect(!made.isLocked && made.itemCount == 0)
    // The default collection is unchanged.
    try expect(keychain.facts().collection?.name, is: "login")
    for taken in ["Work of true", made.name, "login", "Login"] {
      let error = failure { try keychain.createCollection(taken, isKnown: true) { Secret("x") } }
      expect(error, is: .duplicateItem, "\(taken)")
    }
    expect(
      failure { try keychain.createCollection("none", isKnown: true) { nil } }, is: .collectionLocked("none"))
    for name in [made.name, made.label] {
      try expect(keyring.keychain { $0.collection = name }.facts().collection, is: made)
    }
    let inIt = try keyring.keychain { $0.collection = made.label }
    try inIt.lock()
    try expect(keyring.keychain().facts().collection?.isLocked, is: false)
    expect(failure { try inIt.items(matching: .all) }, is: .collectionLocked(made.name))
    let wrong = failure { try inIt.unlock(isKnown: true) { $0 == 1 ? Secret("wrong") : nil } }
    expect(wrong, is: .wrongPassphrase(path: made.name))
    try inIt.unlock(isKnown: true) { $0 == 1 ? Secret("another password") : nil }
    try expect(inIt.items(matching: .all), is: [])
  }

  @Test("a new item goes to the default one, whichever that is")
  func ofDefault() throws {
    let keychain = try keyring.keychain()
    try keychain.createCollection("work", isKnown: true) { Secret("another password") }
    _ = try keychain.service.bus.call(
      keychain.service.call(
        "SetAlias", Argument.text("default"), Argument.path("/org/freedesktop/secrets/collection/work")))
    let added = try keyring.keychain().add(.internet(), "s3cret")
    expect(added.path?.contains("/work/"), is: true)
  }

  @Test("with one named, items are in it alone")
  func alone() throws {
    let all = try keyring.keychain()
    try all.createCollection("work", isKnown: true) { Secret("another password") }
    let work = try keyring.keychain { $0.collection = "work" }
    let login = try keyring.keychain { $0.collection = "login" }
    let item = Item.internet(account: "alice")
    try work.add(item, "of work")
    try expect(login.items(matching: .all), is: [])
    try expect(login.answeredSecret(.internet()), is: nil)
    // Both can have an item with the same key.
    try login.add(item, "of login")
    try expect(work.answeredSecret(.internet()), is: "of work")
    try expect(login.answeredSecret(.internet()), is: "of login")
    try expect(all.items(matching: .internet()).count, is: 2)
    try expect(all.items(matching: .all).count, is: 2)
    expect(failure { try all.add(item, "x") }, is: .duplicateItem)
    try expect(work.erase(.internet()), is: 1)
    try expect(login.answeredSecret(.internet()), is: "of login")
    try expect(all.items(matching: .all).count, is: 1)
    try expect(work.facts().collection?.itemCount, is: 0)
  }

  @Test("one that is not there is an error for everything, and is not made")
  func absent() throws {
    let item = try keyring.keychain().add(.internet(account: "alice"), "s3cret")
    let before = try keyring.keychain().facts()
    let keychain = try keyring.keychain { $0.collection = "nowhere" }
    // With a reference, no collection is needed to find the item.
    for operation in Operation.all where !["reveal", "delete"].contains(operation.name) {
      expect(
        failure { try operation.run(keychain, item) }, is: .noCollection("nowhere"), "\(operation.name)")
    }
    expect(failure { try keychain.facts() }, is: .noCollection("nowhere"))
    expect(failure { try keychain.keepsNewItems() }, is: .noCollection("nowhere"))
    expect(failure { try keychain.unlockLogin() }, is: .noCollection("nowhere"))
    expect(failure { try keychain.lock() }, is: .noCollection("nowhere"))
    expect(keychain.probe(), is: .unavailable(.noCollection("nowhere")))
    try expect(keyring.keychain().facts().collections, is: before.collections)
    // One that is made later is used.
    try keyring.keychain().createCollection("nowhere", isKnown: true) { Secret("x") }
    let later = try keychain.add(.internet(), "s3cret")
    expect(later.path?.contains("/nowhere/"), is: true)
  }

  @Test(
    "an item in another collection that is locked is not taken for none, and others don't mind",
    arguments: [false, true])
  func hidden(isHashed: Bool) throws {
    try keyring.keychain().createCollection("work", isKnown: true) { Secret("another password") }
    let work = try keyring.keychain { $0.collection = "work" }
    let item = try work.add(.internet("work.example", account: "alice"), "of work")
    // Of a collection that has not been unlocked since its start, the keyring knows only hashes.
    if isHashed { keyring.restartKeyring() } else { try work.lock() }
    let notices = Collected<DesktopKeychainSettings.Notice>()
    let keychain = try keyring.keychain { $0.onNotice = { notices.append($0) } }
    try keychain.add(.internet("home.example"), "of home")
    let query = try ItemQuery.internet("work.example")
    let locked = KeychainError.collectionLocked("work")
    expect(failure { try keychain.answer(to: query) }, is: locked)
    expect(failure { try keychain.save(item, .text("x")) }, is: locked)
    expect(failure { try keychain.update(item, .text("x")) }, is: locked)
    expect(failure { try keychain.credential(of: item) }, is: locked)
    expect(failure { try keychain.delete([item]) }, is: locked)
    expect(failure { try keychain.erase(query) }, is: locked)
    expect(failure { try keychain.erase(query, holding: Secret("of work")) }, is: locked)
    try expect(keychain.answeredSecret(.internet("home.example")), is: "of home")
    try expect(keychain.find(.internet("other.example")), is: [])
    try expect(keychain.save(.internet("work.example", account: "bob"), .text("of bob")), is: .added)
    try expect(keychain.answeredSecret(.internet("work.example", account: "bob")), is: "of bob")
    expect(notices.all, is: [])
    try expect(
      keychain.items(matching: .all).map(\.key.account).sorted { ($0 ?? "") < ($1 ?? "") },
      is: [
        nil, "bob",
      ])
    expect(notices.all, is: [.skipped(collection: "work")])
    let unlocked = try keyring.keychain { $0.collection = "work" }
    try unlocked.unlock(isKnown: true) { $0 == 1 ? Secret("another password") : nil }
    try expect(unlocked.answeredSecret(query), is: "of work")
    try expect(unlocked.items(matching: .all).count, is: 1)
  }

  @Test("what is kept in memory alone is said to be")
  func session() throws {
    let notices = Collected<DesktopKeychainSettings.Notice>()
    let keychain = try keyring.keychain {
      $0.collection = "session"
      $0.onNotice = { notices.append($0) }
    }
    try expect(!keychain.keepsNewItems())
    guard case .notWritable(.unavailable) = keychain.probe() else {
      Issue.record("\(keychain.probe())")
      return
    }
    try keychain.add(.internet(), "s3cret")
    expect(notices.all, is: [.notLasting(collection: "session")])
    try expect(keychain.answeredSecret(.internet()), is: "s3cret")
  }
}
