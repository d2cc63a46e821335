import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("A vault and the place where it is shared", .timeLimit(.minutes(60)))
struct ReconcilingTests {
  private let clock = SettableClock()

  private func pair() throws -> (SharedPlace, SharingMember, SharingMember) {
    let (shared, one, two) = (SharedPlace(), SharingMember(clock.read), SharingMember(clock.read))
    try shared.share(with: [one, two])
    return (shared, one, two)
  }

  @Test(
    "members who change it in any order arrive at the same items, and lose nothing",
    arguments: 1...(isLongForm ? 12 : 2))
  func model(seed: UInt64) throws {
    let model = try ReconcilingModel(seed: seed)
    try model.run(steps: 80)
    try model.check()
  }

  @Test("a shared vault has no identity file on the machine that makes it")
  func noIdentityFile() throws {
    let (_, one, _) = try pair()
    expect(!exists(one.place.identityFile))
    try expect(one.keychain().slots()?.map(\.kind), is: [.recipient, .recipient])
  }

  @Test("a change takes no more room than itself")
  func smallChanges() throws {
    let (shared, one, two) = try pair()
    let keychain = one.keychain()
    try keychain.exclusively { () throws(KeychainError) in
      for number in 0..<300 { try keychain.add(.internet(account: ByteString("a\(number)")), .text("x")) }
    }
    try one.sync(shared)
    try two.sync(shared)
    let item = try #require(try two.keychain().items(matching: .all).first)
    try two.keychain().update(item, .text("y"))
    let before = shared.states.last
    try two.sync(shared)
    expect(shared.states.last?.whole, is: before?.whole)
    expect(shared.states.last?.changes.count, is: 1)
    expect(shared.states.last?.changes.first?.count ?? 0 < 5000)
    try expect(one.sync(shared).received, is: 1)
    try expect(one.contents(), is: two.contents())
  }

  @Test("what has been shared before is not shared again")
  func nothingNew() throws {
    let (shared, one, two) = try pair()
    try one.keychain().add(.internet(), .text("x"))
    try one.sync(shared)
    let count = shared.count
    for member in [one, two, one, two] { try expect(member.sync(shared).waiting, is: 0) }
    expect(shared.count, is: count)
  }

  @Test("many changes become one whole vault")
  func whole() throws {
    let (shared, one, two) = try pair()
    for number in 0..<70 {
      clock.advance(seconds: 1)
      try one.keychain().add(.internet(account: ByteString("a\(number)")), .text("x"))
      try one.sync(shared)
    }
    expect(shared.states.contains { $0.changes.count > 60 })
    expect(shared.states.last?.changes.count ?? 99 < 10)
    try two.sync(shared)
    try expect(two.contents().count, is: 70)
  }

  @Test("somebody who doesn't belong to it finds it locked, and not empty")
  func stranger() throws {
    let (shared, one, _) = try pair()
    let stranger = SharingMember(clock.read)
    try stranger.join(shared)
    expect(failure { try stranger.contents() }, is: .noSlotOpens(path: stranger.place.vault))
    expect(failure { try stranger.sync(shared) }, is: .noSlotOpens(path: stranger.place.vault))
    try one.keychain().add(.internet(account: "late"), .text("x"))
    try one.keychain().addRecipient(stranger.recipient, identity: nil)
    try one.sync(shared)
    try stranger.join(shared)
    try stranger.sync(shared)
    try expect(stranger.contents(), is: one.contents())
  }

  @Test("a member who was removed can't read what is stored afterwards, and the others can")
  func removal() throws {
    let (shared, one, two) = try pair()
    let three = SharingMember(clock.read)
    try one.keychain().addRecipient(three.recipient, identity: nil)
    try one.sync(shared)
    try three.join(shared)
    try three.sync(shared)
    try two.keychain().add(.internet(account: "unsent"), .text("x"))
    try one.rotate(dropping: [try #require(try one.slot(of: three))])
    try one.keychain().add(.internet(account: "after"), .text("x"))
    try one.sync(shared)
    expect(failure { try three.sync(shared) }, is: .otherKey(path: "place"))
    try expect(two.sync(shared).tookKey)
    try one.sync(shared)
    try expect(two.contents(), is: one.contents())
    try expect(one.contents().count, is: 2)
    for file in [shared.states.last?.whole ?? []] + (shared.states.last?.changes ?? []) {
      #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [three.identity]) }
    }
  }

  @Test("of two removals at the same time, both count")
  func twoRemovals() throws {
    let (shared, one, two) = try pair()
    let others = [SharingMember(clock.read), SharingMember(clock.read)]
    for other in others { try one.keychain().addRecipient(other.recipient, identity: nil) }
    try one.sync(shared)
    try two.sync(shared)
    for other in others {
      try other.join(shared)
      try other.sync(shared)
    }
    try one.rotate(dropping: [try #require(try one.slot(of: others[0]))])
    try two.rotate(dropping: [try #require(try two.slot(of: others[1]))])
    try one.sync(shared)
    try two.sync(shared)
    try one.sync(shared)
    for other in others { expect(failure { try other.sync(shared) }, is: .otherKey(path: "place")) }
    try expect(one.keychain().slots()?.count, is: 2)
    try expect(two.keychain().slots()?.count, is: 2)
    try two.keychain().add(.internet(), .text("x"))
    try two.sync(shared)
    try one.sync(shared)
    try expect(one.contents().count, is: 1)
  }

  @Test(
    "somebody who was added with the former key gets nothing of the new one, and is named",
    arguments: [true, false])
  func addedMeanwhile(isThere: Bool) throws {
    let (shared, one, two) = try pair()
    let three = SharingMember(clock.read)
    try one.rotate(dropping: [])
    try two.keychain().addRecipient(three.recipient, identity: nil, label: "three")
    // Either the place has the slot before it has the new key, or only the second member has it.
    if isThere { try two.sync(shared) }
    try one.sync(shared)
    try two.sync(shared)
    try one.sync(shared)
    expect(one.withFormerKey.map(\.label), is: isThere ? ["three"] : [])
    expect(two.withFormerKey.map(\.recipient), is: [three.recipient])
    try expect(one.keychain().slots()?.count, is: 2)
    try three.join(shared)
    expect(failure { try three.sync(shared) }, is: .noSlotOpens(path: three.place.location.vaultFile))
    // Added again, it is a member as any other.
    try one.keychain().addRecipient(three.recipient, identity: nil)
    try one.sync(shared)
    try two.sync(shared)
    expect(two.withFormerKey.count, is: 1)
    try three.join(shared)
    try three.sync(shared)
    try expect(three.keychain().slots()?.count, is: 3)
  }

  @Test("a member who was away finds the way through several keys")
  func severalKeys() throws {
    let (shared, one, two) = try pair()
    try two.keychain().add(.internet(account: "old"), .text("x"))
    for number in 0..<3 {
      try one.rotate(dropping: [])
      try one.keychain().add(.internet(account: ByteString("n\(number)")), .text("x"))
      try one.sync(shared)
    }
    try two.sync(shared)
    try one.sync(shared)
    try expect(one.contents().count, is: 4)
    try expect(two.contents(), is: one.contents())
  }

  @Test("a second new key has to wait until others know the first one")
  func unsentKey() throws {
    let (shared, one, two) = try pair()
    try one.rotate(dropping: [])
    let reason = "the new key that it has already was not shared yet"
    expect(failure { try one.rotate(dropping: []) }, is: .unavailable(reason: reason))
    try one.sync(shared)
    try one.rotate(dropping: [])
    try one.sync(shared)
    try expect(two.sync(shared).tookKey)
  }

  @Test("a key from somebody who didn't have the former one is not taken")
  func forgedKey() throws {
    let (shared, one, two) = try pair()
    try one.keychain().add(.internet(), .text("x"))
    try one.sync(shared)
    try two.sync(shared)
    // Somebody who can write to the place, and knows the members' recipients.
    let forger = SharingMember(clock.read)
    try forger.writeIdentity()
    let good = try #require(shared.states.last)
    let header = try good.whole.withUnsafeBytes { try Header(parsing: $0) }
    let uuid = try #require(header.stanzas.first { $0.type == "llavero/vault" }?.arguments.last)
    let identity = X25519Identity()
    let slots = try [one, two].map { member in
      VaultStanzas.Slot(
        id: try #require(try one.slot(of: member)), kind: .recipient,
        file: try identity.wrapped(for: member.identity.recipient, uuid: uuid))
    }
    for number: Int64 in [2, 1, 7] {
      var head = VaultHead(first: 99)
      head.keyNumber = number
      head.keyProof = Array(repeating: 7, count: 32)
      let forged = try EncodedVault(
        VaultLines(), head: head, stanzas: VaultStanzas(uuid: uuid, slots: slots),
        key: VaultKey(identity, uuid: uuid), path: "")
      expect(shared.put(SharedPlace.State(whole: forged.file(VaultLines())), after: shared.count))
      let refusal = failure { try two.sync(shared) }
      expect(refusal?.isDamage, is: true, "\(number)")
      try expect(two.contents().count, is: 1)
      expect(shared.put(good, after: shared.count))
    }
    try two.sync(shared)
    try expect(two.contents().count, is: 1)
  }

  @Test("what somebody has dropped or broken in the place comes back")
  func mended() throws {
    let (shared, one, two) = try pair()
    try one.keychain().add(.internet(account: "a"), .text("x"))
    try one.sync(shared)
    let former = try #require(shared.states.last)
    try two.keychain().add(.internet(account: "b"), .text("x"))
    try two.sync(shared)
    // One side of a merge was taken.
    expect(shared.put(former, after: shared.count))
    try one.sync(shared)
    try expect(one.contents().count, is: 2)
    // It was taken for text.
    let marks = Array("<<<<<<< ours\n".utf8)
    expect(shared.put(SharedPlace.State(whole: marks + former.whole), after: shared.count))
    try two.keychain().add(.internet(account: "c"), .text("x"))
    try two.sync(shared)
    try one.sync(shared)
    try expect(one.contents().count, is: 3)
    // A change can't be read.
    expect(
      shared.put(
        SharedPlace.State(whole: try #require(shared.states.last).whole, changes: [marks]),
        after: shared.count))
    try expect(one.sync(shared).unreadable, is: 1)
    expect(shared.states.last?.changes.isEmpty, is: true)
    try expect(two.sync(shared).unreadable, is: 0)
  }

  @Test("another vault in the place is refused")
  func otherVault() throws {
    let (shared, one, _) = try pair()
    let (other, _, _) = try pair()
    expect(failure { try one.sync(other) }, is: .wrongIdentity(path: "place"))
    // What was opened before stays.
    try expect(!one.keychain().take(other.states[0].whole, from: "place"))
    let stranger = SharingMember(clock.read)
    try stranger.join(shared)
    expect(
      failure { try stranger.keychain().take(other.states[0].whole, from: "place") },
      is: .wrongIdentity(path: "place"))
  }
}

extension KeychainError {
  /// Whether something is damaged.
  var isDamage: Bool { if case .damaged = self { true } else { false } }
}
