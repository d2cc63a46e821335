import Age
import Expectations
import Glibc
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Rotation", .timeLimit(.minutes(60)))
struct RotationTests {
  private func rotate(
    _ slots: SlotPlace, _ typed: String?..., dropping: Set<String> = [], passphrases: [String: [String]] = [:]
  ) throws -> [String: String] {
    let codes = Collected<(String, String)>()
    let keychain = EncryptedFileKeychain(
      at: slots.place.location,
      passphrase: { attempt in attempt <= typed.count ? typed[attempt - 1].map { Secret($0) } : nil },
      openers: .withPrograms
    ).withCheapPassphrases
    try keychain.rotate(dropping: dropping) { id, attempt in
      guard let all = passphrases[id], attempt <= all.count else { return nil }
      return Secret(all[attempt - 1])
    } announce: { new in
      for code in new {
        codes.append((code.id, code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
      }
    }
    // The keychain that rotated knows what the vault contains.
    try expect(keychain.servers().count, is: 3)
    return Dictionary(uniqueKeysWithValues: codes.all)
  }

  @Test("a vault with an identity file gets a new one, and the old one opens nothing that is written now")
  func identityFile() throws {
    let slots = try SlotPlace()
    let old = try slots.place.identity()
    let uuid = try slots.header.stanzas.first { $0.type == "llavero/vault" }?.arguments
    _ = try rotate(slots)
    let new = try slots.place.identity()
    expect(new.recipient != old.recipient)
    #expect(throws: AgeError.noMatch) {
      try AgeFile.decrypt(try contents(of: slots.place.vault), with: [old])
    }
    try expect(slots.keychain().servers().count, is: 3)
    try expect(slots.header.stanzas.first { $0.type == "llavero/vault" }?.arguments, is: uuid)
    expect(!exists(slots.place.newIdentityFile))
    try expect(slots.keychain().summary()?.contents?.generation, is: 8)
    let other = try SlotPlace().place
    try put(try contents(of: other.identityFile), into: slots.place.identityFile)
    expect(
      failure { try slots.keychain().servers() }, is: .wrongIdentity(path: slots.place.identityFile))
  }

  @Test("a rotation that fails keeps the key that an earlier one, which was killed, has not put in its place")
  func afterOneThatWasKilled() throws {
    let slots = try SlotPlace()
    let place = slots.place
    let former = try contents(of: place.identityFile)
    _ = try rotate(slots)
    rename(place.identityFile, place.newIdentityFile)
    try put(former, into: place.identityFile)
    let generations = place.location.vaultFolder + "/generations"
    removeAll(generations)
    try put([0], into: generations)
    expect(failure { try rotate(slots) } != nil)
    try expect(place.keychain().servers().count, is: 3)
    unlink(generations)
    _ = try rotate(slots)
    expect(!exists(place.newIdentityFile))
  }

  @Test("every kind of slot opens the vault afterwards, by what opened it before or by a new code")
  func everyKind() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa"), try $0.slot("two", id: "bb")] }
    let keychain = slots.keychain("right")
    let identity = X25519Identity()
    let path = try slots.write(identity, to: "key.txt")
    let recipient = try keychain.addRecipient(identity.recipient.description, identity: path)
    let command = try keychain.addCommand(["echo", "word"])
    let shown = Collected<String>()
    let recovery = try keychain.addRecoveryCode { code in
      shown.append(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    let before = try slots.slotIDs.map { try slots.slotFile($0) }
    let codes = try rotate(slots, passphrases: ["aa": ["wrong", "right"], "bb": ["two"]])
    expect(Array(codes.keys), is: [recovery])
    try expect(slots.slotIDs, is: ["aa", "bb", recipient, command, recovery])
    try expect(slots.slotIDs.map { try slots.slotFile($0) }.allSatisfy { !before.contains($0) })
    for id in try slots.slotIDs {
      try expect(contents(of: slots.place.slots + "/\(id).age"), is: slots.slotFile(id))
    }
    // By the recipient, then by the program, then by what is typed.
    try expect(slots.keychain().servers().count, is: 3)
    removeAll(path)
    try expect(slots.keychain().servers().count, is: 3)
    removeAll(slots.localFolder)
    for typed in ["right", "two", try #require(codes[recovery])] {
      try expect(slots.keychain(typed).servers().count, is: 3)
    }
    let old = try #require(shown.all.first)
    expect(old != codes[recovery])
    expect(failure { try slots.keychain(old).servers() }, is: .wrongPassphrase(path: slots.place.vault))
  }

  @Test("what can't be renewed is said before anything has changed, and can be dropped")
  func dropping() throws {
    let slots = try SlotPlace {
      [
        try $0.slot("right", id: "aa"), try $0.slot("two", id: "bb"), try $0.slot("x", id: "cc", kind: "tpm"),
        try $0.slot("y", id: "dd", kind: "command"), try $0.slot("z", id: "ee", kind: "recipient"),
      ]
    }
    _ = try slots.keychain("right").servers()
    let before = try slots.place.everything()
    let right = ["aa": ["right"]]
    expect(failure { try rotate(slots, passphrases: right) }, is: .slot(.notRenewable(id: "cc", kind: "tpm")))
    expect(
      failure { try rotate(slots, dropping: ["cc"], passphrases: right) },
      is: .slot(.notRenewable(id: "dd", kind: "command")))
    expect(
      failure { try rotate(slots, dropping: ["cc", "dd"], passphrases: right) },
      is: .slot(.secretMissing(id: "bb")))
    expect(
      failure { try rotate(slots, dropping: ["cc", "dd", "bb"], passphrases: right) },
      is: .slot(.notRenewable(id: "ee", kind: "recipient")))
    expect(
      failure { try rotate(slots, dropping: ["zz"], passphrases: right) }, is: .slot(.notFound(id: "zz")))
    expect(
      failure { try rotate(slots, "right", dropping: ["aa", "bb", "cc", "dd", "ee"]) },
      is: .slot(.lastWayIn(id: "aa")))
    expect(
      failure {
        try rotate(slots, dropping: ["bb", "cc", "dd", "ee"], passphrases: ["aa": ["two", "wrong"]])
      }, is: .slot(.secretMismatch(id: "aa")))
    try expect(slots.place.everything(), is: before)
    _ = try rotate(slots, dropping: ["bb", "cc", "dd", "ee"], passphrases: right)
    try expect(slots.slotIDs == ["aa"] && slots.copies == ["aa.age"])
    try expect(slots.keychain("right").servers().count, is: 3)
    try slots.keychain("right").addIdentityFile()
    let head = text(try #require(lines(try slots.place.plaintext()).first))
    expect(head.contains(#""removed_slots":["bb","cc","dd","ee"]"#))
  }

  @Test("whoever has only the recovery code, or nothing but the identity file, gets out with a new key")
  func afterALoss() throws {
    let slots = try SlotPlace { [try $0.slot("forgotten", id: "aa")] }
    let shown = Collected<String>()
    let recovery = try slots.keychain("forgotten").addRecoveryCode { code in
      shown.append(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    let codes = try rotate(slots, shown.all.first, dropping: ["aa"])
    let code = try #require(codes[recovery])
    try expect(slots.keychain(code).servers().count, is: 3)
    expect(
      failure { try slots.keychain("forgotten").servers() }, is: .wrongPassphrase(path: slots.place.vault))
    try slots.keychain(code).addIdentityFile()
    _ = try rotate(slots, dropping: [recovery])
    try expect(slots.slotIDs == [] && slots.copies == [])
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("the slot that opened the vault can't be dropped where nothing here opens those that stay")
  func nothingElseOpens() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa")] }
    let identity = X25519Identity()
    let recipient = identity.recipient.description
    let id = try slots.keychain("right").addRecipient(recipient, identity: nil)
    let before = try slots.place.everything()
    expect(failure { try rotate(slots, "right", dropping: ["aa"]) }, is: .slot(.nothingElseOpens))
    try expect(slots.place.everything(), is: before)
    let path = try slots.write(identity, to: "key.txt")
    try slots.keychain("right").addRecipient(recipient, identity: path)
    _ = try rotate(slots, dropping: ["aa"])
    try expect(slots.slotIDs, is: [id])
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("codes that can't be shown, and a file that can't be written, leave all as it was")
  func failing() throws {
    let slots = try SlotPlace()
    try slots.keychain().addRecoveryCode { _ in }
    let before = try slots.place.everything()
    expect(
      failure {
        try slots.keychain().rotate(dropping: []) { _, _ in
          nil
        } announce: { _ throws(KeychainError) in
          throw .promptDismissed
        }
      }, is: .promptDismissed)
    try expect(slots.place.everything(), is: before)
    // Root may write everywhere, but can't replace a folder with a file.
    let temporary = slots.place.location.stateFolder + "/identity.txt.new"
    mkdir(temporary, 0o700)
    expect(failure { try rotate(slots) } != nil)
    rmdir(temporary)
    try expect(slots.place.everything(), is: before)
  }

  @Test("earlier generations, which the old key opens, are removed")
  func generations() throws {
    let slots = try SlotPlace()
    try slots.keychain().add(servers: ["d.example"])
    try slots.keychain().delete(try slots.keychain().items(matching: try query("d.example")))
    expect(names(in: slots.place.location.vaultFolder + "/generations").count, is: 2)
    _ = try rotate(slots)
    expect(names(in: slots.place.location.vaultFolder + "/generations"), is: [])
  }

  /// A vault whose rotation was killed before it removed what the former key opens.
  private func cutOffBeforeRemoving() throws -> SlotPlace {
    let slots = try SlotPlace()
    try slots.keychain().add(servers: ["d.example"])
    try slots.keychain().delete(try slots.keychain().items(matching: try query("d.example")))
    let generations = slots.place.location.vaultFolder + "/generations"
    var kept: [String: [UInt8]] = [:]
    for name in names(in: generations) { kept[name] = try contents(of: generations + "/" + name) }
    _ = try rotate(slots)
    for (name, file) in kept { try put(file, into: generations + "/" + name) }
    try put([1], into: generations + "/unreadable-01234567.age")
    return slots
  }

  @Test("what a rotation that was killed has left of the former key is told, and the next write removes it")
  func formerKeys() throws {
    let slots = try cutOffBeforeRemoving()
    let keychain = slots.keychain()
    try expect(keychain.generationsOfFormerKeys().map(\.number), is: [8, 7])
    try keychain.add(servers: ["e.example"])
    try expect(keychain.generationsOfFormerKeys(), is: [])
    try expect(keychain.generations().map(\.number), is: [10])
    expect(names(in: slots.place.location.vaultFolder + "/generations").count, is: 1)
    try keychain.add(servers: ["f.example"])
    try expect(keychain.generations().map(\.number), is: [11, 10])
  }

  @Test("where a version rotated that doesn't note it, what is left of the former key is told and stays")
  func formerKeysOfOlderVersion() throws {
    let slots = try SlotPlace()
    try slots.keychain().add(servers: ["d.example"])
    var vault = try HandMadeVault()
    vault.generation = 9
    try slots.place.overwriteVault(try vault.file())
    try put(vault.identityText(), into: slots.place.identityFile)
    let keychain = slots.keychain()
    try keychain.acceptRollback()
    try expect(keychain.generationsOfFormerKeys().map(\.number), is: [7])
    try keychain.add(servers: ["e.example"])
    try expect(keychain.generationsOfFormerKeys().map(\.number), is: [7])
    try keychain.compact()
    try expect(keychain.generationsOfFormerKeys(), is: [])
  }

  @Test(
    "of the vault before and the one after, whichever a cut-off rotation leaves is the newest that was seen")
  func seen() throws {
    let slots = try SlotPlace()
    _ = try slots.keychain().servers()
    let folder = slots.place.location.stateFolder
    let name = folder + "/" + (try #require(names(in: folder).first { $0.hasSuffix(".seen") }))
    let (oldSeen, oldVault) = (try contents(of: name), try contents(of: slots.place.vault))
    let oldIdentity = try contents(of: slots.place.identityFile)
    _ = try rotate(slots)
    // The state after both were recorded, whether or not the vault is in its place.
    let both = oldSeen + (try contents(of: name))
    try put(both, into: name)
    try expect(slots.keychain().servers().count, is: 3)
    try put(oldVault, into: slots.place.vault)
    try put(oldIdentity, into: slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
    try slots.keychain().add(servers: ["d.example"])
    try expect(slots.keychain().servers().count, is: 4)
    expect(text(try contents(of: name)).split(separator: "\n").dropFirst(), is: ["at \(slots.place.vault)"])
  }

  @Test("other identities and comments of the identity file stay")
  func furtherIdentities() throws {
    let slots = try SlotPlace()
    let other = X25519Identity()
    let mine = try slots.place.identity()
    let (first, second) = (mine.withEncodedBytes { Array($0) }, other.withEncodedBytes { Array($0) })
    try put(
      Array("# one\r\n".utf8) + second + Array("\n# public key: \(mine.recipient)\n".utf8) + first
        + Array("\n# two".utf8),
      into: slots.place.identityFile)
    _ = try rotate(slots)
    let text = text(try contents(of: slots.place.identityFile))
    expect(
      text.hasPrefix("# one\r\n" + String(decoding: second, as: UTF8.self) + "\n# public key: age1"))
    // Neither the comment nor the key of the former identity is left.
    expect(!text.contains("\(mine.recipient)"))
    expect(text.hasSuffix("\n# two") && !text.contains(String(decoding: first, as: UTF8.self)))
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test(
    "a vault whose rotation was cut off after the vault was written opens, and the next write completes it")
  func cutOff() throws {
    let slots = try SlotPlace()
    let old = try contents(of: slots.place.identityFile)
    _ = try rotate(slots)
    let new = try contents(of: slots.place.identityFile)
    try put(new, into: slots.place.newIdentityFile)
    try put(old, into: slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
    try expect(slots.keychain().slots()?.map(\.kind), is: [.identityFile])
    try slots.keychain().add(servers: ["d.example"])
    try expect(contents(of: slots.place.identityFile), is: new)
    expect(!exists(slots.place.newIdentityFile))
    // An interrupted rotation has left a key that opens nothing, and no write puts it in place of the vault's.
    try put(old, into: slots.place.newIdentityFile)
    try slots.keychain().add(servers: ["e.example"])
    try expect(contents(of: slots.place.identityFile), is: new)
    try expect(slots.keychain().servers().count, is: 5)
  }

  @Test("a rotation of a vault that was itself cut off goes on from the key that counts")
  func rotationAfterCutOff() throws {
    let slots = try SlotPlace()
    let old = try contents(of: slots.place.identityFile)
    _ = try rotate(slots)
    try put(try contents(of: slots.place.identityFile), into: slots.place.newIdentityFile)
    try put(old, into: slots.place.identityFile)
    _ = try rotate(slots)
    try expect(contents(of: slots.place.identityFile) != old)
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("stores and readers that come at the same time go on with the new key, and lose nothing")
  func concurrent() throws {
    let slots = try SlotPlace()
    let location = slots.place.location
    let failures = Collected<String>()
    concurrently(12) { number in
      do {
        let keychain = EncryptedFileKeychain(at: location)
        switch number % 3 {
        case 0:
          for _ in 0..<6 {
            do {
              try keychain.rotate(dropping: []) { _, _ in
                nil
              } announce: { _ in
              }
            } catch KeychainError.slot(.changedMeanwhile) {}
          }
        case 1:
          for count in 0..<6 { try keychain.add(servers: ["new\(number)-\(count).example"]) }
        default:
          for _ in 0..<40 {
            let count = try EncryptedFileKeychain(at: location).servers().count
            if count < 3 { failures.append("only \(count)") }
          }
        }
      } catch {
        failures.append("\(number): \(error)")
      }
    }
    expect(failures.all, is: [])
    try expect(slots.keychain().servers().count, is: 3 + 4 * 6)
    expect(!exists(slots.place.newIdentityFile))
  }

  @Test("a keychain that was opened before a rotation elsewhere reads and writes on")
  func openedBefore() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa")] }
    let asked = Collected<Int>()
    let keychain = EncryptedFileKeychain(at: slots.place.location) {
      asked.append($0)
      return Secret("right")
    }
    try expect(keychain.servers().count, is: 3)
    _ = try rotate(slots, passphrases: ["aa": ["right"]])
    try keychain.add(servers: ["d.example"])
    try expect(keychain.servers().count, is: 4)
    expect(asked.all, is: [1, 1])
  }
}
