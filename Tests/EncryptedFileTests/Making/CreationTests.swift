import Age
import Glibc
import Keychain
import PrivateFiles
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Making a vault")
struct CreationTests {
  /// The state after a process was killed when it had just put the vault in its place.
  private func killedAfterVault() throws -> Place {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    rename(place.identityFile, place.newIdentityFile)
    return place
  }

  @Test("the first item makes a vault and the maker hears of it once")
  func firstItem() throws {
    let place = Place()
    let heard = Collected<EncryptedFileKeychain.Notice>()
    let keychain = place.keychain(onNotice: { heard.append($0) })
    #expect(try keychain.items(matching: .all) == [] && keychain.summary() == nil)
    #expect(try place.everything().isEmpty)
    try keychain.add(servers: ["a.example"])
    try keychain.add(servers: ["b.example"])
    #expect(heard.all == [.created(place.location)])
    #expect(try place.keychain().servers() == ["a.example", "b.example"])
  }

  @Test("making a vault where there is one is refused and changes nothing")
  func twice() throws {
    let place = Place()
    try place.keychain().create(.identityFile)
    let before = try place.everything()
    #expect(failure { try place.keychain().create(.identityFile) } == .duplicateItem)
    #expect(failure { try place.keychain().create(.passphrase(Secret("p"))) } == .duplicateItem)
    #expect(try place.everything() == before)
  }

  @Test("an empty vault is one, with nothing in it")
  func empty() throws {
    let place = Place()
    try place.keychain().create(.identityFile)
    #expect(try place.keychain().servers() == [])
    #expect(try place.keychain().summary()?.contents?.generation == 1)
  }

  @Test("killed before the vault: the next one makes a vault as if nothing had been")
  func killedBeforeVault() throws {
    let place = try killedAfterVault()
    place.loseVault()
    // The highest generation seen is recorded after the vault is in its place.
    for name in names(in: place.location.stateFolder) where name.hasSuffix(".seen") {
      unlink(place.location.stateFolder + "/" + name)
    }
    #expect(try place.keychain().servers() == [])
    try place.keychain().add(servers: ["b.example"])
    #expect(try place.keychain().servers() == ["b.example"])
    #expect(exists(place.identityFile) && !exists(place.newIdentityFile))
  }

  @Test("killed after the vault: it opens, and the next change gives the identity its name")
  func killedBeforeName() throws {
    let place = try killedAfterVault()
    #expect(try place.keychain().servers() == ["a.example"])
    #expect(!exists(place.identityFile))
    try place.keychain().add(servers: ["b.example"])
    #expect(exists(place.identityFile) && !exists(place.newIdentityFile))
    #expect(try place.keychain().servers() == ["a.example", "b.example"])
  }

  @Test("both names: the vault opens with the one that is its own")
  func bothNames() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    try put(try HandMadeVault().identityText(), into: place.newIdentityFile)
    #expect(try place.keychain().servers() == ["a.example"])
    let before = try contents(of: place.identityFile)
    try place.keychain().add(servers: ["b.example"])
    #expect(try contents(of: place.identityFile) == before)
  }

  @Test("an identity without a vault means that the vault is missing, and nothing new is made")
  func identityAlone() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    unlink(place.vault)
    let before = try place.everything()
    let missing = KeychainError.missing(path: place.vault)
    #expect(failure { try place.keychain().servers() } == missing)
    #expect(failure { try place.keychain().summary() } == missing)
    #expect(failure { try place.keychain().add(servers: ["b.example"]) } == missing)
    #expect(failure { try place.keychain().create(.passphrase(Secret("p"))) } == missing)
    #expect(try place.everything() == before)
  }

  @Test("slots without a vault mean that the vault is missing")
  func slotsAlone() throws {
    let place = Place()
    place.makeFolders()
    mkdir(place.slots, 0o700)
    #expect(failure { try place.keychain().servers() } == .missing(path: place.vault))
    #expect(failure { try place.keychain().add(servers: ["b.example"]) } == .missing(path: place.vault))
  }

  @Test("an identity in a folder that can't be searched is not an absent one")
  func unsearchableState() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    unlink(place.vault)
    // A loop of links stands for all errors but "not there", because root may search any folder.
    unlink(place.identityFile)
    symlink(place.identityFile, place.identityFile)
    #expect(failure { try place.keychain().servers() } != nil)
  }

  @Test("what a killed maker left doesn't get in the way of a vault with a passphrase")
  func leftIdentityAndPassphrase() throws {
    let place = Place()
    place.makeFolders()
    try put(try HandMadeVault().identityText(), into: place.newIdentityFile)
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza(), try vault.slot("right")]
    try put(try vault.file(), into: place.vault)
    #expect(try place.keychain(passphrase: "right").servers().count == 3)
    try place.keychain(passphrase: "right").add(servers: ["d.example"])
    #expect(try place.keychain(passphrase: "right").servers().count == 4)
    #expect(!exists(place.identityFile), "an identity of no vault has become this one's")
  }

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
    #expect(error == .system(operation: "sync the folder", path: "", errno: EIO))
    #expect(
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
    #expect(names(in: place.location.stateFolder) == [])
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
      #expect(errors.all == [])
      #expect(notices.all == [.created(place.location)])
      #expect(try place.keychain().servers() == (0..<6).map { "\($0).example" })
      #expect(
        names(in: place.location.stateFolder).filter { !$0.hasSuffix(".seen") }
          == ["identity.txt", "machine"])
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
    #expect(errors.all.first == nil, "\(errors.all.count) of them")
  }
}
