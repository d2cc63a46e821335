import EncryptedFile
import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@Suite("readiness of a vault") struct ProbingTests {
  private let folder = TemporaryFolder()

  private var location: VaultLocation {
    VaultLocation(vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
  }

  private func keychain(_ passphrase: String? = nil) -> EncryptedFileKeychain {
    EncryptedFileKeychain(at: location, passphrase: { $0 == 1 ? passphrase.map { Secret($0) } : nil })
      .withCheapPassphrases
  }

  @Test("a vault that isn't made yet is ready, and looking makes nothing")
  func noVault() {
    expect(keychain().probe(), is: .ready)
    expect(folder.tree().isEmpty)
  }

  @Test("a vault that opens is ready, and looking changes nothing")
  func vault() throws {
    try keychain().add(.generic("example"), "one")
    let before = folder.tree().map { ($0, folder.read($0)) }
    expect(keychain().probe(), is: .ready)
    let after = folder.tree().map { ($0, folder.read($0)) }
    expect(before.map(\.0), is: after.map(\.0))
    expect(before.map(\.1), is: after.map(\.1))
  }

  @Test("a vault with a passphrase is locked, nobody is asked, and ready once it was opened")
  func passphrase() throws {
    let keychain = keychain("correct horse")
    try keychain.create(.passphrase(Secret("correct horse")))
    var attempts = 0
    let other = EncryptedFileKeychain(
      at: location,
      passphrase: { _ in
        attempts += 1
        return attempts == 1 ? Secret("correct horse") : nil
      })
    expect(other.probe(), is: .locked(.locked(path: location.vaultFile)))
    expect(attempts, is: 0)
    try expect(other.items(matching: .all).isEmpty)
    expect(attempts, is: 1)
    expect(other.probe(), is: .ready)
    expect(attempts, is: 1)
  }

  @Test("a vault whose key is gone can't be used")
  func missingKey() throws {
    try keychain().add(.generic("example"), "one")
    expect(unlink(location.identityFile), is: 0)
    expect(keychain().probe(), is: .unavailable(.missing(path: location.identityFile)))
  }

  @Test("a vault that is damaged anywhere can't be used")
  func damage() throws {
    try keychain().add(.generic("example"), "one")
    var bytes = try #require(folder.read("data/llavero/vault.age"))
    bytes[bytes.count - 1] ^= 1
    folder.write(bytes, to: "data/llavero/vault.age")
    guard case .unavailable(.damaged) = keychain().probe() else {
      Issue.record("\(keychain().probe())")
      return
    }
  }

  @Test("a folder that others may enter can't be used")
  func openFolder() throws {
    try keychain().add(.generic("example"), "one")
    chmod(location.vaultFolder, 0o755)
    expect(keychain().probe(), is: .unavailable(.unsafeFile(path: location.vaultFolder, .mode(0o755))))
  }

  @Test("a lock that somebody holds keeps it from being written")
  func heldLock() throws {
    try keychain().add(.generic("example"), "one")
    try keychain().exclusively { () throws(KeychainError) in
      expect(
        keychain().probe(), is: .notWritable(.busy(path: location.vaultFolder + "/lock", seconds: 1)))
    }
    expect(keychain().probe(), is: .ready)
  }

  @Test("a file in the way of the folder can't be used")
  func fileInTheWay() {
    folder.write([], to: "data")
    let readiness = keychain().probe()
    expect(!readiness.canKeepSecrets, "\(readiness)")
  }

  @Test("a file system without room is seen, also above a folder that isn't there yet")
  func room() throws {
    let place = try FutureFolder(folder["not/yet/there"])
    try place.check(room: 1)
    #expect(throws: KeychainError.system(operation: "write to", path: folder.path, errno: ENOSPC)) {
      try place.check(room: 1 << 60)
    }
  }
}
