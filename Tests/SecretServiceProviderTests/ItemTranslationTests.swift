import Bytes
import Expectations
import Keychain
import KeychainTesting
import SecretService
import TestSupport
import Testing

@testable import SecretServiceProvider

/// Makes the attributes of a dictionary.
func lookup(_ attributes: [ByteString: ByteString]) -> LookupAttributes {
  var lookup = LookupAttributes()
  for (name, value) in attributes { lookup[name] = value }
  return lookup
}

@Suite("what programs store in the service") struct ItemTranslationTests {
  /// What a real program stores, and the login that it is.
  struct Row: Sendable, CustomTestStringConvertible {
    let program: String
    let attributes: [ByteString: ByteString]
    let label: String
    let body: String
    let key: Item.Key?
    var testDescription: String { program }

    static let all = [
      Row(
        program: "git's helper",
        attributes: [
          "xdg:schema": "org.git.Password", "server": "github.com", "protocol": "https", "user": "alice",
        ], label: "Git: https://github.com/", body: "pw\npassword_expiry_utc=5\noauth_refresh_token=t",
        key: Item.internet("github.com", account: "alice").key),
      Row(
        program: "docker's helper",
        attributes: [
          "xdg:schema": "io.docker.Credentials", "docker_cli": "1", "label": "Docker Credentials",
          "server": "https://index.docker.io/v1/", "username": "bob",
        ], label: "https://index.docker.io/v1/", body: "s",
        key: Item.internet("index.docker.io", account: "bob", path: "v1", domain: "docker").key),
      Row(
        program: "Python's keyring",
        attributes: ["service": "svc", "username": "u", "application": "Python keyring library"],
        label: "Password for 'u' on 'svc'", body: "s",
        key: Item.Key.genericPassword(GenericPassword(service: "svc", account: "u"))),
      Row(
        program: "gh", attributes: ["service": "gh:github.com", "username": "alice"],
        label: "Password for 'alice' on 'gh:github.com'", body: "gho_x",
        key: Item.Key.genericPassword(GenericPassword(service: "gh:github.com", account: "alice"))),
      Row(
        program: "cargo",
        attributes: ["xdg:schema": "org.rust-lang.cargo.registry", "url": "https://index.example.com/"],
        label: "cargo-registry:x", body: "Bearer x",
        key: Item.internet("index.example.com", domain: "cargo").key),
      Row(
        program: "Chromium",
        attributes: ["xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chrome"],
        label: "Chrome Safe Storage", body: "base64==", key: nil),
      Row(program: "nothing at all", attributes: [:], label: "", body: "", key: nil),
    ]
  }

  @Test("what has the shape of a login is that login, and all of it comes back", arguments: Row.all)
  func logins(row: Row) throws {
    let shown = ItemTranslation.Shown(
      attributes: lookup(row.attributes), label: row.label, contentType: "text/plain")
    let answer = ItemTranslation.item(shown, Secret(row.body), in: nil, orNamed: "n")
    if let key = row.key { expect(answer.item.key.primaryKey, is: key.primaryKey) }
    expect(answer.item.key.secretServiceItem == nil, is: row.key != nil)
    expectSame(answer, shown, row.body)
  }

  private func expectSame(_ answer: borrowing Answer, _ shown: ItemTranslation.Shown, _ body: String) {
    let again = ItemTranslation.shown(answer.item)
    expect(again.attributes, is: shown.attributes)
    expect(Array(again.label.utf8), is: Array(shown.label.utf8))
    expect(again.contentType, is: shown.contentType)
    let bodyAgain = ItemTranslation.body(of: answer.item, answer.credential)
    let isSame = bodyAgain.isEqual(to: Secret(body))
    expect(isSame)
  }

  @Test("whatever is stored comes back byte for byte, from a keychain, too")
  func random() throws {
    var numbers = SeededGenerator(seed: 18)
    let names: [ByteString] = [
      "server", "protocol", "port", "user", "object", "domain", "authtype", "service", "username", "account",
      "application", "xdg:schema", "docker_cli", "url", "llavero:label", "llavero:class", "llavero:name",
      "llavero:base64:user", "llavero:default", "llavero:no-creator", "llavero:attribute:gena", "Uuid",
      "Title", "",
      "e\u{301}", "é", "x",
    ]
    let values: [ByteString] = [
      "", "https", "HTTPS", "example.com", "Example.com", "[::1]", "443", "0", "070", "99999", "alice", "1",
      "a/b",
      "/a", "org.freedesktop.Secret.Generic", "org.git.Password", "io.docker.Credentials",
      "org.rust-lang.cargo.registry", "Python keyring library", "secret", "internet", "generic",
      "certificate",
      "collection", "YQ==", "no base64", "a\nb", "a\r", "é", "https://h.example:99/p//", "://", "x://",
    ]
    let labels = ["", "https://example.com (alice)", "Git: https://example.com/", "L", "a\nb", "é", "alice"]
    let bodies = [
      "", "s", "s\n", "\n", "s\nsecret_bytes=1", "s\noauth_refresh_token=\n",
      "a\nauthtype=Bearer\ncredential=x",
      "s\npassword_expiry_utc=007", "s\npassword_expiry_utc=5\npassword_expiry_utc=6", "a\nb\nc",
    ]
    for _ in 0..<rounds(4000) {
      var attributes: [ByteString: ByteString] = [:]
      for _ in 0..<numbers.number(in: 0..<7) { attributes[numbers.pick(names)] = numbers.pick(values) }
      let shown = ItemTranslation.Shown(
        attributes: lookup(attributes), label: numbers.pick(labels),
        contentType: numbers.pick(["text/plain", "text/plain; charset=utf8", ""]))
      let body = numbers.pick(bodies)
      let answer = ItemTranslation.item(shown, Secret(body), in: nil, orNamed: "n")
      expectSame(answer, shown, body)
      let keychain = InMemoryKeychain()
      let added = try keychain.add(answer.item, answer.credential)
      expectSame(Answer(item: added, credential: try keychain.credential(of: added)), shown, body)
    }
  }
}

@Suite("changes that programs make") struct ChangingItemsTests {
  private let keychain = InMemoryKeychain()

  private func store(
    _ attributes: [ByteString: ByteString], _ body: String, in collection: ByteString? = nil,
    replaces: Bool = true
  ) throws -> Item {
    let shown = ItemTranslation.Shown(attributes: lookup(attributes), label: "", contentType: "text/plain")
    return try ClientChanges.store(
      shown, SharedSecret(Secret(body)), in: collection, replacing: nil, mayReplaceLogin: replaces,
      in: keychain)
  }

  private func body(of item: Item) throws -> String {
    ItemTranslation.body(of: item, try keychain.credential(of: item)).withUnsafeBytes {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private let login: [ByteString: ByteString] = ["service": "s", "username": "u"]

  @Test("a login that git or a person stored is replaced, and keeps what was noted on it")
  func replacesLogin() throws {
    var item = Item(GenericPassword(service: "s", account: "u"))
    item.comment = "mine"
    let before = try keychain.add(item, Credential(password: "old"))
    let after = try store(login, "new")
    expect(after.reference, is: before.reference)
    expect(after.comment, is: "mine")
    try expect(body(of: after), is: "new")
    expect(ItemTranslation.shown(after).attributes, is: lookup(login))
  }

  @Test("two items with the same attributes stay two, whatever they are")
  func twins() throws {
    for attributes in [login, ["a": "b"], [:]] as [[ByteString: ByteString]] {
      let one = try store(attributes, "one", replaces: false)
      let two = try store(attributes, "two", replaces: false)
      expect(one.reference != two.reference)
      try expect(body(of: one), is: "one")
      try expect(body(of: two), is: "two")
      expect(ItemTranslation.shown(two).attributes, is: lookup(attributes))
    }
  }

  @Test("an item becomes a login and is none again, and stays the same object")
  func conversion() throws {
    let item = try store(["a": "b"], "s\nt")
    let asLogin = try ClientChanges.update(item, in: keychain) { $0.attributes = lookup(login) }.item
    expect(asLogin.key, is: .genericPassword(GenericPassword(service: "s", account: "u")))
    expect(asLogin.reference, is: item.reference)
    try expect(body(of: asLogin), is: "s\nt")
    let again = try ClientChanges.update(asLogin, in: keychain) { $0.attributes = lookup(["c": "d"]) }.item
    expect(again.key.secretServiceItem != nil)
    expect(again.reference, is: item.reference)
    try expect(body(of: again), is: "s\nt")
  }

  @Test("an item that would become another's login keeps its attributes all the same")
  func takenKey() throws {
    let other = try store(login, "other")
    let item = try store(["a": "b"], "mine")
    let changed = try ClientChanges.update(item, in: keychain) { $0.attributes = lookup(login) }.item
    expect(ItemTranslation.shown(changed).attributes, is: lookup(login))
    try expect(body(of: changed), is: "mine")
    try expect(body(of: other), is: "other")
  }

  @Test("a collection goes with its items, and no others")
  func collections() throws {
    let kept = try store(["a": "b"], "kept")
    _ = try ClientChanges.putCollection("work", label: "Work", isDefault: false, in: keychain)
    _ = try store(login, "x", in: "work")
    try expect(keychain.items(matching: .all).count, is: 3)
    try ClientChanges.deleteCollection("work", nil, in: keychain)
    try expect(keychain.items(matching: .all).map(\.reference), is: [kept.reference])
  }

  @Test("of a collection, only what may be deleted goes")
  func partOfCollection() throws {
    _ = try ClientChanges.putCollection("work", label: "Work", isDefault: false, in: keychain)
    let items = try ["mine", "another's"].map { secret in
      try store(["a": "b"], secret, in: "work", replaces: false)
    }
    try ClientChanges.deleteCollection("work", [items[0]], in: keychain)
    try expect(keychain.items(matching: .all).map(\.reference), is: [items[1].reference])
  }

  @Test("one collection is the default one")
  func defaultCollection() throws {
    _ = try ClientChanges.putCollection("one", label: "1", isDefault: true, in: keychain)
    _ = try ClientChanges.putCollection("two", label: "2", isDefault: true, in: keychain)
    let holdings = Holdings(try keychain.items(matching: .all))
    expect(holdings.defaultCollection, is: "two")
    expect(holdings.collections.count, is: 3)
  }
}

@Suite("finding items by attributes") struct HoldingsTests {
  private func holdings(_ all: [[ByteString: ByteString]]) -> Holdings {
    var holdings = Holdings()
    for (number, attributes) in all.enumerated() {
      let shown = ItemTranslation.Shown(
        attributes: lookup(attributes), label: "\(number)", contentType: "text/plain")
      let date = Timestamp(milliseconds: Int64(number + 1) * 1000)
      holdings.put(ServedItem(shown, named: ByteString("\(number)"), in: "login", at: date))
    }
    return holdings
  }

  private func found(_ attributes: [ByteString: ByteString], in holdings: Holdings) -> [String] {
    holdings.search(lookup(attributes)).map(\.shown.label)
  }

  @Test("an item is found by any of its attributes, the newest first; byte for byte")
  func subsets() {
    let all = holdings([["a": "1"], ["a": "1", "b": "2"], ["a": "e\u{301}"], ["a": "é"], [:]])
    expect(found(["a": "1"], in: all), is: ["1", "0"])
    expect(found(["b": "2"], in: all), is: ["1"])
    expect(found(["a": "1", "b": "3"], in: all), is: [])
    expect(found(["a": "é"], in: all), is: ["3"])
    expect(found([:], in: all), is: ["4", "3", "2", "1", "0"])
  }

  @Test("no schema and the generic one are the same to a search")
  func genericSchema() {
    let generic: ByteString = "org.freedesktop.Secret.Generic"
    let all = holdings([["a": "1"], ["a": "1", "xdg:schema": generic], ["a": "1", "xdg:schema": "other"]])
    expect(found(["a": "1", "xdg:schema": generic], in: all), is: ["1", "0"])
    expect(found(["xdg:schema": "other"], in: all), is: ["2"])
    expect(all.replaced(by: lookup(["a": "1", "xdg:schema": generic]), in: "login")?.shown.label, is: "1")
    expect(all.replaced(by: lookup(["a": "1"]), in: "login")?.shown.label, is: "1")
  }

  @Test("only the same attributes are replaced")
  func replaced() {
    let all = holdings([["a": "1", "b": "2"], [:]])
    expect(all.replaced(by: lookup(["a": "1"]), in: "login") == nil)
    expect(all.replaced(by: lookup([:]), in: "login") == nil)
    expect(all.replaced(by: lookup(["a": "1", "b": "2"]), in: "other") == nil)
    expect(all.replaced(by: lookup(["b": "2", "a": "1"]), in: "login")?.shown.label, is: "0")
  }

  @Test("a removed or changed item is found no more")
  func removal() {
    var all = holdings([["a": "1"], ["a": "1"]])
    let path = all.search(lookup(["a": "1"]))[0].path
    all.remove(path)
    expect(found(["a": "1"], in: all), is: ["0"])
    all.remove(collection: "login")
    expect(found([:], in: all), is: [])
    expect(all.collections["login"]?.label, is: "Login")
  }
}

@Suite("object paths") struct ObjectPathTests {
  @Test("every name comes back, and no path has a character that D-Bus doesn't allow")
  func roundTrip() {
    var numbers = SeededGenerator(seed: 3)
    for size in 0..<300 {
      let name = ByteString(numbers.bytes(size % 20))
      let text = ObjectPath.encoded(name)
      expect(
        text.utf8.allSatisfy { $0 == 0x5f || 0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 })
      expect(ObjectPath.decoded(text), is: name)
    }
    for text in ["_", "_a", "_zz", "a_"] { expect(ObjectPath.decoded(text), is: nil) }
    expect(ObjectPath.encoded("a_b\u{e9}c"), is: "a_5fb_c3_a9c")
  }
}
