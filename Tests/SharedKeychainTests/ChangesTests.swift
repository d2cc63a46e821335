import EncryptedFile
import Expectations
import Glibc
import Keychain
import KeychainTesting
import SharedKeychain
import TestSupport
import Testing

@Suite("changes of a keychain", .serialized) struct ChangesTests {
  private let login = GenericPassword(service: "example", account: "alice")

  private func key(_ number: Int) -> Item.Key { .genericPassword(service: "example", account: "\(number)") }

  @Test("are told as they are made: added, updated, deleted", arguments: KeychainUnderTest.reportingChanges)
  func kinds(_ kind: KeychainUnderTest) async throws {
    let keychain = kind.makeShared().mine
    try keychain.save("zero", for: key(0))
    let log = ChangeLog(try keychain.changes())
    let added = try keychain.add("one", for: login)
    await expect(log.waits { $0 == [.added(added)] }, "\(log.all)")
    let updated = try keychain.update(login) { $0.comment = "a remark" }
    await expect(log.waits { $0.last == .updated(updated) }, "\(log.all)")
    // Within a second, and a millisecond, of the previous change.
    let count = log.all.count
    let secret = try keychain.update(login, secret: "two")
    await expect(log.waits { $0.count > count && $0.last == .updated(secret) }, "\(log.all)")
    try keychain.delete(login)
    await expect(log.waits { $0.last == .deleted(secret) }, "\(log.all)")
    expect(!log.all.contains { $0.item.key == key(0) })
  }

  @Test(
    "are told where others make them, from the moment when the sequence was made",
    arguments: KeychainUnderTest.reportingChanges)
  func others(_ kind: KeychainUnderTest) async throws {
    let (mine, others) = kind.makeShared()
    let changes = try mine.changes()
    try others.save("one", for: login)
    let log = ChangeLog(changes)
    await expect(log.waits { $0.map(\.item.key) == [.genericPassword(login)] }, "\(log.all)")
    try others.delete(login)
    await expect(
      log.waits {
        if case .deleted(let item)? = $0.last { item.key == .genericPassword(login) } else { false }
      }, "\(log.all)")
  }

  @Test("end up at what there is, however many come at once", arguments: KeychainUnderTest.reportingChanges)
  func bursts(_ kind: KeychainUnderTest) async throws {
    let (mine, others) = kind.makeShared()
    let log = ChangeLog(try mine.changes())
    for round in 0..<4 {
      for number in 0..<6 {
        let keychain = number % 2 == 0 ? mine : others
        if (round + number) % 4 == 3 {
          try keychain.delete(key(number))
        } else {
          try keychain.save("\(round)", for: key(number), comment: "\(round)")
        }
      }
    }
    let there = Set(try mine.items())
    let isUpToDate = await log.waits { changes in
      var items: [ItemReference?: Item] = [:]
      for change in changes {
        switch change {
        case .added(let item), .updated(let item): items[item.reference] = item
        case .deleted(let item): items[item.reference] = nil
        }
      }
      return Set(items.values) == there
    }
    expect(isUpToDate, "\(log.all)")
  }

  @Test("that came and went at once are none")
  func coalesced() async throws {
    let keychain = SharedKeychain(InMemoryKeychain())
    let changes = try keychain.changes()
    try keychain.add("one", for: key(1))
    try keychain.delete(key(1))
    try keychain.add("two", for: key(2))
    try keychain.update(key(2)) { $0.comment = "x" }
    let log = ChangeLog(changes)
    let item = try #require(try keychain.item(key(2)))
    await expect(log.waits { !$0.isEmpty })
    expect(log.all, is: [.added(item)])
  }

  @Test("need a keychain that can tell")
  func silentKeychain() throws {
    let keychain = SharedKeychain(SilentKeychain())
    #expect(throws: KeychainError.unavailable(reason: "this kind of keychain can't tell of changes")) {
      try keychain.changes()
    }
  }

  @Test("end with the error of a keychain that fails by now, and then for good")
  func failure() async throws {
    let faults = KeychainFaults()
    let keychain = SharedKeychain(FailingKeychain(InMemoryKeychain(), faults))
    var iterator = try keychain.changes().makeAsyncIterator()
    let error = KeychainError.damaged(path: "/x", detail: "a test")
    faults.fail([.reading], with: error)
    try keychain.add("one", for: login)
    do throws(KeychainError) {
      let change = try await iterator.next()
      Issue.record("\(String(describing: change))")
    } catch let thrown {
      expect(thrown, is: error)
    }
    try await expect(iterator.next(), is: nil)
  }

  // Each in a process of its own, because other tests open descriptors and start threads at any time.
  @Test("leave no thread and no descriptor when the task is cancelled", .aheadOfOthers)
  func cancelling() async {
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(0, ChangesTests.cancel) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(1, ChangesTests.cancel) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(2, ChangesTests.cancel) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(3, ChangesTests.cancel) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(4, ChangesTests.cancel) }
    expect(KeychainUnderTest.reportingChanges.count, is: isLongForm ? 5 : 4)
  }

  /// Runs a test of a kind of keychain, if there is one of that number, and waits until its folder and the keyring that it
  /// started are gone: this process ends next.
  private static func alone(_ kind: Int, _ body: (KeychainUnderTest) async throws -> Void) async throws {
    guard KeychainUnderTest.reportingChanges.indices.contains(kind) else { return }
    try await body(KeychainUnderTest.reportingChanges[kind])
    for _ in 0..<6000 {
      EmptyKeyring.endUnused()
      var child = siginfo_t()
      if TemporaryFolder.count == 0, waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == -1 { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("a process or \(TemporaryFolder.count) folders are left")
  }

  private static func cancel(_ kind: KeychainUnderTest) async throws {
    let login = ChangesTests().login
    let keychain = kind.makeShared().mine
    try keychain.save("one", for: login)
    let before = Resources()
    let log = ChangeLog(try keychain.changes())
    try keychain.save("two", for: login)
    await expect(log.waits { !$0.isEmpty })
    let start = ContinuousClock.now
    await log.cancel()
    expect(ContinuousClock.now - start < .seconds(30))
    await expect(before.areBack(), "\(before) \(Resources())")
    // The keychain is unchanged, and can be watched again.
    try keychain.save("three", for: login)
    let again = ChangeLog(try keychain.changes())
    try keychain.save("four", for: login)
    await expect(again.waits { !$0.isEmpty })
  }

  @Test("leave nothing where nobody loops over them", .aheadOfOthers)
  func dropping() async {
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(0, ChangesTests.drop) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(1, ChangesTests.drop) }
    await #expect(processExitsWith: .success) { try await ChangesTests.alone(2, ChangesTests.drop) }
  }

  private static func drop(_ kind: KeychainUnderTest) async throws {
    let login = ChangesTests().login
    let keychain = kind.makeShared().mine
    try keychain.save("one", for: login)
    let before = Resources()
    for _ in 0..<3 { _ = try keychain.changes() }
    await expect(before.areBack(), "\(before) \(Resources())")
    do {
      let first = ChangeLog(try keychain.changes())
      let second = ChangeLog(try keychain.changes())
      try keychain.save("two", for: login)
      await expect(first.waits { !$0.isEmpty })
      await expect(second.waits { !$0.isEmpty })
    }
    await expect(before.areBack(), "\(before) \(Resources())")
  }
}

/// The resources that watching uses.
private struct Resources: Equatable, CustomStringConvertible {
  var watches = OwnProcess.descriptors(of: "anon_inode:inotify") + OwnProcess.descriptors(of: "inotify")
  var watching = OwnProcess.threads(named: "keychain-watch")
  var listening = OwnProcess.threads(named: "keychain-bus")
  var sockets = OwnProcess.descriptors(of: "socket:")

  var description: String { "\(watches) watches, \(watching) + \(listening) threads, \(sockets) sockets" }

  /// Whether there are no more than these within a minute.
  func areBack() async -> Bool {
    for _ in 0..<6000 {
      let now = Resources()
      if now.watches <= watches, now.watching <= watching, now.listening <= listening, now.sockets <= sockets
      {
        return true
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}

/// A keychain from elsewhere, with only what the protocol requires.
private final class SilentKeychain: KeychainStore {
  private let keychain = InMemoryKeychain()

  func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try keychain.items(matching: query)
  }
  func credential(of item: Item) throws(KeychainError) -> Credential { try keychain.credential(of: item) }
  func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try keychain.add(item, credential)
  }
  func update(_ item: Item) throws(KeychainError) -> Item { try keychain.update(item) }
  func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try keychain.update(item, credential)
  }
  func delete(_ items: [Item]) throws(KeychainError) -> Int { try keychain.delete(items) }
  func exclusively<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    try keychain.exclusively(body)
  }
}
