import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a program that keeps its keychain for long", .timeLimit(.minutes(60))) struct LongLivedTests {
  private let keyring = PrivateKeyring()

  @Test("one thread after the other uses what another one has opened")
  func threads() throws {
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
    let item = try keyring.keychain().add(.internet(), "s3cret")
    nonisolated(unsafe) let keychain = try keyring.keychain { $0.readsSecrets = true }
    let outcomes = Collected<String>()
    concurrently(1) { _ in outcomes.append("\((try? keychain.items(matching: .all).count) ?? -1)") }
    concurrently(1) { _ in outcomes.append((try? keychain.secret(of: item))?.description ?? "nothing") }
    expect(outcomes.all, is: ["1", "s3cret"])
  }

  @Test("a keyring that was started anew is used by the next call, whatever that is")
  func restart() throws {
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
    let (mine, other) = (try keyring.keychain(), try keyring.keychain())
    let item = try mine.add(.internet(account: "alice"), "first")
    try expect(mine.secret(of: item), is: "first")
    var moved = item
    moved.key = Item.generic("key").key
    let secret = "first\npassword_expiry_utc=5"
    try other.update(moved, .text(secret))
    try expect(mine.secret(of: item), is: ByteString(secret))
  }

  @Test("a lock that somebody else has closed or opened is seen at once")
  func lockedByAnother() throws {
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
    _ = try keyring.keychain().items(matching: .all)
    var action = sigaction()
    sigaction(SIGPIPE, nil, &action)
    let handler = action.__sigaction_handler.sa_handler
    expect(unsafeBitCast(handler, to: Int.self), is: unsafeBitCast(SIG_DFL, to: Int.self))
  }
}
