import EncryptedFile
import Expectations
import Glibc
import Keychain
import PrivateFiles
import SharedKeychain
import TestSupport
import Testing

@Suite("changes of a vault", .serialized) struct WatchingTests {
  private let folder = TemporaryFolder()
  private let login = GenericPassword(service: "example", account: "alice")

  private func keychain(in name: String = "data/llavero", state: String = "state") -> SharedKeychain {
    SharedKeychain(
      EncryptedFileKeychain(at: VaultLocation(vaultFolder: folder[name], stateFolder: folder[state])))
  }

  @Test("are told where there is no folder yet, whenever the parts of its path come")
  func missingFolder() async throws {
    let log = ChangeLog(try keychain(in: "a/b/c/llavero").changes())
    folder.makeFolder("a")
    try await Task.sleep(for: .milliseconds(30))
    folder.makeFolder("a/b/c")
    try await Task.sleep(for: .milliseconds(30))
    try keychain(in: "a/b/c/llavero").save("one", for: login)
    await expect(log.waits { $0.map(\.item.key) == [.genericPassword(login)] }, "\(log.all)")
  }

  @Test("are told when the folder is put in place whole, with the vault in it")
  func movedFolder() async throws {
    folder.makeFolder("data")
    try keychain(in: "other", state: "other-state").save("one", for: login)
    let log = ChangeLog(try keychain().changes())
    expect(rename(folder["other-state"], folder["state"]), is: 0)
    expect(rename(folder["other"], folder["data/llavero"]), is: 0)
    await expect(log.waits { $0.map(\.item.key) == [.genericPassword(login)] }, "\(log.all)")
    try keychain().save("two", for: login)
    await expect(log.waits { $0.count == 2 }, "\(log.all)")
  }

  @Test("go on after the folder was moved away and another was put in its place")
  func exchangedFolder() async throws {
    try keychain().save("one", for: login)
    let log = ChangeLog(try keychain().changes())
    expect(rename(folder["data"], folder["away"]), is: 0)
    // Another program puts a copy there; a vault with another item would be an older one.
    expect(rename(folder["away"], folder["data"]), is: 0)
    try await Task.sleep(for: .milliseconds(100))
    try keychain().delete(login)
    await expect(
      log.waits { if case .deleted? = $0.last { true } else { false } }, "\(log.all)")
  }

  @Test("a folder that can't be watched for a while is watched again afterwards")
  func unwatchable() async throws {
    folder.makeFolder("data/llavero")
    let reports = Collected<Bool>()
    let watch = try FolderWatch(folder["data/llavero"], isWanted: { _ in true }) { reports.append(true) }
    defer { watch.stop() }
    func waits(_ isDone: (Int) -> Bool) async throws -> Bool {
      for _ in 0..<400 {
        if isDone(reports.all.count) { return true }
        try await Task.sleep(for: .milliseconds(50))
      }
      return false
    }
    expect(rename(folder["data/llavero"], folder["data/away"]), is: 0)
    expect(symlink(folder["data/llavero"], folder["data/llavero"]), is: 0)
    try await expect(waits { $0 > 0 })
    // The thread has seen the loop by now.
    try await Task.sleep(for: .milliseconds(300))
    let before = reports.all.count
    expect(unlink(folder["data/llavero"]), is: 0)
    expect(rename(folder["data/away"], folder["data/llavero"]), is: 0)
    try await expect(waits { $0 > before }, "what happened meanwhile is not told")
    let between = reports.all.count
    folder.write([1], to: "data/llavero/file")
    try await expect(waits { $0 > between }, "it is dead")
  }

  @Test("end with an error when the vault is damaged, and tell of no deletion")
  func damage() async throws {
    try keychain().save("one", for: login)
    let log = ChangeLog(try keychain().changes())
    folder.write(Array("no vault".utf8), to: "data/llavero/new")
    expect(chmod(folder["data/llavero/new"], 0o600), is: 0)
    expect(rename(folder["data/llavero/new"], folder["data/llavero/vault.age"]), is: 0)
    guard case .damaged? = await log.error() else {
      Issue.record("\(String(describing: await log.error()))")
      return
    }
    expect(log.all.isEmpty)
  }

  @Test("end with an error when the vault is gone, and tell of no deletion")
  func loss() async throws {
    try keychain().save("one", for: login)
    let log = ChangeLog(try keychain().changes())
    expect(unlink(folder["data/llavero/vault.age"]), is: 0)
    await expect(log.error(), is: .missing(path: folder["data/llavero/vault.age"]))
    expect(log.all.isEmpty)
  }
}
