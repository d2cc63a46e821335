import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a keyring that others use too", .timeLimit(.minutes(60))) struct KeyringTests {
  private let keyring = PrivateKeyring()

  @Test("plain and encrypted sessions read each other's items, byte for byte")
  func sessions() throws {
    let plain = try keyring.keychain { $0.isEncrypted = false }
    let encrypted = try keyring.keychain()
    let secrets: [[UInt8]] = [
      [], [0], Array(0...255), Array("{TITLE} \u{e9}".utf8), [10], [UInt8](repeating: 0xff, count: 65_536),
    ]
    for (number, secret) in secrets.enumerated() {
      for (writer, reader) in [(plain, encrypted), (encrypted, plain)] {
        let server = ByteString("host\(number).example")
        let credential = Credential.bytes(secret, expiry: 5, refreshToken: secret, scheme: nil)
        let item = try writer.add(.internet(server), credential)
        try expect(reader.credential(of: item).revealed, is: credential.revealed)
        try expect(reader.delete([item]), is: 1)
      }
    }
  }

  @Test("what another program changes between two looks is seen")
  func changes() throws {
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let item = try mine.add(.internet(account: "alice"), "first")
    try expect(mine.answeredSecret(.internet()), is: "first")
    try other.update(item, .text("second"))
    try expect(mine.secret(of: item), is: "second")
    var renamed = item
    renamed.key = Item.internet(account: "bob").key
    renamed.comment = "renamed"
    try other.update(renamed)
    try expect(mine.find(.internet()).map(\.comment), is: ["renamed"])
    try expect(mine.foundAccounts(.internet()), is: ["bob"])
    // What was read before is not what is changed.
    var older = item
    older.comment = "mine"
    try expect(mine.update(older).key, is: item.key)
    try expect(other.foundAccounts(.internet()), is: ["alice"])
    try expect(other.delete([item]), is: 1)
    expect(failure { try mine.credential(of: item) }, is: .itemNotFound)
    expect(failure { try mine.update(item) }, is: .itemNotFound)
    expect(failure { try mine.update(item, .text("x")) }, is: .itemNotFound)
    try expect(mine.find(.internet()), is: [])
  }

  @Test("a reference that nobody gave is of no item")
  func references() throws {
    let keychain = try keyring.keychain()
    for text in [
      "", "@", "/", "nonsense", "/org/freedesktop/secrets/collection/login/99@0", "//@1", "\u{0}",
    ] {
      var item = Item.internet()
      item.reference = ItemReference(ByteString(text))
      expect(failure { try keychain.credential(of: item) }, is: .itemNotFound, "\(text)")
      expect(failure { try keychain.update(item) }, is: .itemNotFound, "\(text)")
      try expect(keychain.delete([item]), is: 0, "\(text)")
    }
    try expect(keychain.facts().collection?.name, is: "login")
  }

  @Test("the path of an item that is gone is not taken for the item when another has it")
  func pathReuse() throws {
    let mine = try keyring.keychain()
    let old = try mine.add(.internet("old.example"), "old")
    try expect(mine.secret(of: old), is: "old")
    try expect(mine.items(matching: .all).count, is: 1)
    let added = time(nil)
    try expect(keyring.keychain().delete([old]), is: 1)
    keyring.restartKeyring()
    try waitUntil { time(nil) > added + 1 }
    let keychain = try keyring.keychain()
    let new = try keychain.add(.internet("new.example"), "new")
    try #require(new.path == old.path, "gnome-keyring gives paths anew")
    expect(failure { try mine.credential(of: old) }, is: .itemNotFound)
    try expect(mine.secret(of: new), is: "new")
    expect(failure { try keychain.credential(of: old) }, is: .itemNotFound)
    expect(failure { try keychain.update(old, .text("x")) }, is: .itemNotFound)
    try expect(keychain.delete([old]), is: 0)
    try expect(keychain.secret(of: new), is: "new")
  }

  @Test("an account that differs in nothing but how Unicode spells it is another one")
  func normalization() throws {
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "\u{e9}"), "s3cret")
    var other = item
    other.key = Item.internet(account: "e\u{301}").key
    for comment in ["e\u{301}", "\u{e9}"] as [ByteString] {
      other.comment = comment
      let updated = try keychain.update(other)
      expect(updated.key == other.key && updated.comment == comment)
      expect(updated.reference, is: item.reference)
    }
    other.label = "e\u{301}"
    try expect(keychain.update(other).label, is: "e\u{301}")
    other.label = "\u{e9}"
    try expect(keychain.update(other).label, is: "\u{e9}")
    try expect(keyring.keychain().foundAccounts(.internet()), is: ["e\u{301}"])
    try expect(keychain.add(.internet(account: "\u{e9}"), "other").reference != item.reference)
  }

  // MARK: Several changes

  @Test("several changes are sent as they are in the end, and what an inner body undid is not")
  func exclusively() throws {
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "alice"), "s3cret")
    try keychain.exclusively { () throws(KeychainError) in
      let new = try keychain.add(.internet("new.example"), "first")
      try keychain.update(new, .text("second"))
      let passing = try keychain.add(.internet("passing.example"), "x")
      try keychain.delete([passing])
      do throws(KeychainError) {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.delete([item])
          throw KeychainError.promptDismissed
        }
      } catch {}
      // The key is free as soon as it is given up, and not before.
      expect(failure { try keychain.add(.internet(account: "alice"), "x") }, is: .duplicateItem)
      var moved = item
      moved.key = Item.internet(account: "bob").key
      try keychain.update(moved)
      try keychain.add(.internet(account: "alice"), "of alice")
      // Other processes don't see it yet.
      do { try expect(keyring.keychain().items(matching: .all).count, is: 1) } catch { Issue.record(error) }
    }
    let other = try keyring.keychain()
    try expect(other.items(matching: .all).count, is: 3)
    try expect(other.answeredSecret(.internet("new.example")), is: "second")
    try expect(other.answeredSecret(.internet(account: "bob")), is: "s3cret")
    try expect(other.answeredSecret(.internet(account: "alice")), is: "of alice")
  }

  @Test("of several that add the same item at once, one does and the others are told")
  func sameKeyAtOnce() throws {
    let outcomes = Collected<String>()
    concurrently(4) { number in
      do {
        let keychain = try keyring.keychain()
        try keychain.add(.internet(account: "alice"), "\(number)")
        outcomes.append("added")
      } catch { outcomes.append("\(error)") }
    }
    expect(outcomes.all.sorted(), is: ["added", "duplicateItem", "duplicateItem", "duplicateItem"])
    try expect(keyring.keychain().items(matching: .all).count, is: 1)
  }

  @Test("of several that save at once, none is lost and none is there twice")
  func saveAtOnce() throws {
    let errors = Collected<String>()
    concurrently(4) { number in
      do {
        let keychain = try keyring.keychain()
        for server in 0..<4 {
          try keychain.save(
            .internet(ByteString("host\(server).example"), account: "alice"), .text("\(number)"))
          try keychain.save(.internet("shared.example", account: ByteString("\(number)")), .text("x"))
        }
      } catch { errors.append("\(error)") }
    }
    expect(errors.all, is: [])
    try expect(keyring.keychain().items(matching: .all).count, is: 8)
  }

  @Test("a writer gives up when its patience ends, says who keeps it waiting, and reads all the same")
  func lock() throws {
    let (holder, other) = (try keyring.keychain(), try keyring.keychain { $0.patience = 0 })
    try holder.exclusively { () throws(KeychainError) in
      guard case .busy(let path, seconds: 0)? = failure({ try other.add(.internet(), "x") }) else {
        Issue.record("it was not busy")
        return
      }
      expect(path.hasSuffix("/secret-service.lock"))
      do { try expect(other.items(matching: .all), is: []) } catch { Issue.record(error) }
    }
  }

  // MARK: Other programs' items

  @Test("an item of git's helper is changed in place, and is git's afterwards")
  func gitItem() throws {
    let keychain = try keyring.keychain()
    let attributes = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "github.com", "user": "alice",
      "other:note": "kept",
    ]
    let label = "Git: https://github.com/"
    let path = try keychain.makeForeignItem(
      attributes, label: label, secret: "first\npassword_expiry_utc=4000000000\nfuture=1")
    let found = try #require(try keychain.revealedAnswer(.internet("github.com")))
    expect(found.credential, is: RevealedCredential("first", expiry: 4_000_000_000))
    expect(found.item.label, is: nil)
    let saved = Item.internet("github.com", account: "alice")
    try expect(keychain.save(saved, .text("second", refreshToken: "t0ken")), is: .updated)
    var stored = try #require(try keychain.storedItemNow(at: path))
    expect(stored.attributes == attributes && stored.label == label)
    try expect(keychain.storedBody(at: path), is: "second\noauth_refresh_token=t0ken")
    var item = try #require(try keychain.find(.internet("github.com")).first)
    item.label = "work"
    item.comment = "a remark"
    try keychain.update(item)
    stored = try #require(try keychain.storedItemNow(at: path))
    expect(stored.attributes, is: attributes.merging(["llavero:comment": "a remark"]) { $1 })
    expect(stored.label, is: "work")
    try expect(keychain.items(matching: .all).count, is: 1)
  }

  @Test("items that are no passwords here are counted, never listed, and never touched")
  func strangers() throws {
    let keychain = try keyring.keychain()
    let strangers = [
      ["xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chrome"],
      ["protocol": "https", "server": "example.com", "port": "0"], ["protocol": "https", "user": "alice"],
      [:],
    ]
    let paths = try strangers.map { try keychain.makeForeignItem($0, label: "x", secret: "x") }
    try expect(keychain.items(matching: .all), is: [])
    try expect(keychain.facts().collection?.itemCount, is: strangers.count)
    try keychain.save(.internet(account: "alice"), .text("s3cret"))
    try expect(keychain.erase(.internet()), is: 1)
    for (path, attributes) in zip(paths, strangers) {
      // gnome-keyring gives a schema to items without one when it reads its own file again.
      let now = try keychain.storedItemNow(at: path)?.attributes.filter {
        $0.key != "xdg:schema" || attributes[$0.key] != nil
      }
      expect(now, is: attributes)
    }
  }

  @Test("a secret stays what it is when its item becomes one of another class")
  func classChange() throws {
    let keychain = try keyring.keychain()
    let secret: ByteString = "-----BEGIN\nkey\n-----END\npassword_expiry_utc=5\n"
    for secret in [secret, "a\nb\n", "a\npassword_expiry_utc=5"] {
      var item = try keychain.add(.generic("key"), .bytes(secret.bytes))
      item.key = Item.internet().key
      try expect(keychain.secret(of: try keychain.update(item)), is: secret)
      _ = try keychain.erase(.internet())
    }
  }
}
