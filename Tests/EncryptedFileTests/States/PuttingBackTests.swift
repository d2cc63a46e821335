import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// The damage to a vault that is restored.
enum Loss: CaseIterable {
  /// A byte of the contents is changed.
  case payload
  /// The file is gone, with this machine's copy of it.
  case file
  /// The header's MAC is changed.
  case headerMAC
  /// The bytes of the slots in the header are changed.
  case headerSlots
  /// The header's first stanza, which wraps the file key, is changed.
  case headerKey
  /// The file is cut within the header.
  case cut

  /// The damage that is possible for a vault without slots.
  static let withoutSlots = allCases.filter { $0 != .headerSlots }

  /// Whether the file's own header can't vouch for its slots.
  var needsConfirmation: Bool { self != .payload }

  func befall(_ place: Place) throws {
    var bytes = try contents(of: place.vault)
    let header = try bytes.withUnsafeBytes { try Header(parsing: $0) }
    func change(_ position: Int) { bytes[position] = bytes[position] == 0x41 ? 0x42 : 0x41 }
    switch self {
    case .payload: bytes[bytes.count - 1] ^= 1
    case .file:
      place.loseVault()
      return
    case .headerMAC: change(header.encodedSize - 20)
    case .headerSlots:
      // The first byte of each slot's file key, not the part that makes it an age file.
      let slots = header.stanzas.filter { $0.type == "llavero/slot" }
      var text = Array(text(bytes[..<header.encodedSize]).utf8)
      for slot in slots {
        let mark = Array("-> llavero/slot 1 \(slot.arguments[1]) ".utf8)
        let start = try #require(text.indices.first { text[$0...].starts(with: mark) })
        let body = try #require(text[start...].firstIndex(of: 0x0a)) + 1
        // In the middle of its body, where its own header wraps its file key.
        text[body + 150] = text[body + 150] == 0x41 ? 0x42 : 0x41
      }
      bytes.replaceSubrange(..<header.encodedSize, with: text)
    case .headerKey: change(40)
    case .cut: bytes.removeLast(bytes.count - 100)
    }
    try place.overwriteVault(bytes)
  }
}

@Suite("Putting a vault back", .timeLimit(.minutes(60)))
struct PuttingBackTests {
  /// The questions asked, and the answer.
  private final class Question {
    var asked: [ReturningWays] = []
    let answer: Bool
    init(_ answer: Bool) { self.answer = answer }
    func confirm(_ ways: ReturningWays) -> Bool {
      asked.append(ways)
      return answer
    }
  }

  /// A vault that was opened by the passphrase `former`, and is now opened by `new`, with an earlier state from before
  /// the change, and one from after it if `isWritten`.
  private func changed(isWritten: Bool = true) throws -> SlotPlace {
    let slots = try SlotPlace { [try $0.slot("former", id: "aa")] }
    try slots.keychain("former").add(servers: ["d.example"])
    try replacePassphrase(slots)
    if isWritten { try slots.keychain("new").add(servers: ["e.example"]) }
    return slots
  }

  /// As the keychain's own function does, but with a passphrase that takes no work.
  private func replacePassphrase(_ slots: SlotPlace) throws {
    let keychain = slots.keychain("former")
    let change = try keychain.beginSlotChange()
    let identity = try #require(change.key?.identity as? X25519Identity)
    let recipient = try Array("new".utf8).withUnsafeBytes { try ScryptRecipient(passphrase: $0, logN: 4) }
    try change.removeSlot("aa")
    _ = try change.addSlot(.passphrase, for: recipient, identity, at: .now)
    try keychain.commitSlots(change)
  }

  private func isRefused(_ error: KeychainError?) -> Bool {
    switch error {
    case .wrongPassphrase, .locked, .damaged, .missing, .wrongIdentity: true
    default: false
    }
  }

  @Test(
    "the new passphrase salvages and restores, the former one doesn't", arguments: Loss.allCases,
    [true, false])
  func newPassphrase(loss: Loss, isSalvaged: Bool) throws {
    for isWritten in [true, false] {
      let slots = try changed(isWritten: isWritten)
      try loss.befall(slots.place)
      let before = try slots.place.everything()
      let generation = try #require(try slots.keychain().generations().first)
      func putBack(_ passphrase: String, _ question: Question) throws(KeychainError) {
        let keychain = slots.keychain(passphrase)
        if isSalvaged {
          _ = try keychain.salvage(confirm: question.confirm)
        } else {
          _ = try keychain.restore(generation, confirm: question.confirm)
        }
      }
      expect(isRefused(failure { try putBack("former", Question(true)) }), "\(loss)")
      try expect(slots.place.everything(), is: before)
      let refused = Question(false)
      if loss.needsConfirmation {
        expect(failure { try putBack("new", refused) }, is: .slot(.unconfirmed), "\(loss)")
        expect(refused.asked.first?.doubt, is: loss == .file ? .fileMissing : .headerUnreadable)
        expect(refused.asked.first?.ways.map(\.kind), is: [.passphrase])
        try expect(slots.place.everything(), is: before)
        let confirmed = Question(true)
        try putBack("new", confirmed)
        expect(confirmed.asked.count, is: 1)
      } else {
        try putBack("new", refused)
        expect(refused.asked.isEmpty)
      }
      try expect(slots.keychain("new").servers().contains("a.example"), "\(loss)")
      expect(
        failure { try slots.keychain("former").servers() }, is: .wrongPassphrase(path: slots.place.vault))
      try expect(slots.slotIDs.count == 1 && slots.slotIDs != ["aa"])
      expect(slots.copies, is: try slots.slotIDs.map { "\($0).age" })
      try expectAgreement(slots, "new")
    }
  }

  @Test("the new passphrase restores a vault that is in order, the former one doesn't")
  func inOrder() throws {
    let slots = try changed()
    let oldest = try #require(try slots.keychain().generations().last)
    let before = try slots.place.everything()
    expect(
      failure { try slots.keychain("former").restore(oldest) }, is: .wrongPassphrase(path: slots.place.vault))
    try expect(slots.place.everything(), is: before)
    _ = try slots.keychain("new").restore(oldest)
    try expect(slots.keychain("new").servers().count, is: 3)
    expect(failure { try slots.keychain("former").servers() }, is: .wrongPassphrase(path: slots.place.vault))
  }

  @Test("a passphrase that a descriptor gives once is enough", arguments: Loss.allCases)
  func givenOnce(loss: Loss) throws {
    let slots = try changed()
    try loss.befall(slots.place)
    let asked = Collected<Int>()
    let keychain = EncryptedFileKeychain(at: slots.place.location) { attempt throws(KeychainError) in
      asked.append(attempt)
      if asked.all.count > 1 { throw .wrongPassphraseGiven(by: "descriptor 3", path: slots.place.vault) }
      return Secret("new")
    }
    _ = try keychain.salvage { _ in true }
    expect(asked.all, is: [1])
  }

  /// Expects that the records in the first line are for the slots of the header, none of which counts as removed.
  private func expectAgreement(_ slots: SlotPlace, _ passphrase: String?) throws {
    let keychain = slots.keychain(passphrase)
    let snapshot = try #require(try keychain.newest())
    let notes = try SlotNotes(snapshot.first.head, path: slots.place.vault)
    let ids = Set(snapshot.stanzas.slots.map(\.id))
    expect(Set(notes.notes.map(\.id)), is: ids)
    expect(ids.isDisjoint(with: notes.removed))
  }

  @Test("a way in that was removed stays removed, and one that was added stays", arguments: Loss.allCases)
  func removed(loss: Loss) throws {
    let slots = try SlotPlace()
    let (gone, kept) = (X25519Identity(), X25519Identity())
    let gonePath = try slots.write(gone, to: "gone.txt")
    let shown = Collected<String>()
    let code = try slots.keychain().addRecoveryCode { code in
      shown.append(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    let recipient = try slots.keychain().addRecipient(gone.recipient.description, identity: nil)
    try slots.keychain().add(servers: ["d.example"])
    try slots.keychain().removeSlot(recipient)
    try slots.keychain().removeSlot(code)
    let keptPath = try slots.write(kept, to: "kept.txt")
    let stays = try slots.keychain().addRecipient(kept.recipient.description, identity: keptPath)
    try loss.befall(slots.place)
    let question = Question(true)
    _ = try slots.keychain().salvage(confirm: question.confirm)
    expect(question.asked.count, is: loss.needsConfirmation ? 1 : 0)
    try expect(slots.slotIDs, is: [stays], "\(loss)")
    try expectAgreement(slots, nil)
    unlink(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 4)
    removeAll(slots.localFolder)
    var openers = SlotOpeners()
    openers.identity = gonePath
    let typed = try #require(shown.all.first)
    expect(failure { try slots.keychain(typed, openers: openers).servers() } != nil)
    let notes = try SlotNotes(
      try #require(
        try {
          openers.identity = keptPath
          return try slots.keychain(nil, openers: openers).newest()
        }()
      ).first.head, path: "")
    expect(Set(notes.removed).isSuperset(of: [recipient, code]))
  }

  /// An earlier state doesn't know a slot that was added after it; later states and the last write do.
  @Test(
    "whom a slot is for stays known, so that the key can be changed", arguments: Loss.allCases + [nil],
    [true, false])
  func recipientStaysKnown(loss: Loss?, isWritten: Bool) throws {
    let slots = try SlotPlace()
    let recipient = X25519Identity().recipient.description
    let id = try slots.keychain().addRecipient(recipient, identity: nil)
    let oldest = try #require(try slots.keychain().generations().last)
    if isWritten { try slots.keychain().add(servers: ["d.example"]) }
    if let loss { try loss.befall(slots.place) } else { unlink(slots.place.vault) }
    _ = try slots.keychain().restore(oldest) { _ in true }
    // The damage takes the copy along; if the contents can't be decrypted, their records are lost.
    let isKnown = isWritten || loss == nil || loss == .headerMAC || loss == .headerSlots
    try expect(
      slots.keychain().slots()?.first { $0.id == id }?.recipient, is: isKnown ? recipient : nil)
    if isKnown {
      try slots.keychain().rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    }
  }

  @Test("where all slots were removed none comes back", arguments: Loss.withoutSlots)
  func noneLeft(loss: Loss) throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addPassphrase(Secret("gone"))
    try slots.keychain().add(servers: ["d.example"])
    try slots.keychain().removeSlot(id)
    try loss.befall(slots.place)
    _ = try slots.keychain().salvage { _ in true }
    try expect(slots.slotIDs == [] && slots.copies == [])
    try expect(slots.keychain().servers().count, is: 4)
  }

  @Test("without the copies of the slots an earlier state's open it again, if somebody says so")
  func generationAlone() throws {
    let slots = try changed(isWritten: false)
    slots.place.loseVault()
    removeAll(slots.place.slots)
    let question = Question(false)
    expect(
      failure { try slots.keychain("former").salvage(confirm: question.confirm) }, is: .slot(.unconfirmed))
    expect(question.asked.map(\.doubt), is: [.fileMissing])
    expect(question.asked.first?.ways.map(\.id), is: ["aa"])
    expect(failure { try slots.keychain("former").salvage() }, is: .slot(.unconfirmed))
    _ = try slots.keychain("former").salvage { _ in true }
    try expect(slots.keychain("former").servers().count, is: 4)
  }

  @Test(
    "where the header is damaged, what opens one of several slots is no wrong passphrase",
    arguments: [Loss.headerMAC, .headerKey])
  func oneOfSeveral(loss: Loss) throws {
    let slots = try SlotPlace { [try $0.slot("one", id: "aa"), try $0.slot("two", id: "bb")] }
    try slots.keychain("two").add(servers: ["d.example"])
    try loss.befall(slots.place)
    for passphrase in ["one", "two"] {
      guard case .damaged = failure({ try slots.keychain(passphrase).servers() }) else {
        Issue.record("\(passphrase) passes for wrong")
        return
      }
    }
    expect(
      failure { try slots.keychain("three").servers() }, is: .wrongPassphrase(path: slots.place.vault))
    try expect(slots.keychain("two").salvage { _ in true }.count >= 3)
  }

  @Test("of a vault whose name alone is gone, this machine's last write is all there, without a question")
  func lastWrite() throws {
    for isSalvaged in [true, false] {
      let slots = try changed()
      let generation = try #require(try slots.keychain().generations().first)
      unlink(slots.place.vault)
      expect(isRefused(failure { try slots.keychain("former").salvage { _ in true } }))
      if isSalvaged {
        try expect(slots.keychain("new").salvage().count, is: 5)
      } else {
        try expect(slots.keychain("new").restore(generation).count, is: 4)
        // The items missing from that state are in an earlier one.
        let newest = try #require(try slots.keychain().generations().first)
        try expect(slots.keychain("new").restore(newest).count, is: 5)
      }
      try expect(slots.keychain("new").servers().count, is: 5)
      expect(
        failure { try slots.keychain("former").servers() }, is: .wrongPassphrase(path: slots.place.vault))
    }
  }

  @Test("a vault without slots is put back without a question", arguments: Loss.withoutSlots)
  func identityFile(loss: Loss) throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    try place.keychain().add(servers: ["b.example"])
    try loss.befall(place)
    _ = try place.keychain().salvage()
    try expect(place.keychain().servers().contains("a.example"))
  }

  @Test("an older file, damaged, in the vault's place brings back what opens it only if somebody says so")
  func olderAndDamaged() throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addPassphrase(Secret("gone"))
    let older = try contents(of: slots.place.vault)
    try slots.keychain().removeSlot(id)
    try slots.place.overwriteVault(older)
    try Loss.payload.befall(slots.place)
    let question = Question(false)
    expect(failure { try slots.keychain().salvage(confirm: question.confirm) }, is: .slot(.unconfirmed))
    expect(question.asked.map(\.doubt), is: [.notTheOneSeen])
    expect(question.asked.first?.ways.map(\.id), is: ["identity-file", id])
  }

  @Test("what another process puts there while somebody is asked is not replaced")
  func meanwhile() throws {
    let slots = try changed()
    let good = try contents(of: slots.place.vault)
    slots.place.loseVault()
    let outcome = failure {
      try slots.keychain("new").salvage { _ in
        (try? put(good, into: slots.place.vault)) != nil
      }
    }
    expect(outcome, is: .slot(.changedMeanwhile))
    try expect(contents(of: slots.place.vault), is: good)
  }
}

@Suite("Putting a vault back that was rotated elsewhere", .timeLimit(.minutes(60)))
struct PuttingBackRotatedTests {
  /// A vault with a passphrase whose key was changed on another machine, and which arrived from there with the copies
  /// of its slots; the earlier states here have the former key.
  private func rotatedElsewhere(isRead: Bool) throws -> (slots: SlotPlace, former: X25519Recipient) {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa")] }
    try slots.keychain("right").add(servers: ["d.example"])
    try slots.keychain("right").add(servers: ["e.example"])
    let former = try #require(try slots.keychain("right").newest()).key.recipient
    let other = SlotPlace.empty()
    try put(try contents(of: slots.place.vault), into: other.place.vault)
    try other.keychain("right").rotate(dropping: []) { _, attempt in
      attempt == 1 ? Secret("right") : nil
    } announce: { _ in
    }
    try put(try contents(of: other.place.vault), into: slots.place.vault)
    for name in other.copies {
      try put(try contents(of: other.place.slots + "/" + name), into: slots.place.slots + "/" + name)
    }
    if isRead { try slots.keychain("right").acceptRollback() }
    return (slots, former)
  }

  private func recipient(_ slots: SlotPlace) throws -> X25519Recipient {
    try #require(try slots.keychain("right").newest()).key.recipient
  }

  @Test("a damaged vault keeps the key that it had last, though the earlier states have the former one")
  func damaged() throws {
    for isSalvaged in [true, false] {
      let (slots, former) = try rotatedElsewhere(isRead: true)
      let present = try recipient(slots)
      try Loss.payload.befall(slots.place)
      if isSalvaged {
        _ = try slots.keychain("right").salvage()
      } else {
        _ = try slots.keychain("right").restore(try #require(try slots.keychain().generations().first))
      }
      try expect(recipient(slots) == present && present != former)
      try expect(slots.keychain("right").servers().count, is: 4)
    }
  }

  @Test("of a vault that is gone the copies of the slots lead to the key that it had last")
  func missing() throws {
    let (slots, former) = try rotatedElsewhere(isRead: true)
    let present = try recipient(slots)
    slots.place.loseVault()
    _ = try slots.keychain("right").salvage { _ in true }
    try expect(recipient(slots) == present && present != former)
    try expect(slots.keychain("right").servers().count, is: 4)
  }

  @Test("a file that was rotated elsewhere and can't be opened here is not replaced in silence")
  func unopened() throws {
    for isOtherFile in [false, true] { try unopened(isOtherFile: isOtherFile) }
  }

  /// - Parameter isOtherFile: whether the last write of this machine stays in the folder as a copy.
  private func unopened(isOtherFile: Bool) throws {
    let place = Place()
    try place.keychain().add(servers: ["a.example"])
    try place.keychain().add(servers: ["b.example"])
    let other = Place()
    other.makeFolders()
    try put(try contents(of: place.vault), into: other.vault)
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try other.keychain().rotate(dropping: []) { _, _ in
      nil
    } announce: { _ in
    }
    if !isOtherFile { unlink(place.newestWrite) }
    try put(try contents(of: other.vault), into: place.vault)
    let before = try place.everything()
    let generation = try #require(try place.keychain().generations().first)
    var asked: [ReturningWays] = []
    expect(
      failure {
        try place.keychain().restore(generation) { ways in
          asked.append(ways)
          return false
        }
      }, is: .slot(.unconfirmed))
    expect(failure { try place.keychain().salvage() }, is: .slot(.unconfirmed))
    expect(asked.map(\.mayBeFormerKey) == [true] && asked.first?.ways.map(\.id) == ["identity-file"])
    try expect(place.everything(), is: before)
    _ = try place.keychain().restore(generation) { _ in true }
    try expect(place.keychain().servers(), is: ["a.example"])
  }

  @Test("restoring in a vault that is in order takes a state of the former key, and keeps the present one")
  func inOrder() throws {
    let (slots, former) = try rotatedElsewhere(isRead: true)
    _ = try slots.keychain("right").restore(try #require(try slots.keychain().generations().first))
    try expect(recipient(slots) != former)
    try expect(slots.keychain("right").servers().count, is: 4)
  }
}

@Suite("Putting a vault back in whose header the UUID is damaged")
struct PuttingBackUUIDTests {
  private let place = Place()

  /// What is left to tell the UUID of a vault in whose header it is damaged.
  enum Source: CaseIterable {
    case all, firstLine, seen
  }

  @Test("a damaged UUID in the header makes no other vault of what is salvaged", arguments: Source.allCases)
  func damagedUUID(source: Source) throws {
    let first = place.keychain()
    try first.exclusively { () throws(KeychainError) in
      for number in 0..<10 {
        try first.add(item("\(number).example"), Credential(password: String(repeating: "a", count: 40_000)))
      }
    }
    let uuid = try #require(try first.summary()?.uuid)
    let other = Place()
    other.makeFolders()
    var bytes = try contents(of: place.vault)
    try put(bytes, into: other.vault)
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try expect(other.keychain().servers().count, is: 10)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(uuid.utf8)) })
    bytes[start + 20] = bytes[start + 20] == 0x30 ? 0x31 : 0x30
    // The first chunk has the first line.
    if source == .seen { bytes[start + 300] ^= 1 }
    if source == .firstLine { unlink(other.location.stateFolder + "/" + uuid + ".seen") }
    try other.overwriteVault(bytes)
    let salvage = try other.keychain().salvage()
    expect(salvage.recovered == salvage.count && salvage.count >= (source == .seen ? 7 : 10))
    try expect(other.keychain().summary()?.uuid, is: uuid)
    _ = try first.merge(copyAt: other.vault)
    _ = try other.keychain().merge(copyAt: place.vault)
    try expect(other.keychain().servers().count, is: 10)
  }
}
