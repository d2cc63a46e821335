import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Files that are not merged")
struct UnmergedFilesTests {
  private let place = Place()

  /// A vault with two items, and a copy of it that has a third.
  private func copyWithMore() throws -> [UInt8] {
    try place.keychain().add(servers: ["a.example", "b.example"])
    let other = Place()
    other.makeFolders()
    try put(try contents(of: place.vault), into: other.vault)
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try other.keychain().add(servers: ["c.example"])
    return try contents(of: other.vault)
  }

  /// Asks for an answer of a kind that no item has.
  private func refusal(of query: ItemQuery, in keychain: EncryptedFileKeychain) throws {
    if case .some = try keychain.answer(to: query, where: { _, _ in false }) { Issue.record("it answers") }
  }

  private var copyPath: String { place.location.vaultFolder + "/vault (conflicted copy).age" }

  @Test("a damaged copy is named, and what is read is known to be incomplete")
  func damaged() throws {
    try put(Array(try copyWithMore().dropLast(10)), into: copyPath)
    let keychain = place.keychain()
    try expect(keychain.servers(), is: ["a.example", "b.example"])
    let copy = try #require(try keychain.unmergedFiles().first)
    expect(copy.kind == .copy && copy.path == copyPath)
    guard case .damaged(copyPath, _) = copy.problem else {
      Issue.record("\(String(describing: copy.problem))")
      return
    }
    try expect(keychain.copyLeftOut()?.path, is: copyPath)
    try expect(keychain.copyLeftOut()?.error, is: copy.problem)
    unlink(copyPath)
    try expect(keychain.unmergedFiles(), is: [])
    try expect(keychain.copyLeftOut() == nil)
  }

  @Test("what isn't found may be in a copy that can't be merged, and can be added all the same")
  func notFound() throws {
    let contents = try copyWithMore()
    try put(Array(contents.dropLast(10)), into: copyPath)
    let keychain = place.keychain()
    let missing = try ItemQuery.internet("c.example")
    let isLeftOut: (KeychainError?) -> Bool = {
      if case .copyLeftOut(path: copyPath, because: .damaged(copyPath, _)) = $0 { true } else { false }
    }
    expect(isLeftOut(failure { _ = try keychain.items(matching: missing) }))
    expect(isLeftOut(failure { try refusal(of: missing, in: keychain) }))
    expect(isLeftOut(keychain.passedOver))
    // What matches and isn't meant says as little.
    expect(isLeftOut(failure { try refusal(of: .internet("a.example"), in: keychain) }))
    try expect(keychain.items(matching: .internet("a.example")).count, is: 1)
    let canBeAdded = try keychain.exclusively { () throws(KeychainError) in
      try keychain.items(matching: missing).isEmpty && keychain.passedOver == nil
    }
    expect(canBeAdded)
    try keychain.add(servers: ["c.example"])
    try expect(keychain.items(matching: missing).count, is: 1)
    unlink(copyPath)
    try expect(keychain.items(matching: .internet("d.example")).isEmpty)
    expect(keychain.passedOver, is: nil)
  }

  @Test("a good copy is named until it is merged")
  func good() throws {
    try put(try copyWithMore(), into: copyPath)
    let keychain = place.keychain()
    try expect(keychain.unmergedFiles(), is: [UnmergedFile(kind: .copy, path: copyPath, problem: nil)])
    try expect(keychain.servers(), is: ["a.example", "b.example", "c.example"])
    try expect(keychain.unmergedFiles(), is: [])
    try expect(keychain.copyLeftOut() == nil)
  }

  @Test("a good copy that can't be merged just now is named with the reason")
  func locked() throws {
    try put(try copyWithMore(), into: copyPath)
    let keychain = place.keychain()
    let folder = try Folder(creating: place.location.vaultFolder)
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    try expect(keychain.servers(), is: ["a.example", "b.example"])
    withExtendedLifetime(lock) {}
    let left = try #require(try keychain.copyLeftOut())
    expect(left.path, is: copyPath)
    try expect(
      keychain.unmergedFiles(), is: [UnmergedFile(kind: .copy, path: copyPath, problem: left.error)])
  }

  @Test(
    "another state under any other name is named until a person has it merged, whoever may read it",
    arguments: [
      "vault (1).age", "vault-desktop.age", "vault.age.conflict1", "vault.age (conflict)", "backup",
    ],
    [0o600, 0o664] as [mode_t])
  func otherName(name: String, mode: mode_t) throws {
    let path = place.location.vaultFolder + "/" + name
    try put(try copyWithMore(), into: path)
    chmod(path, mode)
    let keychain = place.keychain()
    try expect(keychain.servers(), is: ["a.example", "b.example"])
    try expect(keychain.unmergedFiles(), is: [UnmergedFile(kind: .other, path: path, problem: nil)])
    try expect(keychain.copyLeftOut() == nil)
    try expect(FileFacts(path).mode & 0o777, is: mode)
    try expect(keychain.merge(copyAt: path).added, is: 1)
    try expect(keychain.unmergedFiles(), is: [])
  }

  @Test("a backup of what the vault comes from lacks nothing, and other files are no states of it")
  func notNamed() throws {
    try place.keychain().add(servers: ["a.example"])
    let folder = place.location.vaultFolder
    try put(try contents(of: place.vault), into: folder + "/backup.age")
    let other = Place()
    try other.keychain().add(servers: ["c.example"])
    try put(try contents(of: other.vault), into: folder + "/other.age")
    try put(Array("notes".utf8), into: folder + "/notes")
    mkdir(folder + "/folder.age", 0o700)
    mkfifo(folder + "/pipe.age", 0o600)
    symlink("nothing", folder + "/link.age")
    try expect(place.keychain().unmergedFiles(), is: [])
    try place.keychain().add(servers: ["b.example"])
    try expect(place.keychain().unmergedFiles(), is: [])
  }

  @Test("a file of another vault is named, and nothing of this one is missing")
  func foreign() throws {
    try place.keychain().add(servers: ["a.example"])
    let other = Place()
    try other.keychain().add(servers: ["c.example"])
    try put(try contents(of: other.vault), into: copyPath)
    let keychain = place.keychain()
    try expect(keychain.servers(), is: ["a.example"])
    try expect(keychain.unmergedFiles().map(\.problem), is: [.wrongIdentity(path: copyPath)])
    try expect(keychain.copyLeftOut() == nil)
  }
}
