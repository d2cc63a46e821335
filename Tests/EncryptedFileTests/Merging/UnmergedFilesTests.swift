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

  private var copyPath: String { place.location.vaultFolder + "/vault (conflicted copy).age" }

  @Test("a damaged copy is named, and what is read is known to be incomplete")
  func damaged() throws {
    try put(Array(try copyWithMore().dropLast(10)), into: copyPath)
    let keychain = place.keychain()
    #expect(try keychain.servers() == ["a.example", "b.example"])
    let copy = try #require(try keychain.unmergedFiles().first)
    #expect(copy.kind == .copy && copy.path == copyPath)
    guard case .damaged(copyPath, _) = copy.problem else {
      Issue.record("\(String(describing: copy.problem))")
      return
    }
    #expect(try keychain.copyLeftOut()?.path == copyPath)
    #expect(try keychain.copyLeftOut()?.error == copy.problem)
    unlink(copyPath)
    #expect(try keychain.unmergedFiles() == [])
    #expect(try keychain.copyLeftOut() == nil)
  }

  @Test("a good copy is named until it is merged")
  func good() throws {
    try put(try copyWithMore(), into: copyPath)
    let keychain = place.keychain()
    #expect(try keychain.unmergedFiles() == [UnmergedFile(kind: .copy, path: copyPath, problem: nil)])
    #expect(try keychain.servers() == ["a.example", "b.example", "c.example"])
    #expect(try keychain.unmergedFiles() == [])
    #expect(try keychain.copyLeftOut() == nil)
  }

  @Test("a good copy that can't be merged just now is named with the reason")
  func locked() throws {
    try put(try copyWithMore(), into: copyPath)
    let keychain = place.keychain()
    let folder = try Folder(creating: place.location.vaultFolder)
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    #expect(try keychain.servers() == ["a.example", "b.example"])
    withExtendedLifetime(lock) {}
    let left = try #require(try keychain.copyLeftOut())
    #expect(left.path == copyPath)
    #expect(
      try keychain.unmergedFiles() == [UnmergedFile(kind: .copy, path: copyPath, problem: left.error)])
  }

  @Test("a file of another vault is named, and nothing of this one is missing")
  func foreign() throws {
    try place.keychain().add(servers: ["a.example"])
    let other = Place()
    try other.keychain().add(servers: ["c.example"])
    try put(try contents(of: other.vault), into: copyPath)
    let keychain = place.keychain()
    #expect(try keychain.servers() == ["a.example"])
    #expect(try keychain.unmergedFiles().map(\.problem) == [.wrongIdentity(path: copyPath)])
    #expect(try keychain.copyLeftOut() == nil)
  }
}
