import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// What opens a vault that a test makes with the program's own functions, and how it is made and written to several times.
enum Way: String, CaseIterable {
  case identityFile = "1 stores a b c"
  case passphrase = "1 creates right; 1(right) stores a b c"
  case recoveryCode = "1 createsPlain; 1 addsCode C; 1 drops identity-file; 1(C) stores a b c"
  case recipient = """
    1 createsPlain; 1 key K; 1 addsRecipient K A @K.txt; 1 drops identity-file; 1 stores a b c
    """

  /// A place with such a vault.
  func make() throws -> Place {
    let scene = Scene("\(self)", files: [:])
    try scene.play(rawValue)
    return scene.place("1")
  }

  /// What the vault leaves beside its own file: how it comes to a second machine. The record of the generation seen is there
  /// with its place, without it, as a power cut leaves it, or with all else of the state. What has been exchanged is left by
  /// a writer that is killed before it removes the former file.
  var traces: [String] {
    let own =
      switch self {
      case .identityFile: ["2 writes identity 1/identity"]
      case .passphrase, .recoveryCode: ["2 copies slots"]
      case .recipient: ["2 copies slots", "2 copies state/slots"]
      }
    return own + [
      "2 takesSeen", "2 takesSeen; 2 writes seen 2/seen~", "2 takesSeen; 2 writes seen []",
      "2 copies generations",
      "2 writes copy 1/vault", "2 writes out 1/vault", "2 copies state/; 2 takesSeen",
    ]
  }
}

/// Copies a file, or a folder with its contents. Returns whether it exists.
@discardableResult
func copyTree(_ old: String, to new: String) throws -> Bool {
  guard exists(old) else { return false }
  if try !FileFacts(old).isFolder {
    try put(try contents(of: old), into: new)
    return true
  }
  mkdir(new, 0o700)
  for name in names(in: old) { try copyTree(old + "/" + name, to: new + "/" + name) }
  return true
}

@Suite("A vault that is missing", .timeLimit(.minutes(60)))
struct MissingTests {
  private static let missing = "refusesAll ! missing"

  static let scenarios =
    Way.allCases.flatMap { way in
      [
        Scenario(
          "each trace of \(way) makes that an error, and nothing is made",
          """
          \(way.rawValue); 2 folders; {\(way.traces.joined(separator: "|"))}; 2 marks; 2(right) \(Self.missing) 2/vault; 2 same
          """),
        Scenario(
          "so does what is remembered: \(way)",
          "\(way.rawValue); 2 folders; 2 marks; 2(right):remembered=vault \(Self.missing) 2/vault; 2 same"),
        // As where a disk isn't mounted.
        Scenario(
          "its folder may be gone, or be empty: \(way)",
          """
          \(way.rawValue); 1 moves @data @away; 1 marks; 1(right) \(Self.missing) vault; 1 same; 1 makes @data; 1 marks
          1(right) \(Self.missing) vault; 1 same; 1 makes @data/llavero; 1 marks; 1(right) \(Self.missing) vault; 1 same
          1 removes @data; 1 moves @away @data; 1(\(way == .recoveryCode ? "C" : "right")) count = 3
          """),
      ]
    } + [
      Scenario(
        "nothing is missing where nothing was made, or all of it was removed, or only chosen",
        """
        1 has; 1 isThere = no; 1 folders; 1 writes lock []; 1 writes state/keychain [102,105,108,101]; 1 has; 1 isThere = no
        1 stores a b c; 1 removes @data/llavero @state/llavero; 1 has; 1 isThere = no; 1 adds new; 1 has new
        """),
      Scenario(
        "an object that has opened it misses it, though nothing else tells of it",
        """
        \(Way.passphrase.rawValue); 1'(right) count = 3; 1 removes @data/llavero @state/llavero
        1'(right) count ! missing vault; 1'(right) adds b ! missing vault; 1 lacks @data/llavero @state/llavero
        """),
      Scenario(
        "where what was seen is noted without its place, that is noted at the next look, and the rest stays",
        "1 stores a b c; 1 saves seen note; 1 writes seen note~; 1 count = 3; 1 is seen note"),
      Scenario(
        "where there is a vault, or never was one, there is nothing to put aside when one starts over",
        "1 startsOver = ; 1 marks; 1 startsOver ! duplicateItem; 1 same"),
    ]

  @Test("of which", arguments: scenarios) func play(scenario: Scenario) throws { try scenario.run() }

  /// The same state with another place for the vault.
  private func elsewhere(_ place: Place) -> VaultLocation {
    VaultLocation(vaultFolder: place.path + "/other/llavero", stateFolder: place.location.stateFolder)
  }

  @Test(
    "where the vault is elsewhere, that is said; nothing is made, not even on purpose",
    arguments: Way.allCases)
  func otherPlace(way: Way) throws {
    let place = try way.make()
    let before = try place.everything()
    let other = elsewhere(place)
    let error = KeychainError.elsewhere(path: other.vaultFile, known: place.vault)
    let keychain = EncryptedFileKeychain(at: other)
    expect(failure { try keychain.servers() }, is: error)
    expect(failure { try keychain.add(servers: ["b.example"]) }, is: error)
    expect(failure { try keychain.create(.identityFile) }, is: error)
    expect(failure { try keychain.create(.passphrase(Secret("new")), startingOver: true) }, is: error)
    try expect(place.everything(), is: before)
    unlink(place.vault)
    expect(failure { try keychain.servers() }, is: error)
  }

  @Test("one of two that share their state is missed, and starting over there leaves what opens the other")
  func oneOfTwo() throws {
    let place = try Way.identityFile.make()
    let former = try Way.passphrase.make()
    // The other vault was put there by hand: llavero makes none there.
    let other = elsewhere(place)
    mkdir(place.path + "/other", 0o700)
    try copyTree(former.location.vaultFolder, to: other.vaultFolder)
    let keychain = EncryptedFileKeychain(at: other, passphrase: { $0 == 1 ? Secret("right") : nil })
    try expect(keychain.servers().count, is: 3)
    removeAll(other.vaultFolder)
    let again = EncryptedFileKeychain(at: other)
    expect(failure { try again.servers() }, is: .missing(path: other.vaultFile))
    let before = try place.everything()
    expect(
      failure { try again.create(.identityFile, startingOver: true) },
      is: .elsewhere(path: other.vaultFile, known: place.vault))
    try expect(place.everything(), is: before)
    try expect(place.keychain().servers().count, is: 3)
  }

  @Test("what is remembered of the choice counts where nothing that was seen tells of a place")
  func rememberedAndSeen() throws {
    let place = try Way.identityFile.make()
    let other = elsewhere(place)
    let keychain = EncryptedFileKeychain(at: other, remembered: { other.vaultFile })
    expect(failure { try keychain.servers() }, is: .elsewhere(path: other.vaultFile, known: place.vault))
  }

  @Test("with a state of its own another place has a keychain of its own")
  func ownState() throws {
    let place = try Way.identityFile.make()
    let other = EncryptedFileKeychain(
      at: VaultLocation(
        vaultFolder: place.path + "/other/llavero", stateFolder: place.path + "/other-state/llavero"))
    try expect(other.servers(), is: [])
    try other.add(servers: ["b.example"])
    try expect(place.keychain().servers().count, is: 3)
  }

  @Test("a vault that has moved is used where it is, and missed there from then on")
  func moved() throws {
    let place = try Way.identityFile.make()
    let other = elsewhere(place)
    rename(place.path + "/data", place.path + "/other")
    try expect(EncryptedFileKeychain(at: other).servers().count, is: 3)
    expect(
      failure { try place.keychain().servers() }, is: .elsewhere(path: place.vault, known: other.vaultFile))
    rename(place.path + "/other", place.path + "/away")
    expect(failure { try EncryptedFileKeychain(at: other).servers() }, is: .missing(path: other.vaultFile))
  }

  @Test(
    "a path with a line feed, or of great length, is left out and harms nothing", arguments: ["a\nb", "long"])
  func strangePath(name: String) throws {
    let place = Place()
    let part = name == "long" ? String(repeating: "l", count: 200) : name
    let folder = place.path + "/" + (1...16).map { _ in part }.joined(separator: "/")
    let location = VaultLocation(vaultFolder: folder, stateFolder: place.location.stateFolder)
    try EncryptedFileKeychain(at: location).add(servers: ["a.example"])
    try expect(EncryptedFileKeychain(at: location).servers(), is: ["a.example"])
    unlink(place.identityFile)
    unlink(location.vaultFile)
    expect(
      failure { try EncryptedFileKeychain(at: location).servers() }, is: .missing(path: location.vaultFile))
  }

  @Test("on purpose another is made, and what was left is put aside, whole", arguments: Way.allCases)
  func startingOver(way: Way) throws {
    let place = try way.make()
    let vault = try contents(of: place.vault)
    unlink(place.vault)
    let before = try place.everything()
    let aside = try place.keychain().create(.passphrase(Secret("new")), startingOver: true)
    try expect(place.keychain(passphrase: "new").servers(), is: [])
    try place.keychain(passphrase: "new").add(servers: ["new.example"])
    expect(!exists(place.identityFile), "weaker than was asked for")
    // With everything put back, the former vault is as it was.
    for (index, folder) in [place.location.vaultFolder, place.location.stateFolder].enumerated() {
      guard let former = aside.first(where: { $0.hasPrefix(folder + "/former-") }) else {
        Issue.record("nothing aside in \(folder), number \(index)")
        continue
      }
      // The name of the machine doesn't belong to a vault.
      for name in names(in: folder) where name != "machine" && folder + "/" + name != former {
        removeAll(folder + "/" + name)
      }
      for name in names(in: former) { rename(former + "/" + name, folder + "/" + name) }
      rmdir(former)
    }
    try expect(place.everything(), is: before)
    try put(vault, into: place.vault)
    if way != .recoveryCode { try expect(place.keychain(passphrase: "right").servers().count, is: 3) }
  }
}
