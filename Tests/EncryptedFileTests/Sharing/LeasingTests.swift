import Bytes
@testable import EncryptedFile
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("the right to renew an item of a shared vault") struct LeasingTests {
  /// A repository in which one other machine may have rights.
  private final class Repository: VaultSharing {
    var answers: [SharedLease] = []
    var asked: [String?] = []
    var names: Set<String> = []
    var ended: [String] = []

    var name: String { "team" }

    func afterChange() {}
    func atMiss() -> Bool { false }
    func bringInStep() -> Bool { true }

    func takeLease(_ name: String, over former: String?) -> SharedLease {
      names.insert(name)
      asked.append(former)
      return answers.removeFirst()
    }

    func endLease(_ name: String, of holder: String) { ended.append(holder) }
  }

  private let folder = TemporaryFolder()
  private let repository = Repository()

  private func keychain() throws -> (EncryptedFileKeychain, Item) {
    let keychain = EncryptedFileKeychain(
      at: VaultLocation(vaultFolder: folder["data"], stateFolder: folder["state"]))
    keychain.sharing = repository
    let item = Item(.internetPassword(InternetPassword(server: "forge.example", account: "me")))
    return (keychain, try keychain.add(item, Credential(Secret("token"))))
  }

  private func lease(
    of item: Item, in keychain: EncryptedFileKeychain, for seconds: Int
  ) throws(KeychainError) -> LeaseOutcome {
    try keychain.takeLease(of: item, for: seconds, isUrgent: false)
  }

  @Test("is that of one that has held it for its time, as seen here, and no other's")
  func takenOver() throws {
    let (keychain, item) = try keychain()
    repository.answers = [
      .held(by: "a"), .held(by: "b"), .held(by: "b"), .held(by: "c"), .taken(by: "mine"),
    ]
    // A time of nothing is over when it is seen for the second time.
    for _ in 1...4 {
      guard case .held = try lease(of: item, in: keychain, for: 0) else {
        Issue.record("it isn't held")
        return
      }
    }
    try expect(lease(of: item, in: keychain, for: 0), is: .taken)
    expect(repository.asked, is: [nil, "a", "b", "b", "c"])
    // It says nothing of the item.
    let name = try #require(repository.names.first)
    expect(repository.names.count, is: 1)
    expect(name.utf8.allSatisfy { hexadecimalValue($0) != nil })
    keychain.endLease(of: item, pausing: 0)
    keychain.endLease(of: item, pausing: 0)
    expect(repository.ended, is: ["mine"])
  }

  @Test("is waited for while another machine has it")
  func waitedFor() throws {
    let (keychain, item) = try keychain()
    repository.answers = [.held(by: "a"), .held(by: "a")]
    try expect(lease(of: item, in: keychain, for: 60), is: .held(seconds: 60))
    guard case .held(let left) = try lease(of: item, in: keychain, for: 60) else {
      Issue.record("it isn't held")
      return
    }
    expect(1...60 ~= left)
    expect(repository.asked, is: [nil, nil])
    keychain.endLease(of: item, pausing: 0)
    expect(repository.ended.isEmpty)
  }

  @Test("is not needed where there are none, and not had where that can't be told")
  func unknown() throws {
    let (keychain, item) = try keychain()
    repository.answers = [.unknown, .failed]
    try expect(lease(of: item, in: keychain, for: 60), is: .taken)
    #expect(throws: KeychainError.self) { try lease(of: item, in: keychain, for: 60) }
    keychain.sharing = nil
    try expect(lease(of: item, in: keychain, for: 60), is: .taken)
  }

  @Test("one who renews knows the former tokens of such an item, and takes no other secret for one")
  func formerTokens() throws {
    let (keychain, item) = try keychain()
    func credential(_ token: String) -> Credential {
      Credential(Secret(token), refreshToken: Secret("refresh \(token)"))
    }
    let plain = try keychain.update(item, Credential(Secret("other")))
    try expect(!keychain.hasReplaced(Secret("token"), of: plain))
    let renewable = try keychain.update(plain, credential("first"))
    let renewed = try keychain.update(renewable, credential("second"))
    let names = ["other", "first", "second", "third"]
    let known = try names.filter { try keychain.hasReplaced(Secret($0), of: renewed) }
    expect(known, is: ["first"])
    keychain.sharing = nil
    try expect(!keychain.hasReplaced(Secret("first"), of: renewed))
  }
}
