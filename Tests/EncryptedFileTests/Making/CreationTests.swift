import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Making a vault")
struct CreationTests {
  static let makings = [
    Scenario(
      "the first item makes a vault and the maker hears of it once",
      "1' count = 0; 1' summary = none; 1 lacks @data @state; 1' stores a b; told = created; 1 has a b"),
    Scenario(
      "making a vault where there is one is refused and changes nothing",
      """
      1 createsPlain; 1 marks; 1 createsPlain ! duplicateItem; 1 creates p ! duplicateItem; 1 same; 1 has; 1 number = 1
      """),
    // The highest generation seen is recorded after the vault is in its place.
    Scenario(
      "killed before the vault: the next one makes a vault as if nothing had been",
      """
      1 adds a; 1 moves identity identity.new; 1 loses; 1 removes seen; 1 has; 1 adds b; 1 has b; 1 mode identity = 600
      1 lacks identity.new
      """),
    Scenario(
      "killed after the vault: it opens, and the next change gives the identity its name",
      """
      1 adds a; 1 moves identity identity.new; 1 has a; 1 lacks identity; 1 adds b; 1 mode identity = 600
      1 lacks identity.new; 1 has a b
      """),
    Scenario(
      "both names: the vault opens with the one that is its own",
      """
      1 adds a; 2 adds x; 1 writes identity.new 2/identity; 1 saves identity own; 1 has a; 1 adds b
      1 is identity own
      """),
    Scenario(
      "slots without a vault mean that the vault is missing",
      "1 folders; 1 makes slots; 1 count ! missing vault; 1 adds b ! missing vault"),
    // A loop of links stands for all errors but "not there", because root may search any folder.
    Scenario(
      "an identity in a folder that can't be searched is not an absent one",
      "1 adds a; 1 removes vault identity; 1 points identity identity; 1 count ! …"),
    // An identity of no vault must not become this one's.
    Scenario(
      "what a killed maker left doesn't get in the way of a vault with a passphrase",
      """
      2 vault; 1 vault right; 1 writes identity.new 2/identity; 1(right) count = 3; 1(right) adds d; 1(right) count = 4
      1 lacks identity
      """),
  ]

  @Test("of which", arguments: makings) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("if the vault has got its place, its identity stays, though making it ends in an error")
  func errorAfterVault() throws {
    let place = Place()
    place.makeFolders()
    let vault = try NewVault(.identityFile, place.keychain().unlocking)
    let folder = try Folder(creating: place.location.vaultFolder)
    let error = failure {
      try vault.install(at: place.location, in: folder) { () throws(KeychainError) in
        // As if the folder could not be synced after the rename.
        do {
          try put(try HandMadeVault().file(), into: place.vault)
        } catch {
          throw KeychainError.itemNotFound
        }
        throw KeychainError.system(operation: "sync the folder", path: "", errno: EIO)
      }
    }
    expect(error, is: .system(operation: "sync the folder", path: "", errno: EIO))
    expect(
      exists(place.newIdentityFile) || exists(place.identityFile), "the vault can never be opened again")
  }

  @Test("if the vault has not got its place, no identity stays")
  func errorBeforeVault() throws {
    let place = Place()
    place.makeFolders()
    mkdir(place.vault, 0o700)
    let vault = try NewVault(.identityFile, place.keychain().unlocking)
    let folder = try Folder(creating: place.location.vaultFolder)
    rmdir(place.vault)
    _ = failure {
      try vault.install(at: place.location, in: folder) { () throws(KeychainError) in
        throw KeychainError.system(operation: "write", path: "", errno: ENOSPC)
      }
    }
    expect(names(in: place.location.stateFolder), is: [])
  }

  @Test("threads that all add the first item make one vault, and all items are in it")
  func raceOfMakers() throws {
    for _ in 0..<10 {
      let place = Place()
      let errors = Collected<String>()
      let notices = Collected<EncryptedFileKeychain.Notice>()
      concurrently(6) { number in
        do {
          try place.keychain(onNotice: { notices.append($0) }).add(servers: ["\(number).example"])
        } catch {
          errors.append("\(error)")
        }
      }
      expect(errors.all, is: [])
      expect(notices.all, is: [.created(place.location)])
      try expect(place.keychain().servers(), is: (0..<6).map { "\($0).example" })
      expect(
        names(in: place.location.stateFolder).filter { !$0.hasSuffix(".seen") },
        is: ["identity.txt", "machine"])
    }
  }

  @Test("who reads while the vault is being made sees nothing or the item, never an error")
  func readingWhileMaking() throws {
    let errors = Collected<String>()
    for _ in 0..<60 {
      let place = Place()
      let isDone = Collected<Bool>()
      concurrently(3) { number in
        if number == 0 {
          do { try place.keychain().add(servers: ["a.example"]) } catch { errors.append("writer: \(error)") }
          isDone.append(true)
          return
        }
        while isDone.all.isEmpty {
          do {
            let servers = try place.keychain().servers()
            if servers != [], servers != ["a.example"] { errors.append("\(servers)") }
          } catch { errors.append("reader: \(error)") }
        }
      }
    }
    expect(errors.all.first, is: nil, "\(errors.all.count) of them")
  }
}
