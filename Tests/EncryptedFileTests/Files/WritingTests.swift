import Age
import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Writing")
struct WritingTests {
  /// Closures can't capture a folder itself.
  private final class Opened {
    let folder: Folder

    init(_ place: Place) throws {
      place.makeFolders()
      folder = try Folder(creating: place.location.vaultFolder)
    }

    func replace(
      _ name: String, with text: String, verify: (String) throws(KeychainError) -> Void = { _ in }
    ) throws {
      let durability = try Array(text.utf8).lendingBytes { (bytes) throws(KeychainError) in
        try folder.replace(name, writing: { writeFully($0, bytes) }, verify: verify)
      }
      expect(durability, is: .lasting)
    }
  }

  @Test("replacing gives a file new contents, another inode and mode 0600")
  func replacing() throws {
    let place = Place()
    let opened = try Opened(place)
    let path = place.location.vaultFolder + "/file"
    try opened.replace("file", with: "old")
    let old = try FileFacts(path)
    let reader = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(reader) }
    try opened.replace("file", with: "new")
    let new = try FileFacts(path)
    expect(old.contents == Array("old".utf8) && new.contents == Array("new".utf8))
    expect(old.inode != new.inode && new.mode & 0o7777 == 0o600)
    var buffer = [UInt8](repeating: 0, count: 3)
    expect(read(reader, &buffer, 3) == 3 && buffer == Array("old".utf8))
    expect(names(in: place.location.vaultFolder), is: ["file"])
  }

  @Test("a replacement that isn't approved leaves nothing behind")
  func refusedReplacement() throws {
    let place = Place()
    let opened = try Opened(place)
    try opened.replace("file", with: "old")
    let before = try place.everything()
    var temporary = ""
    let error = failure {
      try opened.replace("file", with: "new") { (name) throws(KeychainError) in
        temporary = name
        throw KeychainError.damaged(path: "p", detail: "d")
      }
    }
    expect(error, is: .damaged(path: "p", detail: "d"))
    expect(temporary.hasPrefix(".file.") && temporary.hasSuffix(".tmp"))
    try expect(place.everything(), is: before)
  }

  @Test("a replacement that the system refuses leaves nothing behind")
  func failedReplacement() throws {
    let place = Place()
    let opened = try Opened(place)
    let path = place.location.vaultFolder + "/file"
    mkdir(path, 0o700)
    let error = failure { try opened.replace("file", with: "new") }
    expect(error, is: .system(operation: "replace", path: path, errno: EISDIR))
    expect(names(in: place.location.vaultFolder), is: ["file"])
  }

  /// A file synchronizer's are dotted, too.
  @Test("temporary files older than an hour go with the next change, younger ones and others' stay")
  func staleTemporaries() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let folder = place.location.vaultFolder
    let stale = [".vault.age.0123456789abcdef.tmp", ".vault.age.fedcba9876543210.tmp"]
    let kept = [
      ".vault.age.00000000000000aa.tmp", "vault.age.0123456789abcdef.tmp", "notes.tmp", "vault.age.1",
      ".syncthing.vault.age.tmp",
    ]
    for name in stale + kept { try put([1], into: folder + "/" + name) }
    for name in stale + kept.dropFirst() { setAge(folder + "/" + name, seconds: 3700) }
    setAge(folder + "/" + kept[0], seconds: 3500)
    try keychain.add(servers: ["b.example"])
    let left = names(in: folder)
    expect(stale.allSatisfy { !left.contains($0) })
    expect(kept.allSatisfy(left.contains))
  }

  @Test("the lock file keeps its inode for good and stays empty")
  func lockFile() throws {
    let place = try Place.filled()
    let first = try FileFacts(place.lock)
    for number in 0..<5 {
      let keychain = place.keychain()
      try keychain.add(servers: ["\(number).example"])
      try keychain.delete(try keychain.items(matching: .all))
    }
    let last = try FileFacts(place.lock)
    expect(first.inode == last.inode && last.contents.isEmpty && last.mode & 0o7777 == 0o600)
  }

  @Test("each write counts one generation and names the header's MAC of the one before")
  func generations() throws {
    let place = Place()
    let keychain = place.keychain()
    var previous: [UInt8] = []
    for number in 1...5 {
      try keychain.add(servers: ["\(number).example"])
      let vault = try ReadBack(try place.plaintext())
      expect(vault.head.head.generation, is: Int64(number))
      expect(vault.head.head.previous, is: previous)
      previous = try contents(of: place.vault).withUnsafeBytes { try Header(parsing: $0) }.mac
    }
  }

  @Test("every write draws a new file key, share and nonce")
  func freshness() throws {
    let place = Place()
    let keychain = place.keychain()
    var shares: Set<[String]> = []
    var nonces: Set<[UInt8]> = []
    for number in 0..<20 {
      try keychain.add(servers: ["\(number).example"])
      let file = try contents(of: place.vault)
      let header = try file.withUnsafeBytes { try Header(parsing: $0) }
      shares.insert(header.stanzas[0].arguments)
      nonces.insert(Array(file[header.encodedSize..<header.encodedSize + 16]))
    }
    expect(shares.count == 20 && nonces.count == 20)
  }

  @Test("all files are 0600 and all folders 0700, whatever the umask allows")
  func modes() throws {
    let place = try Place.filled()
    try place.keychain().add(servers: ["b.example"])
    let all = try place.everything()
    let uuid = try #require(try place.keychain().summary()).uuid
    let first = try #require(try place.keychain().generations().first)
    let expected: [String] = [
      "data", "data/llavero", "data/llavero/vault.age", "data/llavero/\(place.newestWriteName)",
      "data/llavero/generations",
      String(first.path.dropFirst(place.path.count + 1)),
      "state", "state/llavero", "state/llavero/identity.txt", "state/llavero/\(uuid).seen",
      "state/llavero/machine",
    ]
    expect(all.keys.map { String($0.dropFirst(place.path.count + 1)) }.sorted(), is: expected.sorted())
    for facts in all.values { expect(facts.mode & 0o7777, is: facts.isFolder ? 0o700 : 0o600) }
  }

  @Test("storing what is there already, and erasing what isn't, writes nothing")
  func unchanged() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let before = try place.everything()
    try expect(keychain.save(item("a.example"), Credential(password: "secret-a.example")), is: .unchanged)
    try expect(place.keychain().erase(query("a.example"), holding: Secret("another")), is: 0)
    try expect(place.keychain().erase(query("b.example")), is: 0)
    try expect(place.keychain().delete([]), is: 0)
    try place.keychain().exclusively { () throws(KeychainError) in }
    expect(failure { try keychain.add(item("a.example"), Credential(password: "other")) }, is: .duplicateItem)
    var gone = item("b.example")
    gone.reference = ItemReference("none")
    expect(failure { try keychain.update(gone) }, is: .itemNotFound)
    try expect(keychain.delete([gone]), is: 0)
    try expect(place.everything(), is: before)
  }

  @Test(
    "erasing, deleting and changing where there is no vault makes none, nor does an item that can't be kept")
  func nothingToChange() throws {
    let place = Place()
    let keychain = place.keychain()
    var gone = item("b.example")
    gone.reference = ItemReference("none")
    try expect(keychain.delete([gone]), is: 0)
    expect(failure { try keychain.update(gone) }, is: .itemNotFound)
    try expect(keychain.erase(query("b.example")), is: 0)
    expect(!exists(place.vault) && !exists(place.identityFile) && !exists(place.newIdentityFile))
    let other = Place()
    let large = Credential(Secret(String(repeating: "x", count: (1 << 20) + 1)))
    expect(
      failure { try other.keychain().add(item("a.example"), large) },
      is: .tooLarge(what: "the secret", limit: 1 << 20))
    expect(failure { try other.keychain().add(item("a\n"), Credential(password: "")) } != nil)
    try expect(other.everything().isEmpty)
  }
}
