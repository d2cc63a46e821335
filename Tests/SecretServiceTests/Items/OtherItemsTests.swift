import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("what other programs keep in the service", .timeLimit(.minutes(60))) struct OtherItemsTests {
  /// With a schema, because gnome-keyring gives an item without one the generic schema whenever it reads its file
  /// again.
  private static let note = ["xdg:schema": "org.example.Note", "tool": "notes", "n": "1"]

  @Test("it is no item for who asks for logins")
  func loginsAlone() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    _ = try keychain.makeForeignItem(Self.note, label: "Note", secret: "n")
    try keychain.add(.internet(account: "alice"), "s3cret")
    #expect(try keychain.items(matching: .all).map(\.key) == [Item.internet(account: "alice").key])
  }

  @Test(
    "who asks for everything gets it with its attributes, and the collections, and nothing answers a query for a login"
  )
  func everything() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let path = try keychain.makeForeignItem(Self.note, label: "Note", secret: "n\nsecret_bytes=1")
    try keychain.add(.internet(account: "alice"), "s3cret")
    let items = try keychain.items(matching: .all)
    let note = try #require(items.first { $0.path == path })
    #expect(note.key.secretServiceItem?.kind == .item)
    #expect(note.secretService.lookup == lookup(Self.note))
    #expect(note.label == "Note")
    #expect(try keychain.secret(of: note) == "n\nsecret_bytes=1")
    let collections = items.filter { $0.key.secretServiceItem?.kind == .collection }
    #expect(collections.map(\.key.secretServiceItem?.name) == ["login"])
    #expect(collections.map(\.isDefault) == [true])
    #expect(try keychain.foundAccounts(.internet()) == ["alice"])
    // It is found by its class, and can be deleted. A collection can't.
    var criteria = ItemCriteria()
    criteria.itemClass = .secretServiceItem
    #expect(try keychain.items(matching: .criteria(criteria)).map(\.reference) == [note.reference])
    #expect(try keychain.delete([note] + collections) == 1)
    #expect(try keychain.items(matching: .all).count == 2)
  }

  @Test("a login is whole with what other programs know of it, and without it if that follows from the rest")
  func wholeLogins() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let ours = try keychain.add(.internet("ours.example", account: "alice"), "s3cret")
    let plain = try keychain.whole(ours, asLogin: true).item
    #expect(plain.secretService.isEmpty)
    let gits = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "git.example", "user": "bob",
    ]
    let path = try keychain.makeForeignItem(gits, label: "Git: https://git.example/", secret: "pw")
    let found = try #require(try keychain.items(matching: .all).first { $0.path == path })
    let whole = try keychain.whole(found, asLogin: true).item
    #expect(whole.key == found.key)
    #expect(whole.secretService.lookup == lookup(gits))
    #expect(whole.creationDate == found.creationDate && whole.creationDate != nil)
    // As another program has it, if another item is that login.
    let other = try keychain.whole(found, asLogin: false).item
    #expect(other.key.secretServiceItem?.kind == .item)
    #expect(other.secretService.lookup == lookup(gits))
    // As it is, if a login could not hold all of it.
    let odd = try keychain.makeForeignItem(gits, label: "odd", secret: "pw\noddity=1")
    let oddItem = try #require(try keychain.items(matching: .all).first { $0.path == odd })
    let oddity = try keychain.whole(oddItem, asLogin: true)
    let (item, secret) = (oddity.item, ByteString(oddity.credential.secret.revealed))
    #expect(item.key.secretServiceItem?.kind == .item)
    #expect(secret == "pw\noddity=1")
  }

  @Test("two names that Unicode considers the same are two attributes")
  func exactNames() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    var item = Item(.secretService(SecretServiceItem(.item, name: "n")), label: "L")
    item.secretService.lookup = lookup(["xdg:schema": "org.example.Note"])
    item.secretService.lookup?["\u{e9}"] = "1"
    item.secretService.lookup?["e\u{301}"] = "2"
    let added = try keychain.add(item, "s")
    #expect(added.secretService.lookup == item.secretService.lookup)
    let other = try keyring.keychain { $0.includesOtherItems = true }
    let whole = try other.whole(added, asLogin: true).item
    #expect(whole.secretService.lookup == item.secretService.lookup)
  }

  @Test("it is written as it was elsewhere, and changed where it is")
  func written() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    var item = Item(.secretService(SecretServiceItem(.item, name: "n")), label: "L")
    item.secretService.lookup = lookup(Self.note)
    item.secretService.contentType = "application/octet-stream"
    var added = try keychain.add(item, Credential.bytes([0, 255, 10]))
    let path = try #require(added.path)
    #expect(try keychain.storedItemNow(at: path)?.attributes == Self.note)
    #expect(try keychain.storedBody(at: path) == ByteString([0, 255, 10]))
    added.label = "M"
    added.secretService.lookup?["n"] = "2"
    let updated = try keychain.update(added, .text("t"))
    #expect(updated.path == path && updated.label == "M")
    #expect(try keychain.storedItemNow(at: path)?.attributes == Self.note.merging(["n": "2"]) { $1 })
    #expect(try keychain.storedBody(at: path) == "t")
    // What belongs to a collection that isn't there goes nowhere else.
    item.secretService.collection = "nowhere"
    #expect(failure { try keychain.add(item, "s") } == .noCollection("nowhere"))
  }

  @Test("a login keeps the attributes that a program gave it elsewhere, and a person's notes come with them")
  func writtenLogin() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.includesOtherItems = true }
    let gits = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "git.example", "user": "bob",
      "more": "1",
    ]
    var item = Item.internet("git.example", account: "bob")
    item.label = "Git: https://git.example/"
    item.secretService.lookup = lookup(gits)
    let added = try keychain.add(item, "pw")
    #expect(try added.path.flatMap { try keychain.storedItemNow(at: $0)?.attributes } == gits)
    try keychain.delete([added])
    item.comment = "noted"
    let noted = try keychain.add(item, "pw")
    #expect(noted.comment == "noted")
    #expect(try noted.path.flatMap { try keychain.storedItemNow(at: $0)?.attributes["more"] } == "1")
  }

  @Test("the names of collections are those that their paths stand for")
  func names() {
    for (part, name) in [
      ("login", "login"), ("My_5fkeys", "My_keys"), ("a_20b", "a b"), ("_", "_"), ("a_zz", "a_zz"),
      ("_+1", "_+1"),
    ] as [(ByteString, ByteString)] {
      #expect(ObjectName.decoded(part) == name)
    }
  }

  private func lookup(_ attributes: [String: String]) -> LookupAttributes {
    var lookup = LookupAttributes()
    for (name, value) in attributes { lookup[ByteString(name)] = ByteString(value) }
    return lookup
  }
}
