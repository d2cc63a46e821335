import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a keyring that fails", .timeLimit(.minutes(60))) struct ServiceFailureTests {
  @Test("one that is frozen is given up in time, says at which call, and has changed nothing afterwards")
  func frozen() throws {
    let keyring = PrivateKeyring()
    let item = try keyring.keychain().add(.internet(account: "alice"), "s3cret")
    let keychain = try keyring.keychain { $0.callTimeout = 100 }
    let before = try keyring.keychain().everything()
    // So that it has a session, and has made all the calls that it makes only once. On a busy machine even a keyring
    // that answers needs longer now and then.
    try waitUntil { (try? keychain.everything()) == before }
    keyring.signalKeyring(SIGSTOP)
    defer { keyring.signalKeyring(SIGCONT) }
    for operation in Operation.all {
      let start = ContinuousClock.now
      let error = failure { try operation.run(keychain, item) }
      guard case .noAnswer(let call, milliseconds: 100)? = error else {
        Issue.record("\(operation.name): \(String(describing: error))")
        continue
      }
      expect(["Get", "GetAll", "SearchItems", "GetSecret"].contains(call), "\(operation.name)")
      expect(ContinuousClock.now - start < .seconds(20), "\(operation.name)")
    }
    for (name, body) in [
      ("facts", { _ = try keychain.facts() }), ("unlock", { try keychain.unlockLogin() }),
      ("lock", { try keychain.lock() }),
      ("create", { try keychain.createCollection("x", isKnown: true) { Secret("x") } }),
    ] as [(String, () throws -> Void)] {
      guard case .noAnswer(_, milliseconds: 100)? = failure(body) else {
        Issue.record("\(name)")
        continue
      }
    }
    expect(
      failure { try keyring.keychain { $0.probeTimeout = 4000 } },
      is: .noAnswer(call: "ReadAlias", milliseconds: 4000))
    keyring.signalKeyring(SIGCONT)
    // The calls made meanwhile are done now, though nobody waits for them, so the lock may come late.
    let patient = try keyring.keychain()
    try patient.unlockLogin()
    try expect(patient.everything(), is: before)
  }

  @Test("one that was killed is an error, and no empty keyring, and used again once it is there")
  func killed() throws {
    let keyring = PrivateKeyring()
    let item = try keyring.keychain().add(.internet(account: "alice"), "s3cret")
    let used = try keyring.keychain()
    let before = try used.everything()
    keyring.endKeyring()
    for operation in Operation.all {
      switch failure({ try operation.run(used, item) }) {
      case .refused?, .unavailable?: break
      case let error: Issue.record("\(operation.name): \(String(describing: error))")
      }
    }
    try waitUntil {
      failure { try keyring.keychain() }
        == .unavailable(
          reason: "no Secret Service is on the session bus (org.freedesktop.DBus.Error.ServiceUnknown)")
    }
    keyring.restartKeyring()
    try expect(used.everything(), is: before)
  }

  @Test("without a bus there is no keychain")
  func noBus() {
    let folder = TemporaryFolder()
    var settings = DesktopKeychainSettings()
    settings.busAddress = "unix:path=" + folder["bus"]
    expect(
      failure { try SecretServiceKeychain(settings) },
      is: .unavailable(
        reason: "cannot connect to the session bus unix:path=\(folder["bus"]): no such file or directory"))
    let findings = SecretServiceKeychain.diagnose(settings)
    expect(findings.map(\.subject), is: ["bus"])
    expect(findings.last?.problem != nil)
  }

  @Test("the diagnosis goes as far as things hold")
  func diagnosis() throws {
    let keyring = PrivateKeyring()
    func diagnose(_ change: (inout DesktopKeychainSettings) -> Void = { _ in }) -> [Finding] {
      var settings = DesktopKeychainSettings()
      settings.busAddress = keyring.address
      settings.probeTimeout = 30_000
      settings.callTimeout = 30_000
      settings.mayPrompt = false
      change(&settings)
      return SecretServiceKeychain.diagnose(settings)
    }
    expect(diagnose().allSatisfy { $0.problem == nil && $0.value != nil })
    expect(diagnose().last?.value, is: "encrypted")
    expect(diagnose { $0.isEncrypted = false }.last?.value, is: "plain")
    expect(diagnose { $0.collection = "nowhere" }.last?.problem, is: .noCollection("nowhere"))
    try keyring.keychain().lock()
    let locked = diagnose()
    expect(locked.compactMap(\.problem), is: [.collectionLocked("login")])
    expect(locked.first { $0.subject == "state" }?.value, is: "locked")
    // Looking at the keychain doesn't unlock it.
    try expect(keyring.keychain().facts().collection?.isLocked, is: true)
    keyring.signalKeyring(SIGSTOP)
    defer { keyring.signalKeyring(SIGCONT) }
    expect(
      diagnose { $0.probeTimeout = 4000 }.last?.problem, is: .noAnswer(call: "ReadAlias", milliseconds: 4000))
  }
}
