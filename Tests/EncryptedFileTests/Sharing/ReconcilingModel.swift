import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Some members who change a shared vault in a random order, and what comes of it: the last change of each part of an
/// item counts, and a deletion if nothing was changed after it. What is changed after it comes back as that member has it,
/// without changes from before the deletion that the member never saw.
final class ReconcilingModel {
  private struct Expected {
    var secret: String
    var comment = ""
    var changed: Timestamp
    var deleted: Timestamp?
    var isThere: Bool { deleted.map { $0 < changed } ?? true }

    /// Takes the state of a member who is about to change the item: all of it after a deletion, else what is later.
    mutating func take(_ own: [Substring]) {
      func number(_ text: some StringProtocol) -> Int { Int(text.drop { !$0.isNumber }) ?? 0 }
      if !isThere || number(own[0]) > number(secret) { secret = String(own[0]) }
      if !isThere || number(own[1]) > number(comment) { comment = String(own[1]) }
    }
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
      case let kind where 2..<6 ~= kind: try change(by: member, kind)
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
        expect(found[account] ?? "", is: "\(item.secret) \(item.comment)", "of member \(number)")
      }
    }
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

  /// Changes the secret of an item, or its comment, or deletes it.
  private func change(by member: SharingMember, _ kind: Int) throws {
    guard var item = try member.anyItem(&random), let account = item.key.account?.description,
      var changed = expected[account], let own = try member.contents()[account]
    else { return }
    changed.take(own.split(separator: " ", omittingEmptySubsequences: false))
    count += 1
    switch kind {
    case 2..<4:
      changed.secret = "secret\(count)"
      try member.keychain().update(item, .text(changed.secret))
    case 4:
      changed.comment = "comment\(count)"
      item.comment = ByteString(changed.comment)
      try member.keychain().update(item)
    default: try member.keychain().delete([item])
    }
    if kind == 5 { changed.deleted = clock.now } else { changed.changed = clock.now }
    expected[account] = changed
  }
}
