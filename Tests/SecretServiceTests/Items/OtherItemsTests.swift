import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("what other programs keep in the service", .timeLimit(.minutes(60))) struct OtherItemsTests {
  private let keyring = PrivateKeyring()

  /// With a schema, because gnome-keyring gives an item without one the generic schema whenever it reads its file
  /// again.
  private static let note = ["xdg:schema": "org.example.Note", "tool": "notes", "n": "1"]

  @Test("it is no item for who asks for logins")
  func loginsAlone() throws {
    let keychain = try keyring.keychain()
    _ = try keychain.makeForeignItem(Self.note, label: "Note", secret: "n")
    try keychain.add(.internet(account: "alice"), "s3cret")
    try expect(keychain.items(matching: .all).map(\.key), is: [Item.internet(account: "alice").key])
  }

  @Test(
    "who asks for everything gets it with its attributes, and the collections, and nothing answers a query for a login"
  )
  func everything() throws {
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let path = try keychain.makeForeignItem(Self.note, label: "Note", secret: "n\nsecret_bytes=1")
    try keychain.add(.internet(account: "alice"), "s3cret")
    let items = try keychain.items(matching: .all)
    let note = try #require(items.first { $0.path == path })
    expect(note.key.secretServiceItem?.kind, is: .item)
    expect(note.secretService.lookup, is: lookup(Self.note))
    expect(note.label, is: "Note")
    try expect(keychain.secret(of: note), is: "n\nsecret_bytes=1")
    let collections = items.filter { $0.key.secretServiceItem?.kind == .collection }
    expect(collections.map(\.key.secretServiceItem?.name), is: ["login"])
    expect(collections.map(\.isDefault), is: [true])
    try expect(keychain.foundAccounts(.internet()), is: ["alice"])
    // It is found by its class, and can be deleted. A collection can't.
    var criteria = ItemCriteria()
    criteria.itemClass = .secretServiceItem
    try expect(keychain.items(matching: .criteria(criteria)).map(\.reference), is: [note.reference])
    try expect(keychain.delete([note] + collections), is: 1)
    try expect(keychain.items(matching: .all).count, is: 2)
  }

  @Test("a login is whole with what other programs know of it, and without it if that follows from the rest")
  func wholeLogins() throws {
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let ours = try keychain.add(.internet("ours.example", account: "alice"), "s3cret")
    let plain = try keychain.whole(ours, asLogin: true).item
    expect(plain.secretService.isEmpty)
    let gits = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "git.example", "user": "bob",
    ]
    let path = try keychain.makeForeignItem(gits, label: "Git: https://git.example/", secret: "pw")
    let found = try #require(try keychain.items(matching: .all).first { $0.path == path })
    let whole = try keychain.whole(found, asLogin: true).item
    expect(whole.key, is: found.key)
    expect(whole.secretService.lookup, is: lookup(gits))
    expect(whole.creationDate == found.creationDate && whole.creationDate != nil)
    // As another program has it, if another item is that login.
    let other = try keychain.whole(found, asLogin: false).item
    expect(other.key.secretServiceItem?.kind, is: .item)
    expect(other.secretService.lookup, is: lookup(gits))
    // As it is, if a login could not hold all of it.
    let odd = try keychain.makeForeignItem(gits, label: "odd", secret: "pw\noddity=1")
    let oddItem = try #require(try keychain.items(matching: .all).first { $0.path == odd })
    let oddity = try keychain.whole(oddItem, asLogin: true)
    let (item, secret) = (oddity.item, ByteString(oddity.credential.secret.revealed))
    expect(item.key.secretServiceItem?.kind, is: .item)
    expect(secret, is: "pw\noddity=1")
  }

  @Test("two names that Unicode considers the same are two attributes")
  func exactNames() throws {
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    var item = Item(.secretService(SecretServiceItem(.item, name: "n")), label: "L")
    item.secretService.lookup = lookup(["xdg:schema": "org.example.Note"])
    item.secretService.lookup?["\u{e9}"] = "1"
    item.secretService.lookup?["e\u{301}"] = "2"
    let added = try keychain.add(item, "s")
    expect(added.secretService.lookup, is: item.secretService.lookup)
    let other = try keyring.keychain { $0.includesOtherItems = true }
    let whole = try other.whole(added, asLogin: true).item
    expect(whole.secretService.lookup, is: item.secretService.lookup)
  }

  @Test("it is written as it was elsewhere, and changed where it is")
  func written() throws {
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    var item = Item(.secretService(SecretServiceItem(.item, name: "n")), label: "L")
    item.secretService.lookup = lookup(Self.note)
    item.secretService.contentType = "application/octet-stream"
    var added = try keychain.add(item, Credential.bytes([0, 255, 10]))
    let path = try #require(added.path)
    try expect(keychain.storedItemNow(at: path)?.attributes, is: Self.note)
    try expect(keychain.storedBody(at: path), is: ByteString([0, 255, 10]))
    added.label = "M"
    added.secretService.lookup?["n"] = "2"
    let updated = try keychain.update(added, .text("t"))
    expect(updated.path == path && updated.label == "M")
    try expect(keychain.storedItemNow(at: path)?.attributes, is: Self.note.merging(["n": "2"]) { $1 })
    try expect(keychain.storedBody(at: path), is: "t")
    // What belongs to a collection that isn't there goes nowhere else.
    item.secretService.collection = "nowhere"
    expect(failure { try keychain.add(item, "s") }, is: .noCollection("nowhere"))
  }

  @Test("a login keeps the attributes that a program gave it elsewhere, and a person's notes come with them")
  func writtenLogin() throws {
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let gits = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "git.example", "user": "bob",
      "more": "1",
    ]
    var item = Item.internet("git.example", account: "bob")
    item.label = "Git: https://git.example/"
    item.secretService.lookup = lookup(gits)
    let added = try keychain.add(item, "pw")
    try expect(added.path.flatMap { try keychain.storedItemNow(at: $0)?.attributes }, is: gits)
    try keychain.delete([added])
    item.comment = "noted"
    let noted = try keychain.add(item, "pw")
    expect(noted.comment, is: "noted")
    try expect(noted.path.flatMap { try keychain.storedItemNow(at: $0)?.attributes["more"] }, is: "1")
  }

  @Test("the names of collections are those that their paths stand for")
  func names() {
    for (part, name) in [
      ("login", "login"), ("My_5fkeys", "My_keys"), ("a_20b", "a b"), ("_", "_"), ("a_zz", "a_zz"),
      ("_+1", "_+1"),
    ] as [(ByteString, ByteString)] {
      expect(ObjectPath.name(part.description), is: name)
    }
  }

  private func lookup(_ attributes: [String: String]) -> LookupAttributes {
    var lookup = LookupAttributes()
    for (name, value) in attributes { lookup[ByteString(name)] = ByteString(value) }
    return lookup
  }
}
