import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a keyring that others use too", .timeLimit(.minutes(60))) struct KeyringTests {
  @Test("plain and encrypted sessions read each other's items, byte for byte")
  func sessions() throws {
    let keyring = PrivateKeyring()
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
        #expect(try reader.credential(of: item).revealed == credential.revealed)
        #expect(try reader.delete([item]) == 1)
      }
    }
  }

  @Test("what another program changes between two looks is seen")
  func changes() throws {
    let keyring = PrivateKeyring()
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let item = try mine.add(.internet(account: "alice"), "first")
    #expect(try mine.answeredSecret(.internet()) == "first")
    try other.update(item, .text("second"))
    #expect(try mine.secret(of: item) == "second")
    var renamed = item
    renamed.key = Item.internet(account: "bob").key
    renamed.comment = "renamed"
    try other.update(renamed)
    #expect(try mine.find(.internet()).map(\.comment) == ["renamed"])
    #expect(try mine.foundAccounts(.internet()) == ["bob"])
    // What was read before is not what is changed.
    var older = item
    older.comment = "mine"
    #expect(try mine.update(older).key == item.key)
    #expect(try other.foundAccounts(.internet()) == ["alice"])
    #expect(try other.delete([item]) == 1)
    #expect(failure { try mine.credential(of: item) } == .itemNotFound)
    #expect(failure { try mine.update(item) } == .itemNotFound)
    #expect(failure { try mine.update(item, .text("x")) } == .itemNotFound)
    #expect(try mine.find(.internet()) == [])
  }

  @Test("an item that is there is not added once more")
  func sameItem() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "alice"), "first")
    #expect(failure { try keychain.add(item, "second") } == .duplicateItem)
    #expect(try keychain.items(matching: .all) == [item])
    #expect(try keychain.secret(of: item) == "first")
  }

  @Test("deleting what is gone already is no error, and counts nothing")
  func deleteTwice() throws {
    let keyring = PrivateKeyring()
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let items = [try mine.add(.internet("a.example"), "a"), try mine.add(.internet("b.example"), "b")]
    #expect(try other.delete([items[0]]) == 1)
    #expect(try mine.delete(items) == 1)
    #expect(try mine.delete(items) == 0)
    #expect(try mine.delete([.internet("never.example")]) == 0)
    #expect(try mine.items(matching: .all) == [])
  }

  @Test("a reference that nobody gave is of no item")
  func references() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    for text in [
      "", "@", "/", "nonsense", "/org/freedesktop/secrets/collection/login/99@0", "//@1", "\u{0}",
    ] {
      var item = Item.internet()
      item.reference = ItemReference(ByteString(text))
      #expect(failure { try keychain.credential(of: item) } == .itemNotFound, "\(text)")
      #expect(failure { try keychain.update(item) } == .itemNotFound, "\(text)")
      #expect(try keychain.delete([item]) == 0, "\(text)")
    }
    #expect(try keychain.facts().collection?.name == "login")
  }

  @Test("the path of an item that is gone is not taken for the item when another has it")
  func pathReuse() throws {
    let keyring = PrivateKeyring()
    let old = try keyring.keychain().add(.internet("old.example"), "old")
    let added = time(nil)
    #expect(try keyring.keychain().delete([old]) == 1)
    keyring.restartKeyring()
    try waitUntil { time(nil) > added + 1 }
    let keychain = try keyring.keychain()
    let new = try keychain.add(.internet("new.example"), "new")
    try #require(new.path == old.path, "gnome-keyring gives paths anew")
    #expect(failure { try keychain.credential(of: old) } == .itemNotFound)
    #expect(failure { try keychain.update(old, .text("x")) } == .itemNotFound)
    #expect(try keychain.delete([old]) == 0)
    #expect(try keychain.secret(of: new) == "new")
  }

  @Test("an account that differs in nothing but how Unicode spells it is another one")
  func normalization() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "\u{e9}"), "s3cret")
    var other = item
    other.key = Item.internet(account: "e\u{301}").key
    for comment in ["e\u{301}", "\u{e9}"] as [ByteString] {
      other.comment = comment
      let updated = try keychain.update(other)
      #expect(updated.key == other.key && updated.comment == comment)
      #expect(updated.reference == item.reference)
    }
    other.label = "e\u{301}"
    #expect(try keychain.update(other).label == "e\u{301}")
    other.label = "\u{e9}"
    #expect(try keychain.update(other).label == "\u{e9}")
    #expect(try keyring.keychain().foundAccounts(.internet()) == ["e\u{301}"])
    #expect(try keychain.add(.internet(account: "\u{e9}"), "other").reference != item.reference)
  }

  // MARK: Several changes

  @Test("nothing is sent where the body of several changes fails")
  func exclusivelyFailing() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "alice"), "s3cret")
    let before = try keychain.everything()
    let error = failure {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet("new.example"), "new")
        try keychain.update(item, .text("changed"))
        try keychain.delete([item])
        #expect(try keychain.items(matching: .all).map(\.key) == [Item.internet("new.example").key])
        throw KeychainError.promptDismissed
      }
    }
    #expect(error == .promptDismissed)
    #expect(try keychain.everything() == before)
    #expect(try keyring.keychain().everything() == before)
    // The lock is free again.
    try keyring.keychain { $0.patience = 0 }.add(.internet("new.example"), "new")
  }

  @Test("several changes are sent as they are in the end, and what an inner body undid is not")
  func exclusively() throws {
    let keyring = PrivateKeyring()
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
      #expect(failure { try keychain.add(.internet(account: "alice"), "x") } == .duplicateItem)
      var moved = item
      moved.key = Item.internet(account: "bob").key
      try keychain.update(moved)
      try keychain.add(.internet(account: "alice"), "of alice")
      // Other processes don't see it yet.
      do { #expect(try keyring.keychain().items(matching: .all).count == 1) } catch { Issue.record(error) }
    }
    let other = try keyring.keychain()
    #expect(try other.items(matching: .all).count == 3)
    #expect(try other.answeredSecret(.internet("new.example")) == "second")
    #expect(try other.answeredSecret(.internet(account: "bob")) == "s3cret")
    #expect(try other.answeredSecret(.internet(account: "alice")) == "of alice")
  }

  @Test("of several that add the same item at once, one does and the others are told")
  func sameKeyAtOnce() throws {
    let keyring = PrivateKeyring()
    let outcomes = Collected<String>()
    concurrently(4) { number in
      do {
        let keychain = try keyring.keychain()
        try keychain.add(.internet(account: "alice"), "\(number)")
        outcomes.append("added")
      } catch { outcomes.append("\(error)") }
    }
    #expect(outcomes.all.sorted() == ["added", "duplicateItem", "duplicateItem", "duplicateItem"])
    #expect(try keyring.keychain().items(matching: .all).count == 1)
  }

  @Test("of several that save at once, none is lost and none is there twice")
  func saveAtOnce() throws {
    let keyring = PrivateKeyring()
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
    #expect(errors.all == [])
    #expect(try keyring.keychain().items(matching: .all).count == 8)
  }

  @Test("a writer gives up when its patience ends, says who keeps it waiting, and reads all the same")
  func lock() throws {
    let keyring = PrivateKeyring()
    let (holder, other) = (try keyring.keychain(), try keyring.keychain { $0.patience = 0 })
    try holder.exclusively { () throws(KeychainError) in
      guard case .busy(let path, seconds: 0)? = failure({ try other.add(.internet(), "x") }) else {
        Issue.record("it was not busy")
        return
      }
      #expect(path.hasSuffix("/secret-service.lock"))
      do { #expect(try other.items(matching: .all) == []) } catch { Issue.record(error) }
    }
  }

  // MARK: Other programs' items

  @Test("an item of git's helper is changed in place, and is git's afterwards")
  func gitItem() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let attributes = [
      "xdg:schema": "org.git.Password", "protocol": "https", "server": "github.com", "user": "alice",
      "other:note": "kept",
    ]
    let label = "Git: https://github.com/"
    let path = try keychain.makeForeignItem(
      attributes, label: label, secret: "first\npassword_expiry_utc=4000000000\nfuture=1")
    let found = try #require(try keychain.revealedAnswer(.internet("github.com")))
    #expect(found.credential == RevealedCredential("first", expiry: 4_000_000_000))
    #expect(found.item.label == nil)
    let saved = Item.internet("github.com", account: "alice")
    #expect(try keychain.save(saved, .text("second", refreshToken: "t0ken")) == .updated)
    var stored = try #require(try keychain.storedItemNow(at: path))
    #expect(stored.attributes == attributes && stored.label == label)
    #expect(try keychain.storedBody(at: path) == "second\noauth_refresh_token=t0ken")
    var item = try #require(try keychain.find(.internet("github.com")).first)
    item.label = "work"
    item.comment = "a remark"
    try keychain.update(item)
    stored = try #require(try keychain.storedItemNow(at: path))
    #expect(stored.attributes == attributes.merging(["llavero:comment": "a remark"]) { $1 })
    #expect(stored.label == "work")
    #expect(try keychain.items(matching: .all).count == 1)
  }

  @Test("items that are no passwords here are counted, never listed, and never touched")
  func strangers() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let strangers = [
      ["xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chrome"],
      ["protocol": "https", "server": "example.com", "port": "0"], ["protocol": "https", "user": "alice"],
      [:],
    ]
    let paths = try strangers.map { try keychain.makeForeignItem($0, label: "x", secret: "x") }
    #expect(try keychain.items(matching: .all) == [])
    #expect(try keychain.facts().collection?.itemCount == strangers.count)
    try keychain.save(.internet(account: "alice"), .text("s3cret"))
    #expect(try keychain.erase(.internet()) == 1)
    for (path, attributes) in zip(paths, strangers) {
      // gnome-keyring gives a schema to items without one when it reads its own file again.
      let now = try keychain.storedItemNow(at: path)?.attributes.filter {
        $0.key != "xdg:schema" || attributes[$0.key] != nil
      }
      #expect(now == attributes)
    }
  }

  @Test("a secret stays what it is when its item becomes one of another class")
  func classChange() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let secret: ByteString = "-----BEGIN\nkey\n-----END\npassword_expiry_utc=5\n"
    for secret in [secret, "a\nb\n", "a\npassword_expiry_utc=5"] {
      var item = try keychain.add(.generic("key"), .bytes(secret.bytes))
      item.key = Item.internet().key
      #expect(try keychain.secret(of: try keychain.update(item)) == secret)
      _ = try keychain.erase(.internet())
    }
  }
}
