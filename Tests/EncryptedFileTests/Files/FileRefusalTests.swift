import Age
import EncryptedFile
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@Suite("Files that are not used")
struct FileRefusalTests {
  /// Reading, asking and writing end with this error, and nothing changes.
  private static func refused(_ error: String) -> String {
    "1 marks; 1 count ! \(error); 1 finds a ! \(error); 1 adds b ! \(error); 1 same"
  }

  /// Only writing looks at the lock.
  private static func unwritable(_ error: String) -> String {
    "1 marks; 1 has a; 1 adds b ! \(error); 1 same"
  }

  /// In place of the vault, of the identity and of the lock.
  private static func files(_ change: (String) -> String, _ error: (String) -> String) -> [Scenario] {
    ["vault", "identity", "lock"].map { file in
      let refused = file == "lock" ? unwritable(error(file)) : refused(error(file))
      return Scenario(file, "1 adds a; \(change(file)); \(refused)")
    }
  }

  /// In place of the vault's folder and of the state's.
  private static func folders(_ change: (String) -> String, _ error: String?) -> [Scenario] {
    [("@data/llavero", ""), ("@state/llavero", "state/")].map { folder, name in
      let outcome = error.map {
        refused("unsafeFile \(name.isEmpty ? "@data/llavero" : "@state/llavero") \($0)")
      }
      return Scenario(folder, "1 adds a; \(change(folder)); \(outcome ?? "1 adds b; 1 has a b")")
    }
  }

  static let refusals =
    files({ "1 moves \($0) @elsewhere; 1 points \($0) @elsewhere" }) { "unsafeFile \($0) symbolicLink" }
    + files({ "1 removes \($0); 1 points \($0) @nowhere" }) { "unsafeFile \($0) symbolicLink" }
    + files({ "1 removes \($0); 1 pipes \($0)" }) { "unsafeFile \($0) wrongKind" }
    + files({ "1 removes \($0); 1 makes \($0)" }) { $0 == "lock" ? "…" : "unsafeFile \($0) wrongKind" }
    + folders({ "1 moves \($0) @elsewhere; 1 points \($0) @elsewhere" }, nil)
    + folders({ "1 moves \($0) @elsewhere; 1 points \($0) @elsewhere; 1 mode @elsewhere 750" }, "mode 488")
    + folders({ "1 removes \($0); 1 writes \($0) []" }, "wrongKind")
    + [416, 388, 400, 385, 438].flatMap { mode in
      let octal = String(mode, radix: 8)
      return files({ "1 mode \($0) \(octal)" }) { "unsafeFile \($0) mode \(mode)" }
        + folders({ "1 mode \($0) \(String(mode | 0o100, radix: 8))" }, "mode \(mode | 0o100)")
    }
    + (geteuid() == 0
      ? files({ "1 gives \($0)" }) { "unsafeFile \($0) owner uid: 65534" }
        + folders({ "1 gives \($0)" }, "owner uid: 65534") : [])
    + [
      Scenario(
        "a symbolic link to no folder is neither an empty keychain nor the place of a new one",
        """
        1 adds a; 1 removes @data/llavero; 1 points @data/llavero @nowhere; 1 removes identity; 1 count ! …; 1 adds b ! …
        1 lacks @nowhere
        """),
      Scenario(
        "a keychain that is open notices that its vault has gone or was damaged since",
        """
        1' adds a; 1' has a; 1 saves vault v; 1 writes vault v<1; 1' count ! …; 1 removes vault; 1' count ! missing vault
        1 writes vault v; 1' has a
        """),
      Scenario(
        "a vault that is too large is refused before it is read",
        "1 adds a; 1 grown vault 75497473; 1 count ! \(tooLarge); 1 adds b ! \(tooLarge)"),
      Scenario(
        "an identity file that is too large is refused",
        "1 adds a; 1 grown identity 65537; \(refused("tooLarge what: identity limit: 65536"))"),
      Scenario(
        "a missing identity is said to be missing, and stays so",
        "1 adds a; 1 removes {identity|state/}; \(refused("missing identity"))"),
      Scenario(
        "the identity of another vault is said to be that, and beside it the right one opens",
        """
        1 adds a; 1 saves identity own; 2 adds a; 1 writes identity 2/identity; \(refused("wrongIdentity identity"))
        1 writes identity 2/identity+own; 1 has a
        """),
    ]

  private static let tooLarge = "tooLarge what: vault limit: 75497472"

  @Test("in place of it, or in it", .timeLimit(.minutes(60)), arguments: refusals)
  func play(scenario: Scenario) throws { try scenario.run() }

  @Test(
    "a symbolic link further up that leads nowhere is no new place either, as to a disk that isn't mounted")
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

  @Test("the identity file names the public key, and one that is wrong there changes nothing")
  func publicKeyComment() throws {
    let place = try Place.filled()
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

  @Test("an identity file without identity, or cut short anywhere, is damaged, and opens nothing")
  func garbage() throws {
    let place = try Place.filled()
    let whole = try contents(of: place.identityFile)
    let texts = [
      "\n", "# only a comment\n", "AGE-SECRET-KEY-1\n", "garbage", "\u{0}\u{0}\u{0}",
      "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n",
    ]
    let error = KeychainError.damaged(path: place.identityFile, detail: "it holds no age identity")
    for text in texts.map({ Array($0.utf8) }) + (0..<(whole.count - 1)).map({ Array(whole[..<$0]) }) {
      try put(text, into: place.identityFile)
      expect(failure { try place.keychain().servers() }, is: error)
      expect(failure { try place.keychain().add(servers: ["b.example"]) }, is: error)
      try expect(contents(of: place.identityFile), is: text)
    }
  }
}
