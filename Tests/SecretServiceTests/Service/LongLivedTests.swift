import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a program that keeps its keychain for long", .timeLimit(.minutes(60))) struct LongLivedTests {
  @Test("one thread after the other uses what another one has opened")
  func threads() throws {
    let keyring = PrivateKeyring()
    for isEncrypted in [true, false] {
      nonisolated(unsafe) let keychain = try keyring.keychain { $0.isEncrypted = isEncrypted }
      let outcomes = Collected<String>()
      for number in 0..<8 {
        concurrently(1) { _ in
          do {
            let account = ByteString("\(number)")
            let item = try keychain.add(.internet(account: account), "first")
            try keychain.update(item, .text("of \(number)"))
            let earlier = try keychain.answeredSecret(.internet(account: ByteString("\(max(0, number - 1))")))
            outcomes.append("\(number) found \(earlier.map(\.description) ?? "nothing")")
          } catch { outcomes.append("\(number) failed: \(error)") }
        }
      }
      expect(outcomes.all, is: (0..<8).map { "\($0) found of \(max(0, $0 - 1))" })
      try expect(keychain.items(matching: .all).count, is: 8)
      try keychain.delete(try keychain.items(matching: .all))
    }
  }

  @Test("a session that one thread has begun to open is used by another")
  func sessionOfAnotherThread() throws {
    let keyring = PrivateKeyring()
    let item = try keyring.keychain().add(.internet(), "s3cret")
    nonisolated(unsafe) let keychain = try keyring.keychain { $0.readsSecrets = true }
    let outcomes = Collected<String>()
    concurrently(1) { _ in outcomes.append("\((try? keychain.items(matching: .all).count) ?? -1)") }
    concurrently(1) { _ in outcomes.append((try? keychain.secret(of: item))?.description ?? "nothing") }
    expect(outcomes.all, is: ["1", "s3cret"])
  }

  @Test("a keyring that was started anew is used by the next call, whatever that is")
  func restart() throws {
    let keyring = PrivateKeyring()
    for operation in Operation.all {
      let keychain = try keyring.keychain()
      let item = try keychain.add(.internet(account: "alice"), "s3cret")
      try expect(keychain.everything().count, is: 1)
      keyring.restartKeyring()
      let error = failure { try operation.run(keychain, item) }
      expect(error, is: operation.name == "add a twin" ? .duplicateItem : nil, "\(operation.name)")
      try keychain.delete(try keychain.items(matching: .all))
      try expect(keyring.keychain().items(matching: .all).isEmpty)
    }
  }

  @Test("while there is no keyring each call says so, and when there is one again it is used")
  func absence() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    let item = try keychain.add(.internet(account: "alice"), "s3cret")
    let before = try keychain.everything()
    keyring.endKeyring()
    for operation in Operation.all {
      switch failure({ try operation.run(keychain, item) }) {
      case .refused?, .unavailable?: break
      case let error: Issue.record("\(operation.name): \(String(describing: error))")
      }
    }
    keyring.restartKeyring()
    try expect(keychain.everything(), is: before)
  }

  // In a process of its own, because other tests open descriptors at any time.
  @Test("after many restarts no more descriptors are open than before", .aheadOfOthers)
  func descriptors() async {
    await #expect(processExitsWith: .success) { try LongLivedTests.restartOften() }
  }

  private static func restartOften() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain()
    try keychain.add(.internet(account: "alice"), "s3cret")
    func count() -> Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }
    func restart() throws {
      keyring.restartKeyring()
      try expect(keychain.answeredSecret(.internet()), is: "s3cret")
    }
    try restart()
    let before = count()
    for _ in 0..<6 { try restart() }
    // GLib closes a connection on its own thread, some time after the last use.
    try waitUntil { count() <= before }
  }

  @Test("a secret is read as the item says now, and not as it said when it was found")
  func changedClass() throws {
    let keyring = PrivateKeyring()
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let item = try mine.add(.internet(account: "alice"), "first")
    try expect(mine.secret(of: item), is: "first")
    var moved = item
    moved.key = Item.generic("key").key
    let secret = "first\npassword_expiry_utc=5"
    try other.update(moved, .text(secret))
    try expect(mine.secret(of: item), is: ByteString(secret))
  }

  @Test("an item that has the path of one that is gone does not give its secret away")
  func pathReuse() throws {
    let keyring = PrivateKeyring()
    let mine = try keyring.keychain()
    let old = try mine.add(.internet("old.example"), "old")
    try expect(mine.secret(of: old), is: "old")
    try expect(mine.items(matching: .all).count, is: 1)
    let added = time(nil)
    try keyring.keychain().delete([old])
    keyring.restartKeyring()
    try waitUntil { time(nil) > added + 1 }
    let new = try keyring.keychain().add(.internet("new.example"), "new")
    try #require(new.path == old.path, "gnome-keyring gives paths anew")
    expect(failure { try mine.credential(of: old) }, is: .itemNotFound)
    try expect(mine.secret(of: new), is: "new")
  }

  @Test("a collection that is made later is used")
  func laterCollection() throws {
    let keyring = PrivateKeyring()
    let keychain = try keyring.keychain { $0.collection = "later" }
    expect(failure { try keychain.items(matching: .all) }, is: .noCollection("later"))
    try keyring.keychain().createCollection("later", isKnown: true) { Secret("x") }
    let item = try keychain.add(.internet(), "s3cret")
    expect(item.path?.contains("/later/"), is: true)
  }

  @Test("a lock that somebody else has closed or opened is seen at once")
  func lockedByAnother() throws {
    let keyring = PrivateKeyring()
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let item = try mine.add(.internet(account: "alice"), "s3cret")
    try expect(mine.secret(of: item), is: "s3cret")
    for _ in 0..<2 {
      try other.lock()
      expect(failure { try mine.credential(of: item) }, is: .collectionLocked("login"))
      expect(failure { try mine.items(matching: .all) }, is: .collectionLocked("login"))
      try other.unlockLogin()
      try expect(mine.secret(of: item), is: "s3cret")
    }
  }

  @Test("what the program does with SIGPIPE stays as it was")
  func brokenPipe() throws {
    let keyring = PrivateKeyring()
    _ = try keyring.keychain().items(matching: .all)
    var action = sigaction()
    sigaction(SIGPIPE, nil, &action)
    let handler = action.__sigaction_handler.sa_handler
    expect(unsafeBitCast(handler, to: Int.self), is: unsafeBitCast(SIG_DFL, to: Int.self))
  }
}
