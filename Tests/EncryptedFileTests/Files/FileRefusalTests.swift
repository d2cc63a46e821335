import Age
import EncryptedFile
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@Suite("Files that are not used")
struct FileRefusalTests {
  /// The parts of a vault that could belong to another user, or could let others in.
  enum Part: String, CaseIterable, Sendable {
    case vault, vaultFolder, identity, stateFolder, lock

    func path(_ place: Place) -> String {
      switch self {
      case .vault: place.vault
      case .vaultFolder: place.location.vaultFolder
      case .identity: place.identityFile
      case .stateFolder: place.location.stateFolder
      case .lock: place.lock
      }
    }

    var isFolder: Bool { self == .vaultFolder || self == .stateFolder }
  }

  /// Expects the error from reading and writing, and no changes.
  private func expectRefusal(
    _ error: KeychainError, at place: Place, onlyWhenWriting: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try place.everything()
    if onlyWhenWriting {
      #expect(try place.keychain().servers() == ["a.example"], sourceLocation: sourceLocation)
    } else {
      #expect(failure { try place.keychain().servers() } == error, sourceLocation: sourceLocation)
      #expect(
        failure { try place.keychain().items(matching: query("a.example")) } == error,
        sourceLocation: sourceLocation)
    }
    #expect(
      failure { try place.keychain().add(servers: ["b.example"]) } == error, sourceLocation: sourceLocation)
    #expect(try place.everything() == before, sourceLocation: sourceLocation)
  }

  private func filled() throws -> Place {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    return place
  }

  @Test("what belongs to another user is refused", .enabled(if: geteuid() == 0), arguments: Part.allCases)
  func owner(part: Part) throws {
    let place = try filled()
    chown(part.path(place), 65534, 65534)
    try expectRefusal(
      .unsafeFile(path: part.path(place), .owner(uid: 65534)), at: place, onlyWhenWriting: part == .lock)
  }

  @Test(
    "what others could read or write is refused",
    arguments: Part.allCases, [0o640, 0o604, 0o620, 0o601, 0o666] as [UInt32])
  func mode(part: Part, mode: UInt32) throws {
    let place = try filled()
    let mode = part.isFolder ? mode | 0o100 : mode
    chmod(part.path(place), mode)
    try expectRefusal(
      .unsafeFile(path: part.path(place), .mode(mode)), at: place, onlyWhenWriting: part == .lock)
  }

  @Test("a symbolic link in place of a file is refused", arguments: [Part.vault, .identity, .lock])
  func link(part: Part) throws {
    let place = try filled()
    let path = part.path(place)
    rename(path, place.path + "/elsewhere")
    symlink(place.path + "/elsewhere", path)
    try expectRefusal(.unsafeFile(path: path, .symbolicLink), at: place, onlyWhenWriting: part == .lock)
  }

  @Test(
    "a symbolic link to nothing in place of a file is refused", arguments: [Part.vault, .identity, .lock])
  func deadLink(part: Part) throws {
    let place = try filled()
    let path = part.path(place)
    unlink(path)
    symlink(place.path + "/nowhere", path)
    try expectRefusal(.unsafeFile(path: path, .symbolicLink), at: place, onlyWhenWriting: part == .lock)
  }

  @Test("a symbolic link to a folder is followed", arguments: [Part.vaultFolder, .stateFolder])
  func folderLink(part: Part) throws {
    let place = try filled()
    rename(part.path(place), place.path + "/elsewhere")
    symlink(place.path + "/elsewhere", part.path(place))
    try place.keychain().add(servers: ["b.example"])
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test(
    "a symbolic link to a folder that lets others in is refused", arguments: [Part.vaultFolder, .stateFolder])
  func openFolderLink(part: Part) throws {
    let place = try filled()
    rename(part.path(place), place.path + "/elsewhere")
    symlink(place.path + "/elsewhere", part.path(place))
    chmod(place.path + "/elsewhere", 0o750)
    try expectRefusal(.unsafeFile(path: part.path(place), .mode(0o750)), at: place)
  }

  @Test("a symbolic link to no folder is neither an empty keychain nor the place of a new one")
  func deadFolderLink() throws {
    let place = try filled()
    removeAll(place.location.vaultFolder)
    symlink(place.path + "/nowhere", place.location.vaultFolder)
    unlink(place.identityFile)
    expect(failure { try place.keychain().servers() } != nil)
    expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil)
    expect(!exists(place.path + "/nowhere"))
  }

  @Test("nor is one further up, as to a disk that isn't mounted")
  func deadLinkAbove() throws {
    let place = Place()
    let disk = place.path + "/disk"
    mkdir(disk, 0o700)
    symlink(disk, place.path + "/link")
    let linked = VaultLocation(
      vaultFolder: place.path + "/link/data/llavero", stateFolder: place.path + "/link/state/llavero")
    try EncryptedFileKeychain(at: linked).add(servers: ["a.example"])
    rename(disk, place.path + "/elsewhere")
    let missing = KeychainError.missing(path: place.path + "/link")
    expect(failure { try EncryptedFileKeychain(at: linked).servers() }, is: missing)
    expect(failure { try EncryptedFileKeychain(at: linked).add(servers: ["b.example"]) }, is: missing)
    expect(!exists(disk))
  }

  @Test(
    "a FIFO in place of a file is refused at once", .timeLimit(.minutes(60)),
    arguments: [Part.vault, .identity, .lock])
  func fifo(part: Part) throws {
    let place = try filled()
    unlink(part.path(place))
    mkfifo(part.path(place), 0o600)
    try expectRefusal(
      .unsafeFile(path: part.path(place), .wrongKind), at: place, onlyWhenWriting: part == .lock)
  }

  @Test("a folder in place of a file is refused", arguments: [Part.vault, .identity])
  func folder(part: Part) throws {
    let place = try filled()
    unlink(part.path(place))
    mkdir(part.path(place), 0o700)
    try expectRefusal(.unsafeFile(path: part.path(place), .wrongKind), at: place)
  }

  @Test("a folder in place of the lock is refused")
  func lockFolder() throws {
    let place = try filled()
    unlink(place.lock)
    mkdir(place.lock, 0o700)
    let before = try place.everything()
    expect(failure { try place.keychain().add(servers: ["b.example"]) } != nil)
    try expect(place.everything(), is: before)
  }

  @Test("a file in place of a folder is refused", arguments: [Part.vaultFolder, .stateFolder])
  func file(part: Part) throws {
    let place = try filled()
    removeAll(part.path(place))
    try put([], into: part.path(place))
    try expectRefusal(.unsafeFile(path: part.path(place), .wrongKind), at: place)
  }

  @Test("a vault that is too large is refused before it is read")
  func tooLarge() throws {
    let place = try filled()
    truncate(place.vault, (72 << 20) + 1)
    expect(failure { try place.keychain().servers() }, is: .tooLarge(what: place.vault, limit: 72 << 20))
    expect(
      failure { try place.keychain().add(servers: ["b"]) }, is: .tooLarge(what: place.vault, limit: 72 << 20))
  }

  @Test("an identity file that is too large is refused")
  func identityTooLarge() throws {
    let place = try filled()
    truncate(place.identityFile, (64 << 10) + 1)
    try expectRefusal(.tooLarge(what: place.identityFile, limit: 64 << 10), at: place)
  }

  @Test("a missing identity is said to be missing, and stays so")
  func identityMissing() throws {
    let place = try filled()
    unlink(place.identityFile)
    try expectRefusal(.missing(path: place.identityFile), at: place)
    removeAll(place.location.stateFolder)
    try expectRefusal(.missing(path: place.identityFile), at: place)
  }

  @Test("the identity of another vault is said to be that")
  func identityOfAnother() throws {
    let place = try filled()
    try put(try HandMadeVault().identityText(), into: place.identityFile)
    try expectRefusal(.wrongIdentity(path: place.identityFile), at: place)
  }

  @Test("several identities in the file: the right one opens")
  func severalIdentities() throws {
    let place = try filled()
    let own = try contents(of: place.identityFile)
    try put(try HandMadeVault().identityText() + own, into: place.identityFile)
    try expect(place.keychain().servers(), is: ["a.example"])
  }

  @Test("the identity file names the public key, and one that is wrong there changes nothing")
  func publicKeyComment() throws {
    let place = try filled()
    let own = text(try contents(of: place.identityFile))
    let line = "# public key: \(try place.identity().recipient)\n"
    expect(own.contains("\n" + line + "AGE-SECRET-KEY-1"))
    for other in [
      "", "# public key: \(X25519Identity().recipient)\n", "# public key: age1\n", "# public key: \n",
    ] {
      try put(Array(own.replacing(line, with: other).utf8), into: place.identityFile)
      try expect(place.keychain().servers(), is: ["a.example"])
      try place.keychain().add(servers: ["b.example"])
      try expect(place.keychain().servers().count, is: 2)
      let added = try place.keychain().find(try query("b.example"))
      try place.keychain().delete(added)
    }
  }

  @Test(
    "an identity file without identity is damaged",
    arguments: [
      "", "\n", "# only a comment\n", "AGE-SECRET-KEY-1\n", "garbage", "\u{0}\u{0}\u{0}",
      "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n",
    ])
  func garbage(text: String) throws {
    let place = try filled()
    try put(Array(text.utf8), into: place.identityFile)
    try expectRefusal(.damaged(path: place.identityFile, detail: "it holds no age identity"), at: place)
  }

  @Test("an identity file cut short anywhere opens nothing, and says so")
  func cutIdentity() throws {
    let place = try filled()
    let whole = try contents(of: place.identityFile)
    for count in 0..<(whole.count - 1) {
      try put(Array(whole[..<count]), into: place.identityFile)
      expect(
        failure { try place.keychain().servers() },
        is: .damaged(path: place.identityFile, detail: "it holds no age identity"))
    }
  }
}
