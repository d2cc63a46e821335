import Expectations
import Glibc
import Keychain
import Synchronization
import TestSupport
import Testing

@testable import SecretService

@Suite("prompts", .timeLimit(.minutes(60))) struct PromptTests {
  private let service: FakeService

  init() throws { service = try FakeService() }

  /// Runs an operation on a separate thread, and returns its result in the end.
  private final class Running: Sendable {
    private let outcome = Mutex<String?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
      onThreadOfItsOwn { [self] in
        var text = "done"
        do { try body() } catch { text = "\(error)" }
        outcome.withLock { $0 = text }
      }
    }

    var result: String? { outcome.withLock { $0 } }

    func waited() throws -> String? {
      try waitUntil { result != nil }
      return result
    }
  }

  private func running(
    patience: Int = 60, _ body: @escaping @Sendable (SecretServiceKeychain) throws -> Void
  ) throws -> Running {
    nonisolated(unsafe) let keychain = try service.keychain { $0.patience = patience }
    return Running { try body(keychain) }
  }

  private func lockLogin(_ change: (inout FakeService.State) -> Void = { _ in }) {
    service.change { state in
      state.collections[FakeService.login] = true
      state.prompting = ["Unlock"]
      change(&state)
    }
  }

  // MARK: The sender of a signal

  @Test("what a stranger says of a prompt unlocks nothing", arguments: ["false", "true"])
  func strangerAtUnlock(isDismissed: String) throws {
    lockLogin()
    let unlocking = try running { try $0.unlock(isKnown: false) { _ in nil } }
    try waitUntil { service.openPrompts == 1 }
    service.claimPrompts("(\(isDismissed), <@ao []>)")
    try service.settle()
    usleep(100_000)
    expect(unlocking.result, is: nil)
    service.endPrompts(.done)
    try expect(unlocking.waited(), is: "done")
    expect(!service.isLocked(FakeService.login))
  }

  @Test("what a stranger says of a prompt neither deletes nor makes an item, nor says that it wasn't")
  func strangerAtChanges() throws {
    let dismissals = ["true, <objectpath '/org/freedesktop/secrets/collection/login/1'>", "false, <''>"]
    for (method, body): (String, @Sendable (SecretServiceKeychain) throws -> Void) in [
      ("CreateItem", { try $0.add(.internet("new.example"), "new") }),
      ("Delete", { try $0.delete(try $0.find(.internet())) }),
    ] {
      for dismissal in dismissals {
        service.reset()
        service.change { $0.prompting = [method] }
        let changing = try running(body)
        try waitUntil { service.openPrompts == 1 }
        service.claimPrompts("(\(dismissal))")
        try service.settle()
        usleep(100_000)
        expect(changing.result, is: nil, "\(method)")
        expect(service.items.count, is: 1)
        service.endPrompts(.done)
        try expect(changing.waited(), is: "done", "\(method)")
        expect(service.items.count, is: method == "Delete" ? 0 : 2)
      }
    }
  }

  // MARK: The real result

  @Test("a prompt that is said to have unlocked and has not leaves it locked")
  func claimedUnlock() throws {
    for question: @Sendable (SecretServiceKeychain) throws -> Void in [
      { try $0.unlock(isKnown: false) { _ in nil } }, { _ = try $0.items(matching: .all) },
      { _ = try $0.answer(to: .internet()) }, { try $0.add(.internet("new.example"), "new") },
    ] {
      service.reset()
      lockLogin { $0.ending = .claimed }
      expect(failure { try question(try service.keychain()) }, is: .collectionLocked("login"))
    }
  }

  @Test("an unlocking, or a locking, without a prompt that did nothing is not taken for one")
  func claimedWithoutPrompt() throws {
    lockLogin { $0.replies["Unlock"] = "(@ao ['\(FakeService.login)'], objectpath '/')" }
    let keychain = try service.keychain()
    expect(failure { try keychain.unlock(isKnown: false) { _ in nil } }, is: .collectionLocked("login"))
    service.reset()
    service.change { $0.replies["Lock"] = "(@ao ['\(FakeService.login)'], objectpath '/')" }
    guard case .refused("Lock", error: "", _)? = failure({ try keychain.lock() }) else {
      Issue.record("it is said to be locked")
      return
    }
  }

  @Test("a change that is said to be done by a prompt and is not is an error")
  func claimedChanges() throws {
    for (method, body): (String, (SecretServiceKeychain) throws -> Void) in [
      ("CreateItem", { try $0.add(.internet("new.example"), "new") }),
      ("Delete", { try $0.delete(try $0.find(.internet())) }), ("Lock", { try $0.lock() }),
      ("CreateCollection", { try $0.createCollection("made", isKnown: false) { nil } }),
    ] {
      service.reset()
      service.change { state in
        state.prompting = [method]
        state.ending = .claimed
      }
      guard case .refused(method, error: "", _)? = failure({ try body(try service.keychain()) }) else {
        Issue.record("\(method) is said to be done")
        continue
      }
      service.change { $0.ending = .done }
      try body(try service.keychain())
    }
  }

  // MARK: The lock

  private static func impatient(_ settings: inout DesktopKeychainSettings) { settings.patience = 5 }

  @Test("while somebody is asked to unlock one collection, another process stores in another one")
  func otherCollection() throws {
    for change: @Sendable (SecretServiceKeychain) throws -> Void in [
      { try $0.add(.internet("new.example"), "new") }, { try $0.delete(try $0.find(.internet())) },
      { try $0.update(try $0.find(.internet())[0], .text("new")) },
      { try $0.save(.internet(account: "alice"), .text("new")) },
      { keychain in
        try keychain.exclusively { () throws(KeychainError) in
          _ = try keychain.add(.internet("new.example"), "new")
        }
      },
      { _ = try $0.erase(.internet()) },
    ] {
      service.reset()
      lockLogin()
      let first = try running(change)
      try waitUntil { service.openPrompts == 1 }
      let other = try service.keychain {
        Self.impatient(&$0)
        $0.collection = "work"
      }
      try other.add(.internet("work.example"), "of work")
      expect(first.result, is: nil)
      service.endPrompts(.done)
      try expect(first.waited(), is: "done")
      try expect(other.answeredSecret(.internet("work.example")), is: "of work")
    }
  }

  @Test("several processes that store while it is locked wait for the person, and all are stored")
  func severalProcesses() throws {
    lockLogin()
    let all = try (0..<4).map { number in
      try running(patience: 5) {
        try $0.add(.internet(ByteString("of-\(number).example"), account: "a"), "new")
      }
    }
    let twins = try (0..<3).map { _ in
      try running(patience: 5) { try $0.save(.internet("twin.example", account: "a"), .text("new")) }
    }
    let refused = try service.keychain {
      Self.impatient(&$0)
      $0.mayPrompt = false
    }
    try waitUntil { service.openPrompts == 7 }
    expect(failure { try refused.add(.internet("refused.example"), "x") }, is: .collectionLocked("login"))
    expect(service.openPrompts, is: 7)
    // Longer than any of them would wait for the lock.
    sleep(6)
    expect((all + twins).allSatisfy { $0.result == nil })
    service.endPrompts(.done)
    for one in all + twins { try expect(one.waited(), is: "done") }
    expect(service.items.count, is: 1 + 4 + 1)
  }

  @Test("what is locked in the middle of several changes is unlocked by a person without the lock")
  func lockedInBetween() throws {
    let service = service
    let changing = try running { keychain in
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet("one.example"), "one")
        // The body is run again.
        service.change { state in
          if !state.calls.contains("Prompt") { state.collections[FakeService.login] = true }
          state.prompting = ["Unlock"]
        }
        try keychain.add(.internet("two.example"), "two")
      }
    }
    try waitUntil { service.openPrompts == 1 }
    let other = try service.keychain {
      Self.impatient(&$0)
      $0.collection = "work"
    }
    try other.add(.internet("work.example"), "of work")
    service.endPrompts(.done)
    try expect(changing.waited(), is: "done")
    expect(service.items.count, is: 4)
  }

  @Test("an item that another process adds while somebody is asked is not stored twice")
  func twinMeanwhile() throws {
    lockLogin()
    let adding = try running { try $0.add(.internet("new.example"), "mine") }
    try waitUntil { service.openPrompts == 1 }
    service.change { $0.collections[FakeService.login] = false }
    try service.keychain(Self.impatient).add(.internet("new.example"), "of another")
    service.endPrompts(.done)
    try expect(adding.waited(), is: "\(KeychainError.duplicateItem)")
    expect(service.items.count, is: 2)
  }

  @Test(
    "while a service asks somebody about making or deleting an item, others store",
    arguments: ["CreateItem", "Delete"])
  func promptOfChange(method: String) throws {
    service.change { $0.prompting = [method] }
    let changing = try running { keychain in
      if method == "CreateItem" {
        try keychain.add(.internet("new.example"), "new")
      } else {
        try keychain.delete(try keychain.find(.internet()))
      }
    }
    try waitUntil { service.openPrompts == 1 }
    service.change { $0.prompting = [] }
    // Usually it completes by itself, so the lock is held for a moment.
    let other = try service.keychain { $0.patience = 20 }
    try other.add(.internet("other.example"), "other")
    expect(changing.result, is: nil)
    service.endPrompts(.done)
    try expect(changing.waited(), is: "done")
    try expect(other.answeredSecret(.internet("other.example")), is: "other")
    expect(service.items.count, is: method == "Delete" ? 1 : 3)
  }

  @Test("a prompt that is declined changes nothing, and ends with the lock free")
  func declined() throws {
    lockLogin { $0.ending = .dismissed }
    let keychain = try service.keychain(Self.impatient)
    for _ in 0..<2 {
      expect(failure { try keychain.add(.internet("new.example"), "x") }, is: .collectionLocked("login"))
    }
    expect(service.items.count, is: 1)
    service.change { $0.ending = .done }
    try keychain.add(.internet("new.example"), "x")
    expect(service.items.count, is: 2)
  }
}
