import Expectations
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
      expect(changed.reference, is: added.reference)
      expect(changed.creationDate, is: added.creationDate)
      expect(fresh.isNow(changed.modificationDate))
      expect(changed.label, is: "work")
      try expect(fresh.reopened.items(matching: .all), is: [changed])
      try expect(fresh.reopened.secret(of: changed), is: "new")
    }

    @Test("what is so already isn't changed", arguments: KeychainUnderTest.all)
    func isSoAlready(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(.internet(account: "alice"), "old")
      fresh.clock.advance(seconds: 60)
      try expect(fresh.keychain.changeIfDifferent(added, to: added, nil), is: nil)
      try expect(fresh.keychain.changeIfDifferent(added, to: added, Credential.text("old")), is: nil)
      try expect(fresh.reopened.items(matching: .all), is: [added])
      var expiring = Credential.text("old")
      expiring.expiry = 4_000_000_000
      let changed = try fresh.keychain.changeIfDifferent(added, to: added, expiring.copy())
      expect(fresh.isNow(changed?.modificationDate))
      var labelled = try #require(changed)
      labelled.label = "work"
      let noted = try fresh.keychain.changeIfDifferent(try #require(changed), to: labelled, nil)
      expect(noted?.label, is: "work")
      try expect(fresh.reopened.credential(of: added).expiry, is: 4_000_000_000)
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
      expect(
        kept,
        is: RevealedCredential(
          attribute([0xff, 0]), expiry: 4_000_000_000, refreshToken: attribute([0xfe]), scheme: "Bearer"))
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
      try expect(parts(), is: ["old", code, pin])
      let held = try #require(try fresh.reopened.items(matching: .all).first)
      expect(
        held.fields.map(\.name) == ["Door", "Door 2"] && held.fields.map(\.value) == ["open\nwide", "shut"])
      expect(held.tags, is: ["Work", "Ü & co"])
      // As git and every tool that stores a login again.
      try fresh.keychain.save(.internet(account: "alice"), Credential.text("new"))
      try expect(parts(), is: ["new", code, pin])
      try fresh.keychain.update(held, Credential.text("newer"))
      try expect(parts(), is: ["newer", code, pin])
      var without = Credential.text("newer")
      without.further.oneTimeCode = Secret()
      try fresh.keychain.update(held, without)
      try expect(parts(), is: ["newer", pin])
      var change = Credential.text("newer")
      change.further.oneTimeCode = Secret(code)
      try fresh.keychain.update(held, change)
      try expect(parts(), is: ["newer", code, pin])
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
      try expect(fresh.keychain.erase(query, holding: Secret("old"), at: fresh.clock.read()), is: 1)
      let marked = try #require(try fresh.reopened.items(matching: .all).first)
      let isMarked = try fresh.reopened.credential(of: marked).expiry != nil
      expect(isMarked)
      try fresh.keychain.save(.internet(account: "alice"), Credential.text("new"), at: fresh.clock.read())
      let held = try #require(try fresh.reopened.items(matching: .all).first)
      let kept = try fresh.reopened.credential(of: held)
      let isKept = kept.further.hasOneTimeCode && kept.expiry == nil
      expect(isKept)
      try expect(fresh.reopened.items(matching: .all).count, is: 1)
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
      expect(changed.label == nil && changed.comment == nil && !changed.isDefault)
      try expect(fresh.reopened.items(matching: .all), is: [changed])
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
        try expect(fresh.reopened.everything(), is: before)
      } else {
        try fresh.keychain.update(second, Credential.text("third"))
        try expect(fresh.reopened.secret(of: second), is: "third")
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
      expect(changed.key, is: item.key)
      expect(changed.comment, is: item.comment)
      var kept = try #require(try fresh.reopened.items(matching: .all).first)
      try expect(
        fresh.reopened.credential(of: kept).revealed,
        is: RevealedCredential("old", expiry: 4_100_000_000, refreshToken: "token"))
      kept.modificationDate = item.modificationDate
      kept.creationDate = item.creationDate
      kept.reference = item.reference
      expect(kept, is: item)
      try expect(fresh.reopened.items(matching: .all).count, is: 1)
    }

    @Test("an item that is gone, or never was, can't be changed", arguments: KeychainUnderTest.all)
    func gone(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var unknown = Item.internet(account: "alice")
      unknown.reference = ItemReference("no such item")
      try expect(fresh.keychain.delete([unknown]), is: 0)
      expect(fresh.writes ?? 0, is: 0)
      #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(.internet()) }
      let added = try fresh.keychain.add(.internet(account: "alice"), "x")
      try fresh.keychain.delete([added])
      try fresh.keychain.add(.internet(account: "alice"), "y")
      let before = try fresh.keychain.everything()
      for item in [added, unknown, .internet(account: "alice")] {
        #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(item) }
        #expect(throws: KeychainError.itemNotFound) { try fresh.keychain.update(item, Credential.text("z")) }
        #expect(throws: KeychainError.itemNotFound) { _ = try fresh.keychain.credential(of: item).revealed }
      }
      try expect(fresh.reopened.everything(), is: before)
    }
  }
}
