import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("updating") struct Updating {
    @Test("a change keeps reference and creation date, and is dated", arguments: KeychainUnderTest.all)
    func dates(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(.internet(account: "alice"), "old")
      fresh.clock.advance(seconds: 60)
      var item = added
      item.label = "work"
      item.creationDate = Timestamp(seconds: 1)
      item.modificationDate = Timestamp(seconds: 2)
      let changed = try fresh.keychain.update(item, Credential.text("new"))
      #expect(changed.reference == added.reference)
      #expect(changed.creationDate == added.creationDate)
      #expect(fresh.isNow(changed.modificationDate))
      #expect(changed.label == "work")
      #expect(try fresh.reopened.items(matching: .all) == [changed])
      #expect(try fresh.reopened.secret(of: changed) == "new")
    }

    @Test("a change of attributes keeps all that is confidential", arguments: KeychainUnderTest.all)
    func keepsCredential(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(
        .internet(account: "alice"),
        Credential.bytes([0xff, 0], expiry: 4_000_000_000, refreshToken: [0xfe], scheme: "Bearer"))
      var item = added
      item.comment = "until May"
      try fresh.keychain.update(item)
      let kept = try fresh.reopened.credential(of: added).revealed
      #expect(
        kept
          == RevealedCredential(
            attribute([0xff, 0]), expiry: 4_000_000_000, refreshToken: attribute([0xfe]), scheme: "Bearer"))
    }

    @Test("a change of the secret drops what the new one lacks", arguments: KeychainUnderTest.all)
    func dropsRest(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(
        .internet(account: "alice"),
        Credential.text("old", expiry: 4_000_000_000, refreshToken: "token", scheme: "Bearer"))
      try fresh.keychain.update(added, Credential.text("new"))
      #expect(try fresh.reopened.credential(of: added).revealed == RevealedCredential("new"))
    }

    @Test("what no tool gets stays until somebody changes that", arguments: KeychainUnderTest.all)
    func keepsFurther(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = Item.internet(account: "alice")
      item.addField("Door", "open\nwide")
      item.addField("Door", "shut")
      item.tags = ["Work", "Ü & co"]
      var credential = Credential.text("old")
      credential.further.oneTimeCode = Secret("otpauth://totp/a?secret=GEZDGNBV&issuer=\\")
      credential.further.addField("PIN \"of\" \\ the", Secret("12\n34"))
      let added = try fresh.keychain.add(item, credential)
      func parts() throws -> [String] {
        let credential = try fresh.reopened.credential(of: added)
        var parts = credential.secret.withUnsafeBytes { [String(decoding: $0, as: UTF8.self)] }
        switch credential.further.oneTimeCode {
        case .none: break
        case .some(let code): parts.append(code.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        credential.further.forEachField { parts.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
        return parts
      }
      let code = "otpauth://totp/a?secret=GEZDGNBV&issuer=\\"
      let pin = "PIN \"of\" \\ the=12\n34"
      #expect(try parts() == ["old", code, pin])
      let held = try #require(try fresh.reopened.items(matching: .all).first)
      #expect(
        held.fields.map(\.name) == ["Door", "Door 2"] && held.fields.map(\.value) == ["open\nwide", "shut"])
      #expect(held.tags == ["Work", "Ü & co"])
      // As git and every tool that stores a login again.
      try fresh.keychain.save(.internet(account: "alice"), Credential.text("new"))
      #expect(try parts() == ["new", code, pin])
      try fresh.keychain.update(held, Credential.text("newer"))
      #expect(try parts() == ["newer", code, pin])
      var without = Credential.text("newer")
      without.further.oneTimeCode = Secret()
      try fresh.keychain.update(held, without)
      #expect(try parts() == ["newer", pin])
      var change = Credential.text("newer")
      change.further.oneTimeCode = Secret(code)
      try fresh.keychain.update(held, change)
      #expect(try parts() == ["newer", code, pin])
    }

    @Test(
      "a refused password goes, and what no tool gets stays for the next one",
      arguments: KeychainUnderTest.all)
    func refused(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var credential = Credential.text("old")
      credential.further.oneTimeCode = Secret("otpauth://totp/a?secret=GEZDGNBV")
      try fresh.keychain.add(.internet(account: "alice"), credential)
      let query = try ItemQuery(for: Item.internet().key)
      #expect(try fresh.keychain.erase(query, holding: Secret("old"), at: fresh.clock.read()) == 1)
      let marked = try #require(try fresh.reopened.items(matching: .all).first)
      let isMarked = try fresh.reopened.credential(of: marked).expiry != nil
      #expect(isMarked)
      try fresh.keychain.save(.internet(account: "alice"), Credential.text("new"), at: fresh.clock.read())
      let held = try #require(try fresh.reopened.items(matching: .all).first)
      let kept = try fresh.reopened.credential(of: held)
      let isKept = kept.further.hasOneTimeCode && kept.expiry == nil
      #expect(isKept)
      #expect(try fresh.reopened.items(matching: .all).count == 1)
    }

    @Test("attributes that a change lacks are removed", arguments: KeychainUnderTest.all)
    func removesAttributes(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = Item.internet(account: "alice")
      item.label = "l"
      item.comment = "c"
      item.isDefault = true
      var added = try fresh.keychain.add(item, "x")
      added.label = nil
      added.comment = nil
      added.isDefault = false
      let changed = try fresh.keychain.update(added)
      #expect(changed.label == nil && changed.comment == nil && !changed.isDefault)
      #expect(try fresh.reopened.items(matching: .all) == [changed])
    }

    @Test("an item can move to another key, and keeps its reference", arguments: KeychainUnderTest.all)
    func moves(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(.internet(account: "alice"), "x")
      var item = added
      item.key = Item.generic("tool:key", account: "alice").key
      let moved = try fresh.keychain.update(item)
      #expect(moved.reference == added.reference)
      #expect(try fresh.reopened.find(.internet()).isEmpty)
      #expect(try fresh.reopened.find(.generic("tool:key")) == [moved])
      #expect(try fresh.reopened.secret(of: moved) == "x")
      item.key = Item.internet("aaa.example").key
      try fresh.keychain.update(item, Credential.text("y"))
      #expect(try fresh.reopened.answeredSecret(.internet("aaa.example")) == "y")
      #expect(try fresh.reopened.items(matching: .all).count == 1)
    }

    @Test("an item is known by its reference after somebody moved it", arguments: KeychainUnderTest.all)
    func staleKey(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      let stale = try keychain.add(.internet(account: "alice"), "x")
      try keychain.add(.internet(account: "carol"), "z")
      var item = stale
      item.key = Item.internet(account: "bob").key
      try keychain.update(item)
      #expect(try keychain.secret(of: stale) == "x")
      #expect(try keychain.delete([stale]) == 1)
      #expect(try keychain.foundAccounts(.internet()) == ["carol"])
    }

    @Test("an item can't move to the key of another", arguments: KeychainUnderTest.all, CollisionRow.all)
    func collisions(kind: KeychainUnderTest, row: CollisionRow) throws {
      let fresh = kind.make()
      try fresh.keychain.add(row.first, "first")
      var second = try fresh.keychain.add(.internet("else.example"), "second")
      let before = try fresh.keychain.everything()
      second.key = row.second.key
      if row.collide {
        #expect(throws: KeychainError.duplicateItem) { try fresh.keychain.update(second) }
        #expect(throws: KeychainError.duplicateItem) {
          try fresh.keychain.update(second, Credential.text("third"))
        }
        #expect(try fresh.reopened.everything() == before)
      } else {
        try fresh.keychain.update(second, Credential.text("third"))
        #expect(try fresh.reopened.secret(of: second) == "third")
      }
    }

    @Test(
      "every attribute and the whole key can change at once, and the secret too",
      arguments: KeychainUnderTest.all)
    func everything(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(
        .internet(account: "alice"),
        Credential.text("old", expiry: 4_000_000_000, refreshToken: "token", scheme: "Bearer"))
      var item = added
      item.key =
        Item.internet(
          "other.example", account: "bob", path: "team", protocol: "ssh", port: 2222, domain: "docker",
          authenticationType: "form"
        ).key
      item.label = "label"
      item.comment = attribute(Array("two\nlines ".utf8))
      item.itemDescription = "description"
      item.creator = "creator"
      item.type = "type"
      item.isDefault = true
      let changed = try fresh.keychain.exclusively { () throws(KeychainError) -> Item in
        var credential = try fresh.keychain.credential(of: item)
        credential.expiry = 4_100_000_000
        credential.authenticationScheme = nil
        return try fresh.keychain.update(item, credential)
      }
      #expect(changed.key == item.key)
      #expect(changed.comment == item.comment)
      var kept = try #require(try fresh.reopened.items(matching: .all).first)
      #expect(
        try fresh.reopened.credential(of: kept).revealed
          == RevealedCredential("old", expiry: 4_100_000_000, refreshToken: "token"))
      kept.modificationDate = item.modificationDate
      kept.creationDate = item.creationDate
      kept.reference = item.reference
      #expect(kept == item)
      #expect(try fresh.reopened.items(matching: .all).count == 1)
    }

    @Test("a chain of items can move along it in one change", arguments: KeychainUnderTest.all)
    func chain(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let first = try fresh.keychain.add(.internet("a.example", account: "a"), "first")
      let second = try fresh.keychain.add(.internet("b.example", account: "a"), "second")
      try fresh.keychain.exclusively { () throws(KeychainError) in
        var item = second
        item.key = Item.internet("c.example", account: "a").key
        try fresh.keychain.update(item)
        item = first
        item.key = second.key
        try fresh.keychain.update(item)
      }
      #expect(try fresh.reopened.find(.internet("a.example")).isEmpty)
      #expect(try fresh.reopened.answeredSecret(.internet("b.example")) == "first")
      #expect(try fresh.reopened.answeredSecret(.internet("c.example")) == "second")
    }

    @Test(
      "where one of several items can't have its new key, none has changed", arguments: KeychainUnderTest.all)
    func allOrNone(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let items = [
        try fresh.keychain.add(.internet("a.example", account: "a"), "first"),
        try fresh.keychain.add(.internet("b.example", account: "a"), "second"),
      ]
      let before = try fresh.keychain.everything()
      #expect(throws: KeychainError.duplicateItem) {
        try fresh.keychain.exclusively { () throws(KeychainError) in
          for var item in items {
            item.key = Item.internet("c.example", account: "a").key
            try fresh.keychain.update(item)
          }
        }
      }
      #expect(try fresh.reopened.everything() == before)
    }

    @Test("an item can take another spelling of its own key", arguments: KeychainUnderTest.all)
    func ownKey(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = try fresh.keychain.add(.internet("example.com", account: "a"), "x")
      item.key = Item.internet("Example.COM", account: "a", protocol: "HTTPS", port: 443).key
      let changed = try fresh.keychain.update(item)
      #expect(changed.key == item.key)
      #expect(try fresh.reopened.find(.internet()) == [changed])
    }

    @Test("an item that is gone, or never was, can't be changed", arguments: KeychainUnderTest.all)
    func gone(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(.internet()) }
      let added = try fresh.keychain.add(.internet(account: "alice"), "x")
      try fresh.keychain.delete([added])
      try fresh.keychain.add(.internet(account: "alice"), "y")
      let before = try fresh.keychain.everything()
      var unknown = added
      unknown.reference = ItemReference("no such item")
      for item in [added, unknown, .internet(account: "alice")] {
        #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(item) }
        #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(item, Credential.text("z")) }
        #expect(throws: KeychainError.itemNotFound) { _ = try fresh.keychain.credential(of: item).revealed }
      }
      #expect(try fresh.reopened.everything() == before)
    }
  }

  @Suite("deleting") struct Deleting {
    @Test("only what was named is deleted", arguments: KeychainUnderTest.all)
    func delete(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "b")
      let aws = try fresh.keychain.add(.generic("aws:x"), "c")
      #expect(try fresh.keychain.delete([alice, aws]) == 2)
      #expect(try fresh.reopened.items(matching: .all) == [bob])
      #expect(try fresh.reopened.secret(of: bob) == "b")
    }

    @Test("deleting what is gone deletes nothing and is no error", arguments: KeychainUnderTest.all)
    func gone(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "b")
      #expect(try fresh.keychain.delete([alice, alice]) == 1)
      let writes = fresh.writes
      #expect(try fresh.keychain.delete([alice]) == 0)
      #expect(try fresh.keychain.delete([]) == 0)
      #expect(try fresh.keychain.delete([.internet(account: "bob")]) == 0)
      #expect(fresh.writes == writes)
      #expect(try fresh.reopened.items(matching: .all) == [bob])
    }

    @Test("deleting from an empty keychain makes nothing", arguments: KeychainUnderTest.all)
    func empty(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = Item.internet()
      item.reference = ItemReference("no such item")
      #expect(try fresh.keychain.delete([item]) == 0)
      #expect(fresh.writes ?? 0 == 0)
    }

    @Test("a keychain can be emptied and filled again", arguments: KeychainUnderTest.all)
    func emptied(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.delete([try fresh.keychain.add(.internet(), "a")])
      #expect(try fresh.reopened.items(matching: .all).isEmpty)
      try fresh.keychain.add(.internet(), "b")
      #expect(try fresh.reopened.answeredSecret(.internet()) == "b")
    }
  }
}
