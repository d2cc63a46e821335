import Age
import Expectations
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
    try expect(keychain.items(matching: .all) == [] && keychain.summary() == nil)
    try expect(place.everything().isEmpty)
    try keychain.add(servers: ["a.example"])
    try keychain.add(servers: ["b.example"])
    expect(heard.all, is: [.created(place.location)])
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("making a vault where there is one is refused and changes nothing")
  func twice() throws {
    let place = Place()
    try place.keychain().create(.identityFile)
    let before = try place.everything()
    expect(failure { try place.keychain().create(.identityFile) }, is: .duplicateItem)
    expect(failure { try place.keychain().create(.passphrase(Secret("p"))) }, is: .duplicateItem)
    try expect(place.everything(), is: before)
  }

  @Test("an empty vault is one, with nothing in it")
  func empty() throws {
    let place = Place()
    try place.keychain().create(.identityFile)
    try expect(place.keychain().servers(), is: [])
    try expect(place.keychain().summary()?.contents?.generation, is: 1)
  }

  @Test("killed before the vault: the next one makes a vault as if nothing had been")
  func killedBeforeVault() throws {
    let place = try killedAfterVault()
    place.loseVault()
    // The highest generation seen is recorded after the vault is in its place.
    for name in names(in: place.location.stateFolder) where name.hasSuffix(".seen") {
      unlink(place.location.stateFolder + "/" + name)
    }
    try expect(place.keychain().servers(), is: [])
    try place.keychain().add(servers: ["b.example"])
    try expect(place.keychain().servers(), is: ["b.example"])
    expect(exists(place.identityFile) && !exists(place.newIdentityFile))
  }

  @Test("killed after the vault: it opens, and the next change gives the identity its name")
  func killedBeforeName() throws {
    let place = try killedAfterVault()
    try expect(place.keychain().servers(), is: ["a.example"])
    expect(!exists(place.identityFile))
    try place.keychain().add(servers: ["b.example"])
    expect(exists(place.identityFile) && !exists(place.newIdentityFile))
    try expect(place.keychain().servers(), is: ["a.example", "b.example"])
  }

  @Test("both names: the vault opens with the one that is its own")
  func bothNames() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    try put(try HandMadeVault().identityText(), into: place.newIdentityFile)
    try expect(place.keychain().servers(), is: ["a.example"])
    let before = try contents(of: place.identityFile)
    try place.keychain().add(servers: ["b.example"])
    try expect(contents(of: place.identityFile), is: before)
  }

  @Test("an identity without a vault means that the vault is missing, and nothing new is made")
  func identityAlone() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    unlink(place.vault)
    let before = try place.everything()
    let missing = KeychainError.missing(path: place.vault)
    expect(failure { try place.keychain().servers() }, is: missing)
    expect(failure { try place.keychain().summary() }, is: missing)
    expect(failure { try place.keychain().add(servers: ["b.example"]) }, is: missing)
    expect(failure { try place.keychain().create(.passphrase(Secret("p"))) }, is: missing)
    try expect(place.everything(), is: before)
  }

  @Test("slots without a vault mean that the vault is missing")
  func slotsAlone() throws {
    let place = Place()
    place.makeFolders()
    mkdir(place.slots, 0o700)
    expect(failure { try place.keychain().servers() }, is: .missing(path: place.vault))
    expect(failure { try place.keychain().add(servers: ["b.example"]) }, is: .missing(path: place.vault))
  }

  @Test("an identity in a folder that can't be searched is not an absent one")
  func unsearchableState() throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    unlink(place.vault)
    // A loop of links stands for all errors but "not there", because root may search any folder.
    unlink(place.identityFile)
    symlink(place.identityFile, place.identityFile)
    expect(failure { try place.keychain().servers() } != nil)
  }

  @Test("what a killed maker left doesn't get in the way of a vault with a passphrase")
  func leftIdentityAndPassphrase() throws {
    let place = Place()
    place.makeFolders()
    try put(try HandMadeVault().identityText(), into: place.newIdentityFile)
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza(), try vault.slot("right")]
    try put(try vault.file(), into: place.vault)
    try expect(place.keychain(passphrase: "right").servers().count, is: 3)
    try place.keychain(passphrase: "right").add(servers: ["d.example"])
    try expect(place.keychain(passphrase: "right").servers().count, is: 4)
    expect(!exists(place.identityFile), "an identity of no vault has become this one's")
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
