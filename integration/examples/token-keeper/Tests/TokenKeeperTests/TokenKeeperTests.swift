import Keychain
import KeychainTesting
import SharedKeychain
import Testing
import TokenKeeper

@Suite("token keeper") struct TokenKeeperTests {
  private let faults = KeychainFaults()
  private let keychain: SharedKeychain
  private let keeper: TokenKeeper
  private let alice = InternetPassword(server: "token-keeper.example", account: "alice")

  init() {
    keychain = SharedKeychain(FailingKeychain(InMemoryKeychain(), faults))
    keeper = TokenKeeper(keychain)
  }

  private func logIn(_ account: String, _ password: String = "x") -> String {
    switch keeper.logIn(account, password: Secret(password)) {
    case .kept: "kept"
    case .refused: "refused"
    case .notKept(let token, let error):
      token.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } + " \(error)"
    }
  }

  @Test("a token is kept, used and forgotten")
  func tokens() throws {
    #expect(try keeper.whoAmI("alice") == nil)
    #expect(logIn("alice") == "kept")
    #expect(try keychain[alice] == "token-alice")
    #expect(try keeper.whoAmI("alice") == "alice")
    #expect(try keeper.accounts() == ["alice"])
    #expect(try keeper.logOut("alice"))
    #expect(try !keeper.logOut("alice"))
    #expect(try keeper.whoAmI("alice") == nil)
  }

  @Test("logging in again replaces the token")
  func again() throws {
    try keychain.save(Credential(Secret("old"), expiry: 1), for: alice, comment: "mine")
    #expect(try keeper.whoAmI("alice") == nil)
    #expect(logIn("alice") == "kept")
    #expect(try keeper.whoAmI("alice") == "alice")
    #expect(try keychain.item(alice)?.comment == "mine")
    #expect(try keychain.items().count == 1)
  }

  @Test("a wrong password keeps nothing")
  func refused() throws {
    #expect(logIn("alice", "") == "refused")
    #expect(try keychain.items().isEmpty)
  }

  @Test("nobody is asked to log in where no token could be kept")
  func obstacle() {
    #expect(keeper.obstacle() == nil)
    let full = KeychainError.system(operation: "write", path: "/vault", errno: 28)
    faults.fail([.adding], with: full)
    #expect(keeper.obstacle() == full)
    faults.clear()
    // A locked keychain is unlocked when the token is stored.
    faults.lock()
    #expect(keeper.obstacle() == nil)
  }

  @Test("a token that can't be kept is given back")
  func notKept() {
    faults.fail([.adding], with: .promptDismissed)
    #expect(logIn("alice") == "token-alice promptDismissed")
  }

  @Test("a locked keychain is not one without tokens")
  func locked() throws {
    #expect(logIn("alice") == "kept")
    faults.lock()
    #expect(throws: KeychainError.locked(path: "in memory")) { try keeper.whoAmI("alice") }
  }

  @Test("changes are told until the task is cancelled")
  func changes() async throws {
    let lines = AsyncStream.makeStream(of: String.self)
    let watching = Task { [keeper, continuation = lines.continuation] in
      try? await keeper.watch { continuation.yield($0) }
      continuation.finish()
    }
    var iterator = lines.stream.makeAsyncIterator()
    #expect(await iterator.next() == "watching")
    #expect(logIn("alice") == "kept")
    #expect(await iterator.next() == "added alice")
    try keeper.note("a remark", for: "alice")
    #expect(await iterator.next() == "updated alice")
    #expect(try keeper.logOut("alice"))
    #expect(await iterator.next() == "deleted alice")
    watching.cancel()
    #expect(await iterator.next() == nil)
  }
}
