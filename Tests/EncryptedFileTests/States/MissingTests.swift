import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// What opens a vault that a test makes with the program's own functions.
private enum Way: CaseIterable {
  case identityFile, passphrase, recoveryCode, recipient

  /// Makes a vault that only this opens, and writes to it several times.
  func make(at place: Place) throws {
    place.makeFolders()
    let keychain = place.keychain(passphrase: "right")
    switch self {
    case .identityFile: break
    case .passphrase: try keychain.create(.passphrase(Secret("right")))
    case .recoveryCode:
      try keychain.addRecoveryCodeToNewVault()
    case .recipient:
      try keychain.create(.identityFile)
      let identity = X25519Identity()
      let path = place.path + "/key.txt"
      try put(IdentityText.of(identity, uuid: "x").withUnsafeBytes { Array($0) }, into: path)
      try keychain.addRecipient(identity.recipient.description, identity: path)
      try keychain.removeSlot(SlotSummary.identityFileID)
    }
    for server in ["a.example", "b.example", "c.example"] { try keychain.add(servers: [server]) }
  }
}

extension EncryptedFileKeychain {
  fileprivate func addRecoveryCodeToNewVault() throws(KeychainError) {
    try create(.identityFile)
    try addRecoveryCode { _ in }
    try removeSlot(SlotSummary.identityFileID)
  }
}

/// A file that a vault leaves in addition to its own.
private enum Trace: CaseIterable {
  /// The record of the generation seen, with its place, without it, and as a power cut leaves it.
  case seen, seenWithoutPlace, emptySeen
  case remembered
  case identity, localSlots
  case slots, generations, conflictCopy
  /// What a writer leaves that is killed before it removes the former file.
  case exchanged
  /// Everything that is left after the vault's folder is gone.
  case wholeState

  /// Copies it from a place that has a vault. Returns whether it existed.
  func copy(from former: Place, to place: Place) throws -> Bool {
    place.makeFolders()
    let (old, new) = (former.location, place.location)
    switch self {
    case .seen, .seenWithoutPlace, .emptySeen, .wholeState:
      for name in names(in: old.stateFolder) {
        let isSeen = name.hasSuffix(".seen")
        guard isSeen else {
          if self == .wholeState {
            try copyTree(old.stateFolder + "/" + name, to: new.stateFolder + "/" + name)
          }
          continue
        }
        let first = try lines(contents(of: old.stateFolder + "/" + name))[0] + [0x0a]
        let text: [UInt8] =
          switch self {
          case .seenWithoutPlace: Array(first)
          case .emptySeen: []
          default: first + Array("at \(place.vault)\n".utf8)
          }
        try put(text, into: new.stateFolder + "/" + name)
      }
      return true
    case .remembered: return true
    case .identity: return try copyTree(old.identityFile, to: new.identityFile)
    case .localSlots: return try copyTree(old.localSlotsFolder, to: new.localSlotsFolder)
    case .slots: return try copyTree(former.slots, to: place.slots)
    case .generations:
      return try copyTree(old.vaultFolder + "/generations", to: new.vaultFolder + "/generations")
    case .conflictCopy:
      let name = "/vault.sync-conflict-20261121-083000-ABCDEFG.age"
      return try copyTree(former.vault, to: new.vaultFolder + name)
    case .exchanged:
      return try copyTree(former.vault, to: new.vaultFolder + "/.vault.age.0123456789abcdef.out.tmp")
    }
  }
}

/// Copies a file, or a folder with its contents. Returns whether it exists.
@discardableResult
private func copyTree(_ old: String, to new: String) throws -> Bool {
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
  /// Expects this error from every operation of a keychain, and no changes.
  private func expectRefusal(
    _ error: KeychainError, at place: Place, remembered: String? = nil, _ comment: Comment
  ) throws {
    let before = try place.everything()
    let wants = try query("a.example")
    func refuses(_ body: (EncryptedFileKeychain) throws(KeychainError) -> Void) {
      let keychain = EncryptedFileKeychain(
        at: place.location, passphrase: { $0 == 1 ? Secret("right") : nil }, remembered: { remembered })
      expect(failure { try body(keychain) }, is: error, comment)
    }
    refuses { keychain throws(KeychainError) in _ = try keychain.items(matching: wants) }
    refuses { keychain throws(KeychainError) in _ = try keychain.items(matching: .all) }
    refuses { keychain throws(KeychainError) in _ = try keychain.reading { () throws(KeychainError) in } }
    refuses { keychain throws(KeychainError) in
      _ = try keychain.save(item("a.example"), Credential(password: "x"))
    }
    refuses { keychain throws(KeychainError) in
      _ = try keychain.add(item("a.example"), Credential(password: "x"))
    }
    refuses { keychain throws(KeychainError) in _ = try keychain.exclusively { () throws(KeychainError) in } }
    refuses { keychain throws(KeychainError) in _ = try keychain.delete([item("a.example")]) }
    refuses { keychain throws(KeychainError) in try keychain.create(.identityFile) }
    refuses { keychain throws(KeychainError) in try keychain.create(.passphrase(Secret("new"))) }
    refuses { keychain throws(KeychainError) in _ = try keychain.isThere() }
    refuses { keychain throws(KeychainError) in _ = try keychain.summary() }
    refuses { keychain throws(KeychainError) in _ = try keychain.verify() }
    refuses { keychain throws(KeychainError) in _ = try keychain.slots() }
    refuses { keychain throws(KeychainError) in _ = try keychain.lock() }
    refuses { keychain throws(KeychainError) in _ = try keychain.compact() }
    refuses { keychain throws(KeychainError) in try keychain.acceptRollback() }
    refuses { keychain throws(KeychainError) in _ = try keychain.addPassphrase(Secret("new")) }
    let keychain = EncryptedFileKeychain(at: place.location, remembered: { remembered })
    try expect(keychain.exists(), comment)
    expect(keychain.probe(), is: .unavailable(error), comment)
    try expect(place.everything(), is: before, comment)
  }

  @Test(
    "whatever protected it, each of its traces makes that an error, and nothing is made",
    arguments: Way.allCases)
  fileprivate func traces(way: Way) throws {
    let former = Place()
    try way.make(at: former)
    var seen: [Trace] = []
    for trace in Trace.allCases {
      let place = Place()
      guard try trace.copy(from: former, to: place) else { continue }
      seen.append(trace)
      try expectRefusal(
        .missing(path: place.vault), at: place, remembered: trace == .remembered ? place.vault : nil,
        "\(trace)")
    }
    let missing = Trace.allCases.filter { !seen.contains($0) }
    switch way {
    case .identityFile: expect(missing, is: [.localSlots, .slots])
    case .passphrase, .recoveryCode: expect(missing, is: [.identity, .localSlots])
    case .recipient: expect(missing, is: [.identity])
    }
  }

  @Test("its folder may be gone, or be empty, as where a disk isn't mounted", arguments: Way.allCases)
  fileprivate func folder(way: Way) throws {
    let place = Place()
    try way.make(at: place)
    rename(place.path + "/data", place.path + "/away")
    try expectRefusal(.missing(path: place.vault), at: place, "no folder")
    mkdir(place.path + "/data", 0o700)
    try expectRefusal(.missing(path: place.vault), at: place, "no folder below")
    mkdir(place.location.vaultFolder, 0o700)
    try expectRefusal(.missing(path: place.vault), at: place, "an empty folder")
    removeAll(place.path + "/data")
    rename(place.path + "/away", place.path + "/data")
    let openers = place.keychain(passphrase: "right")
    if way != .recoveryCode { try expect(openers.servers().count, is: 3) }
  }

  @Test("nothing is missing where nothing was made, or all of it was removed, or only chosen")
  func nothing() throws {
    let place = Place()
    try expect(place.keychain().servers() == [] && !place.keychain().exists())
    place.makeFolders()
    try put([], into: place.lock)
    mkdir(place.location.stateFolder, 0o700)
    try put(Array("file 2026-11-22T05:00:00.000Z\n".utf8), into: place.location.stateFolder + "/keychain")
    try expect(place.keychain().servers() == [] && !place.keychain().exists())
    try Way.identityFile.make(at: place)
    for folder in [place.location.vaultFolder, place.location.stateFolder] { removeAll(folder) }
    try expect(place.keychain().servers() == [] && !place.keychain().exists())
    try place.keychain().add(servers: ["new.example"])
    try expect(place.keychain().servers(), is: ["new.example"])
  }

  @Test("an object that has opened it misses it, though nothing else tells of it")
  func ownMemory() throws {
    let place = Place()
    try Way.passphrase.make(at: place)
    let keychain = place.keychain(passphrase: "right")
    try expect(keychain.servers().count, is: 3)
    for folder in [place.location.vaultFolder, place.location.stateFolder] { removeAll(folder) }
    let missing = KeychainError.missing(path: place.vault)
    expect(failure { try keychain.servers() }, is: missing)
    expect(failure { try keychain.add(servers: ["b.example"]) }, is: missing)
    expect(!exists(place.location.vaultFolder) && !exists(place.location.stateFolder))
  }

  // MARK: Places

  /// The same state with another place for the vault.
  private func elsewhere(_ place: Place) -> VaultLocation {
    VaultLocation(vaultFolder: place.path + "/other/llavero", stateFolder: place.location.stateFolder)
  }

  @Test(
    "where the vault is elsewhere, that is said; nothing is made, not even on purpose",
    arguments: Way.allCases)
  fileprivate func otherPlace(way: Way) throws {
    let place = Place()
    try way.make(at: place)
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
    let place = Place()
    try Way.identityFile.make(at: place)
    let former = Place()
    try Way.passphrase.make(at: former)
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
    let place = Place()
    try Way.identityFile.make(at: place)
    let other = elsewhere(place)
    let keychain = EncryptedFileKeychain(at: other, remembered: { other.vaultFile })
    expect(failure { try keychain.servers() }, is: .elsewhere(path: other.vaultFile, known: place.vault))
  }

  @Test("with a state of its own another place has a keychain of its own")
  func ownState() throws {
    let place = Place()
    try Way.identityFile.make(at: place)
    let other = EncryptedFileKeychain(
      at: VaultLocation(
        vaultFolder: place.path + "/other/llavero", stateFolder: place.path + "/other-state/llavero"))
    try expect(other.servers(), is: [])
    try other.add(servers: ["b.example"])
    try expect(place.keychain().servers().count, is: 3)
  }

  @Test("a vault that has moved is used where it is, and missed there from then on")
  func moved() throws {
    let place = Place()
    try Way.identityFile.make(at: place)
    let other = elsewhere(place)
    rename(place.path + "/data", place.path + "/other")
    try expect(EncryptedFileKeychain(at: other).servers().count, is: 3)
    expect(
      failure { try place.keychain().servers() }, is: .elsewhere(path: place.vault, known: other.vaultFile))
    rename(place.path + "/other", place.path + "/away")
    expect(failure { try EncryptedFileKeychain(at: other).servers() }, is: .missing(path: other.vaultFile))
  }

  @Test("where what was seen is noted without its place, that is noted at the next look, and the rest stays")
  func formerNote() throws {
    let place = Place()
    try Way.identityFile.make(at: place)
    let name = try #require(names(in: place.location.stateFolder).first { $0.hasSuffix(".seen") })
    let path = place.location.stateFolder + "/" + name
    let whole = try contents(of: path)
    try put(lines(whole)[0] + [0x0a], into: path)
    try expect(place.keychain().servers().count, is: 3)
    try expect(contents(of: path), is: whole)
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

  // MARK: Starting over

  @Test("on purpose another is made, and what was left is put aside, whole", arguments: Way.allCases)
  fileprivate func startingOver(way: Way) throws {
    let place = Place()
    try way.make(at: place)
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

  @Test("where there is a vault, or never was one, there is nothing to put aside")
  func startingOverForNothing() throws {
    let place = Place()
    try expect(place.keychain().create(.identityFile, startingOver: true), is: [])
    let before = try place.everything()
    expect(failure { try place.keychain().create(.identityFile, startingOver: true) }, is: .duplicateItem)
    try expect(place.everything(), is: before)
  }
}
