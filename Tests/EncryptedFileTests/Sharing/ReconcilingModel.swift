import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Some members who change a shared vault in a random order, and what comes of it: the last change of each part of an
/// item counts, and a deletion if nothing was changed after it.
final class ReconcilingModel {
  private struct Expected {
    var secret: String
    var comment = ""
    var changed: Timestamp
    var deleted: Timestamp?
    var isThere: Bool { deleted.map { $0 < changed } ?? true }
  }

  private let shared = SharedPlace()
  private let clock = SettableClock()
  private var random: SeededGenerator
  private var members: [SharingMember] = []
  private var expected: [String: Expected] = [:]
  private var count = 0

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    for _ in 0..<4 { members.append(SharingMember(clock.read)) }
    try shared.share(with: members)
  }

  func run(steps: Int) throws {
    for _ in 0..<steps {
      clock.advance(seconds: 1)
      let member = random.pick(members)
      switch random.number(in: 0..<10) {
      case 0..<2: try add(by: member)
      case 2..<4: try change(by: member)
      case 4: try comment(by: member)
      case 5: try delete(by: member)
      case 6 where random.number(in: 0..<6) == 0: try rotate(by: member)
      default:
        // Somebody else may get there first.
        var others = random.number(in: 0..<3)
        try member.sync(shared) {
          guard others > 0 else { return }
          others -= 1
          clock.advance(seconds: 1)
          let other = random.pick(members)
          if other !== member { try other.sync(shared) }
        }
      }
    }
    for _ in 0..<4 {
      for member in members { try member.sync(shared) }
    }
  }

  func check() throws {
    let wanted = expected.filter { $0.value.isThere }
    for (number, member) in members.enumerated() {
      let found = try member.contents()
      expect(Set(found.keys), is: Set(wanted.keys), "of member \(number)")
      for (account, item) in wanted {
        let text = found[account] ?? ""
        if item.deleted == nil { expect(text, is: "\(item.secret) \(item.comment)", "of member \(number)") }
        expect(text.hasPrefix(item.secret + " "), "of member \(number)")
      }
    }
    // Nobody has anything to say any more.
    let states = shared.count
    let files = try members.map { try contents(of: $0.place.vault) }
    clock.advance(seconds: 1)
    for member in members { try member.sync(shared) }
    expect(shared.count, is: states)
    try expect(members.map { try contents(of: $0.place.vault) }, is: files)
    // Somebody who comes now sees the same.
    let late = SharingMember(clock.read)
    try members[1].keychain().addRecipient(late.recipient, identity: nil)
    try members[1].sync(shared)
    try late.join(shared)
    try late.sync(shared)
    try expect(late.contents(), is: members[1].contents())
  }

  private func add(by member: SharingMember) throws {
    count += 1
    let account = "account\(count)"
    let secret = "secret\(count)"
    try member.keychain().add(.internet(account: ByteString(account)), .text(secret))
    expected[account] = Expected(secret: secret, changed: clock.now)
  }

  private func rotate(by member: SharingMember) throws {
    do {
      try member.rotate(dropping: [])
    } catch KeychainError.unavailable {
      // The key that it has was not shared yet.
    }
  }

  private func item(of member: SharingMember) throws -> (EncryptedFileKeychain, Item, String)? {
    let keychain = member.keychain()
    let items = try keychain.items(matching: .all).sorted {
      $0.key.account?.description ?? "" < $1.key.account?.description ?? ""
    }
    if items.isEmpty { return nil }
    let item = random.pick(items)
    return (keychain, item, item.key.account?.description ?? "")
  }

  private func change(by member: SharingMember) throws {
    guard let (keychain, item, account) = try item(of: member) else { return }
    count += 1
    try keychain.update(item, .text("secret\(count)"))
    expected[account]?.secret = "secret\(count)"
    expected[account]?.changed = clock.now
  }

  private func comment(by member: SharingMember) throws {
    guard let (keychain, item, account) = try item(of: member) else { return }
    count += 1
    var changed = item
    changed.comment = ByteString("comment\(count)")
    try keychain.update(changed)
    expected[account]?.comment = "comment\(count)"
    expected[account]?.changed = clock.now
  }

  private func delete(by member: SharingMember) throws {
    guard let (keychain, item, account) = try item(of: member) else { return }
    try keychain.delete([item])
    expected[account]?.deleted = clock.now
  }
}
