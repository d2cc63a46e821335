import Expectations
import Glibc
import Keychain
import KeychainTesting
import SharedKeychain
import TestSupport
import Testing

@Suite("a shared keychain") struct SharedKeychainTests {
  private let login = GenericPassword(service: "example", account: "alice")

  @Test(
    "save adds what is missing, changes what differs, and writes nothing else",
    arguments: KeychainUnderTest.all)
  func saving(_ kind: KeychainUnderTest) throws {
    let keychain = kind.makeShared().mine
    try expect(keychain.save("one", for: login, label: "Example"), is: .added)
    let added = try #require(try keychain.item(login))
    try expect(keychain.save("one", for: login), is: .unchanged)
    try expect(keychain.item(login), is: added)
    try expect(keychain.save("one", for: login, comment: "a remark"), is: .updated)
    try expect(keychain.save("two", for: login), is: .updated)
    let item = try #require(try keychain.item(login))
    expect(item.reference, is: added.reference)
    expect(item.label, is: "Example")
    expect(item.comment, is: "a remark")
    try expect(keychain[login], is: "two")
    try expect(keychain.items().count, is: 1)
  }

  @Test("save keeps expiry and refresh token with the secret they came with, and not with another")
  func savingConfidentialParts() throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    try keychain.save(Credential(Secret("one"), expiry: 4_000_000_000, refreshToken: Secret("r")), for: login)
    try expect(keychain.save("one", for: login), is: .unchanged)
    try expect(keychain.credential(of: login)?.expiry, is: 4_000_000_000)
    try expect(keychain.credential(of: login)?.hasRefreshToken, is: true)
    try expect(keychain.save("two", for: login), is: .updated)
    try expect(keychain.credential(of: login)?.expiry, is: nil)
    try expect(keychain.credential(of: login)?.hasRefreshToken, is: false)
  }

  @Test("what is not there is nil, and add of what is there an error", arguments: KeychainUnderTest.all)
  func absence(_ kind: KeychainUnderTest) throws {
    let keychain = kind.makeShared().mine
    try expect(keychain[login], is: nil)
    try expect(keychain.item(login), is: nil)
    try expect(keychain.bytes(of: login), is: nil)
    try expect(keychain.delete(login), is: false)
    #expect(throws: KeychainError.itemNotFound) { try keychain.update(login) { $0.comment = "x" } }
    try keychain.add("one", for: login)
    #expect(throws: KeychainError.duplicateItem) { try keychain.add("two", for: login) }
    try expect(keychain[login], is: "one")
    try expect(keychain.delete(login))
    try expect(keychain[login], is: nil)
  }

  @Test("update changes attributes, the secret, or both", arguments: KeychainUnderTest.all)
  func updating(_ kind: KeychainUnderTest) throws {
    let keychain = kind.makeShared().mine
    try keychain.add("one", for: login, label: "Example", description: "token")
    try expect(keychain.update(login) { $0.comment = "a remark" }.comment, is: "a remark")
    try expect(keychain[login], is: "one")
    try keychain.update(login, secret: "two") { $0.label = nil }
    let item = try #require(try keychain.item(login))
    expect(item.comment, is: "a remark")
    expect(item.itemDescription, is: "token")
    expect(item.label, is: nil)
    try expect(keychain[login], is: "two")
    try keychain.update(item, secret: [1, 2, 255] as [UInt8])
    try expect(keychain.bytes(of: login), is: [1, 2, 255])
  }

  @Test("a body that throws changes nothing")
  func throwingBody() throws {
    let keychain = SharedKeychain(
      InMemoryKeychain([.genericPassword(service: "example", account: "alice"): "one"]))
    #expect(throws: KeychainError.promptDismissed) {
      try keychain.update(login) { (item) throws(KeychainError) in
        item.comment = "x"
        throw .promptDismissed
      }
    }
    #expect(throws: KeychainError.promptDismissed) {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.save("two", for: login)
        throw .promptDismissed
      }
    }
    try expect(keychain.item(login)?.comment, is: nil)
    try expect(keychain[login], is: "one")
  }

  @Test("a body may throw errors of its own, and they come through and undo what it did")
  func otherErrors() async throws {
    struct Refusal: Error {}
    let keychain = SharedKeychain(InMemoryKeychain())
    let login = login
    #expect(throws: Refusal.self) {
      try keychain.exclusively {
        try keychain.save("one", for: login)
        throw Refusal()
      }
    }
    try expect(keychain.items().isEmpty)
    #expect(throws: Refusal.self) { try keychain.reading { throw Refusal() } }
    await #expect(throws: Refusal.self) { try await keychain.perform { _ in throw Refusal() } }
    try keychain.exclusively { try keychain.save("two", for: login) }
    try expect(keychain.reading { try keychain[login] }, is: "two")
    let secret = try await keychain.perform { try $0.secret(of: login) }
    expect(secret?.revealed, is: Array("two".utf8))
    #expect(throws: KeychainError.duplicateItem) {
      try keychain.exclusively { _ = try keychain.add("x", for: login) }
    }
  }

  @Test("an update that changes nothing writes nothing")
  func updatingNothing() throws {
    let clock = SettableClock()
    let keychain = SharedKeychain(InMemoryKeychain(clock: clock.read))
    let before = try keychain.add("one", for: login, comment: "x")
    clock.now.milliseconds += 5000
    try expect(keychain.update(login) { $0.comment = "x" }, is: before)
  }

  @Test("a key without an account names an item without one, and no other", arguments: KeychainUnderTest.all)
  func absentAccount(_ kind: KeychainUnderTest) throws {
    let keychain = kind.makeShared().mine
    try keychain.add("alice's", for: login)
    try expect(keychain[GenericPassword(service: "example")], is: nil)
    try keychain.add("nobody's", for: GenericPassword(service: "example"))
    try expect(keychain[GenericPassword(service: "example")], is: "nobody's")
    try expect(keychain.delete(GenericPassword(service: "example")))
    try expect(keychain[login], is: "alice's")
  }

  @Test("keys can be written in place, from literals and from variables")
  func keysInPlace() throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    let account = ["ali", "ce"].joined()
    try keychain.save("one", for: .genericPassword(service: "example", account: account))
    try expect(keychain[.genericPassword(service: "example", account: "alice")], is: "one")
    try expect(keychain[GenericPassword(service: "example", account: account)], is: "one")
    try keychain.save("two", for: .internetPassword(server: "EXAMPLE.com", account: account))
    let key = InternetPassword(protocol: "https", server: "example.com", port: 443, account: "alice")
    try expect(keychain[key], is: "two")
    try expect(
      keychain[.internetPassword(server: "example.com", account: "alice", protocol: "http")], is: nil)
  }

  @Test("items are found by their attributes, exactly", arguments: KeychainUnderTest.all)
  func finding(_ kind: KeychainUnderTest) throws {
    let keychain = kind.makeShared().mine
    let web = InternetPassword(server: "example.com", account: "alice")
    let mail = InternetPassword(server: "example.com", account: "alice", protocol: "imap")
    try keychain.save("w", for: web, label: "the site")
    try keychain.save("m", for: mail)
    try keychain.save("g", for: login)
    func keys(_ items: [Item]) -> Set<Item.Key> { Set(items.map(\.key.primaryKey)) }
    expect(keys(try keychain.items()).count, is: 3)
    expect(
      keys(try keychain.internetPasswords(server: "example.com")),
      is: [Item.Key.internetPassword(web).primaryKey, Item.Key.internetPassword(mail).primaryKey])
    expect(
      keys(try keychain.internetPasswords(protocol: "imap")), is: [Item.Key.internetPassword(mail).primaryKey]
    )
    expect(
      keys(try keychain.internetPasswords(label: "the site")), is: [Item.Key.internetPassword(web).primaryKey]
    )
    expect(keys(try keychain.genericPasswords(service: "example")), is: [.genericPassword(login)])
    try expect(keychain.genericPasswords(account: "bob").isEmpty)
    try expect(keychain.delete(try keychain.internetPasswords(account: "alice")), is: 2)
    expect(keys(try keychain.items()), is: [.genericPassword(login)])
  }

  @Test("what git would be given is a question of its own")
  func answering() throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    try keychain.save("org", for: .internetPassword(server: "example.com", account: "alice", path: "org"))
    let query = try ItemQuery.internet(path: "org/app.git")
    try expect(keychain.answer(to: query)?.credential.revealed.secret, is: "org")
    try expect(
      keychain[.internetPassword(server: "example.com", account: "alice", path: "org/app.git")], is: nil)
  }

  @Test("a secret that is no text is bytes, and an error as text")
  func notText() throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    try keychain.save([0xff, 0xfe] as [UInt8], for: login)
    try expect(keychain.bytes(of: login), is: [0xff, 0xfe])
    #expect(throws: KeychainError.unusableAttribute(name: "secret", .notText)) {
      try keychain.string(of: login)
    }
    #expect(throws: KeychainError.unusableAttribute(name: "secret", .notText)) { _ = try keychain[login] }
  }

  @Test("a locked keychain is an error in every call, and never an absence")
  func locked() throws {
    let faults = KeychainFaults()
    let keychain = SharedKeychain(FailingKeychain(InMemoryKeychain(), faults))
    try keychain.save("one", for: login)
    faults.lock()
    let error = KeychainError.locked(path: "in memory")
    #expect(throws: error) { try keychain[login] }
    #expect(throws: error) { try keychain.item(login) }
    #expect(throws: error) { try keychain.items() }
    #expect(throws: error) { try keychain.save("two", for: login) }
    #expect(throws: error) { try keychain.add("two", for: login) }
    #expect(throws: error) { try keychain.update(login) { $0.comment = "x" } }
    #expect(throws: error) { try keychain.delete(login) }
    #expect(throws: error) { try keychain.changes() }
    expect(keychain.probe(), is: .locked(error))
    faults.clear()
    try expect(keychain[login], is: "one")
    expect(keychain.probe(), is: .ready)
  }

  @Test("a keychain that fails to write is seen by probe, and leaves what was there")
  func full() throws {
    let faults = KeychainFaults()
    let keychain = SharedKeychain(FailingKeychain(InMemoryKeychain(), faults))
    try keychain.save("one", for: login)
    let error = KeychainError.system(operation: "write", path: "/x", errno: ENOSPC)
    faults.fail([.adding, .updating], with: error)
    expect(keychain.probe(), is: .notWritable(error))
    expect(!keychain.probe().canKeepSecrets)
    #expect(throws: error) { try keychain.save("two", for: login) }
    try expect(keychain[login], is: "one")
  }

  @Test("an in-memory keychain begins with what it is given")
  func initialItems() throws {
    let keychain = SharedKeychain(
      InMemoryKeychain([
        .genericPassword(service: "example", account: "alice"): "one",
        .internetPassword(server: "example.com", account: "bob"): "two",
        .genericPassword(service: "example", account: "alice"): "three",
      ]))
    try expect(keychain.items().count, is: 2)
    try expect(keychain[login], is: "three")
    try expect(keychain[.internetPassword(server: "example.com", account: "bob")], is: "two")
  }

  @Test("threads that count up together lose nothing", arguments: KeychainUnderTest.all)
  func threads(_ kind: KeychainUnderTest) throws {
    let (mine, others) = kind.makeShared()
    let key = login
    concurrently(6) { number in
      let keychain = number % 2 == 0 ? mine : others
      for _ in 0..<5 {
        do throws(KeychainError) {
          try keychain.exclusively { () throws(KeychainError) in
            let count = try keychain[key].flatMap { Int($0) } ?? 0
            try keychain.save(String(count + 1), for: key)
          }
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    try expect(mine[login], is: "30")
  }
}

@Suite("calls on the keychain's own thread", .serialized) struct PerformTests {
  private let login = GenericPassword(service: "example", account: "alice")

  @Test("calls that wait keep no task waiting, and one thread does them all")
  func waiting() async throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    let openings = Collected<Void>()
    let counts = Collected<Int>()
    let login = login
    try await withThrowingTaskGroup(of: Void.self) { group in
      // More than there are threads for tasks.
      for number in 0..<64 {
        group.addTask {
          try await keychain.perform { (keychain) throws(KeychainError) in
            while openings.all.isEmpty { usleep(1000) }
            counts.append(OwnProcess.threads(named: "keychain"))
            try keychain.save("\(number)", for: login)
          }
        }
      }
      group.addTask {
        try await Task.sleep(for: .milliseconds(20))
        openings.append(())
      }
      try await group.waitForAll()
    }
    try expect(keychain[login] != nil)
    // Threads of other tests that run meanwhile are included.
    expect(counts.all.count, is: 64)
    expect(counts.all.allSatisfy { $0 < 32 })
  }
}
