import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

/// An operation on a keychain in which an item of alice's on example.com is known.
struct Operation: Sendable {
  let name: String
  let run: @Sendable (SecretServiceKeychain, Item) throws -> Void

  static let reading = [
    Operation(name: "list") { keychain, _ in _ = try keychain.items(matching: .all) },
    Operation(name: "find") { keychain, _ in _ = try keychain.find(.internet()) },
    Operation(name: "find another") { keychain, _ in _ = try keychain.find(.internet("other.example")) },
    Operation(name: "find a generic one") { keychain, _ in _ = try keychain.find(.generic("aws")) },
    Operation(name: "answer") { keychain, _ in _ = try keychain.answer(to: .internet()) },
    Operation(name: "reveal") { keychain, item in _ = try keychain.credential(of: item) },
  ]

  static let writing = [
    Operation(name: "add") { keychain, _ in try keychain.add(.internet("new.example"), "new") },
    Operation(name: "add a twin") { keychain, item in try keychain.add(item, "new") },
    Operation(name: "update") { keychain, item in
      var item = item
      item.comment = "new"
      try keychain.update(item)
    },
    Operation(name: "update the secret") { keychain, item in try keychain.update(item, .text("new")) },
    Operation(name: "delete") { keychain, item in try keychain.delete([item]) },
    Operation(name: "save what is there") { keychain, item in try keychain.save(item, .text("s3cret")) },
    Operation(name: "save another password") { keychain, item in try keychain.save(item, .text("new")) },
    Operation(name: "save a new item") { keychain, _ in
      try keychain.save(.internet("new.example", account: "bob"), .text("new"))
    },
    Operation(name: "erase") { keychain, _ in _ = try keychain.erase(.internet()) },
    Operation(name: "erase a password") { keychain, _ in
      _ = try keychain.erase(.internet(), holding: Secret("s3cret"))
    },
    Operation(name: "several changes") { keychain, item in
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet("new.example"), "new")
        try keychain.delete([item])
      }
    },
  ]

  static let all = reading + writing
}

@Suite("a locked keyring", .timeLimit(.minutes(60))) struct LockTests {
  private let keyring = PrivateKeyring()

  @Test("where nobody can be asked, everything is refused, and nothing changes")
  func locked() throws {
    let used = try keyring.keychain()
    let item = try used.add(.internet(account: "alice"), "s3cret")
    let before = try used.everything()
    expect(used.probe(), is: .ready)
    try used.lock()
    try used.lock()
    expect(used.probe(), is: .locked(.collectionLocked("login")))
    for operation in Operation.all {
      // One keychain has seen the item before, the other has seen nothing.
      for keychain in [used, try keyring.keychain()] {
        expect(
          failure { try operation.run(keychain, item) }, is: .collectionLocked("login"), "\(operation.name)")
      }
    }
    try expect(used.facts().collection?.isLocked, is: true)
    try expect(used.keepsNewItems())
    try used.unlockLogin()
    try expect(used.everything(), is: before)
    try expect(keyring.keychain().everything(), is: before)
  }

  @Test(
    "the same with a plain session, and where secrets are wanted from the beginning",
    arguments: [true, false])
  func sessions(isEncrypted: Bool) throws {
    let item = try keyring.keychain().add(.internet(account: "alice"), "s3cret")
    try keyring.keychain().lock()
    let keychain = try keyring.keychain {
      $0.isEncrypted = isEncrypted
      $0.readsSecrets = true
    }
    for operation in Operation.reading {
      expect(
        failure { try operation.run(keychain, item) }, is: .collectionLocked("login"), "\(operation.name)")
    }
  }

  @Test("a password unlocks, a wrong one doesn't, and each attempt is counted")
  func unlock() throws {
    let keychain = try keyring.keychain()
    try keychain.add(.internet(), "s3cret")
    // Nobody is asked while it is unlocked.
    try keychain.unlock(isKnown: true) { _ throws(KeychainError) in throw .promptDismissed }
    try keychain.lock()
    for isKnown in [true, false] {
      expect(failure { try keychain.unlock(isKnown: isKnown) { _ in nil } }, is: .collectionLocked("login"))
      var attempts: [Int] = []
      let wrong = failure {
        try keychain.unlock(isKnown: isKnown) { attempt in
          attempts.append(attempt)
          return attempt < 4 ? Secret("wrong") : nil
        }
      }
      expect(wrong, is: .wrongPassphrase(path: "login"))
      expect(attempts, is: [1, 2, 3, 4])
      let dismissed = failure {
        try keychain.unlock(isKnown: isKnown) { _ throws(KeychainError) in throw .promptDismissed }
      }
      expect(dismissed, is: .promptDismissed)
    }
    for almost in ["", PrivateKeyring.password + "\n", PrivateKeyring.password.uppercased()] {
      let wrong = failure { try keychain.unlock(isKnown: true) { $0 == 1 ? Secret(almost) : nil } }
      expect(wrong, is: .wrongPassphrase(path: "login"))
    }
    expect(failure { try keychain.items(matching: .all) }, is: .collectionLocked("login"))
    try keychain.unlock(isKnown: true) { $0 == 1 ? Secret("wrong") : Secret(PrivateKeyring.password) }
    try expect(keychain.answeredSecret(.internet()), is: "s3cret")
  }

  @Test("it can be unlocked over a plain session, and by another connection")
  func unlockPlain() throws {
    let keychain = try keyring.keychain()
    try keychain.add(.internet(), "s3cret")
    try keychain.lock()
    try keyring.keychain { $0.isEncrypted = false }.unlockLogin()
    try expect(keychain.answeredSecret(.internet()), is: "s3cret")
  }

  @Test("a prompt that nobody can show is a lock, and is not waited for")
  func prompt() throws {
    let item = try keyring.keychain().add(.internet(account: "alice"), "s3cret")
    try keyring.keychain().lock()
    let keychain = try keyring.keychain { $0.mayPrompt = true }
    // Finding an item that is visible while locked doesn't require unlocking.
    for operation in Operation.all where operation.name != "find" {
      let expected: KeychainError =
        operation.name == "add a twin" ? .duplicateItem : .collectionLocked("login")
      expect(failure { try operation.run(keychain, item) }, is: expected, "\(operation.name)")
    }
    try expect(keychain.find(.internet()), is: [item])
  }
}
