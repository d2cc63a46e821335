import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a service that answers calls to locked items, as KWallet does", .timeLimit(.minutes(60)))
struct HiddenLockTests {
  private let service: FakeService

  init() throws {
    service = try FakeService()
    service.change { state in
      state.collections[FakeService.login] = true
      state.hidesLocks = true
      state.prompting = ["Unlock"]
      state.ending = .done
    }
  }

  private var secret: String? {
    service.items[FakeService.login + "/1"].map { String(decoding: $0.secret, as: UTF8.self) }
  }

  @Test("is unlocked before a secret is read, changed or deleted")
  func unlocks() throws {
    try expect(service.keychain().answeredSecret(.internet()), is: "s3cret")
    service.change { $0.collections[FakeService.login] = true }
    let keychain = try service.keychain()
    try keychain.update(try keychain.find(.internet())[0], .text("new"))
    expect(secret, is: "new")
    service.change { $0.collections[FakeService.login] = true }
    try expect(keychain.delete(try keychain.find(.internet())), is: 1)
    expect(service.items.isEmpty)
  }

  @Test(
    "an empty secret is none while its item is locked", arguments: [FakeService.Ending.dismissed, .claimed])
  func staysLocked(ending: FakeService.Ending) throws {
    service.change { $0.ending = ending }
    let keychain = try service.keychain()
    #expect(throws: KeychainError.collectionLocked("login")) { try keychain.answeredSecret(.internet()) }
    #expect(throws: KeychainError.collectionLocked("login")) {
      try keychain.erase(.internet(), holding: Secret())
    }
    let item = try keychain.find(.internet())[0]
    #expect(throws: KeychainError.collectionLocked("login")) { try keychain.update(item, .text("new")) }
    #expect(throws: KeychainError.collectionLocked("login")) { try keychain.delete([item]) }
    expect(secret, is: "s3cret")
  }

  @Test("one that is locked between two calls doesn't answer with an empty secret")
  func locksMeanwhile() throws {
    service.change { $0.collections[FakeService.login] = false }
    let keychain = try service.keychain()
    try keychain.reading { () throws(KeychainError) in
      let item = try keychain.find(.internet())[0]
      service.change { $0.collections[FakeService.login] = true }
      try expect(keychain.secret(of: item), is: "s3cret")
    }
  }

  @Test("locking what is locked changes nothing")
  func locksTwice() throws {
    service.change { $0.errors["Lock"] = "org.freedesktop.DBus.Error.InvalidArgs" }
    try service.keychain().lock()
    expect(service.isLocked(FakeService.login))
  }
}
