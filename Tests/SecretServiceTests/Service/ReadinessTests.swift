import Expectations
import Glibc
import Keychain
import SecretService
import SharedKeychain
import TestSupport
import Testing

@Suite("readiness of a service, and its changes") struct ReadinessTests {
  private let keyring = PrivateKeyring()
  private let login = GenericPassword(service: "example", account: "alice")

  @Test("a lock that another process holds keeps it from being written")
  func heldLock() throws {
    let (one, other) = (try keyring.keychain(), try keyring.keychain())
    try one.exclusively { () throws(KeychainError) in
      guard case .notWritable(.busy) = other.probe() else {
        Issue.record("\(other.probe())")
        return
      }
    }
    expect(other.probe(), is: .ready)
  }

  @Test("a service that has ended can't be used, and ends the changes with an error, not with deletions")
  func ended() async throws {
    nonisolated(unsafe) let service = try keyring.keychain()
    let keychain = SharedKeychain(service)
    try keychain.save("one", for: login)
    let log = ChangeLog(try keychain.changes())
    keyring.endKeyring()
    guard case .unavailable? = await log.error() else {
      Issue.record("\(String(describing: await log.error()))")
      return
    }
    expect(log.all.isEmpty)
    expect(!keychain.probe().canKeepSecrets)
  }

  @Test("a collection that is locked meanwhile tells of no deletion, and goes on once it is unlocked")
  func lockedMeanwhile() async throws {
    nonisolated(unsafe) let service = try keyring.keychain()
    let other = try keyring.keychain()
    let keychain = SharedKeychain(service)
    try keychain.save("one", for: login)
    let log = ChangeLog(try keychain.changes())
    try other.lock()
    try await Task.sleep(for: .milliseconds(200))
    expect(log.all.isEmpty)
    try other.unlock(isKnown: true) { _ in Secret(PrivateKeyring.password) }
    try keychain.delete(login)
    await expect(log.waits { !$0.isEmpty })
    guard case .deleted(let item)? = log.all.last else {
      Issue.record("\(log.all)")
      return
    }
    expect(item.key, is: .genericPassword(login))
    expect(log.all.count, is: 1)
  }

  @Test("a collection that is locked from the beginning is an error, and nobody is asked")
  func lockedBefore() throws {
    nonisolated(unsafe) let service = try keyring.keychain()
    try service.add(.generic("example"), "one")
    try service.lock()
    let keychain = SharedKeychain(service)
    #expect(throws: KeychainError.collectionLocked("login")) { try keychain.changes() }
  }
}
