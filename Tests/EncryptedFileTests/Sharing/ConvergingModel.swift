import EncryptedFile
import Expectations
import Keychain
import TestSupport
import Testing

extension RevealedItem {
  /// The account of the item as text.
  var account: String { item.key.account?.description ?? "" }
}

extension SharingMember {
  /// The items in use, with their secrets.
  func stored() throws -> Set<RevealedItem> { Set(try keychain().everything()) }

  /// The accounts of the items in use, sorted, each with its secret.
  func logins() throws -> [String] { try stored().map { "\($0.account) \($0.credential.secret)" }.sorted() }

  /// One of the items in use.
  func anyItem(_ random: inout SeededGenerator) throws -> Item? {
    let items = try stored().map(\.item).sorted { "\($0.key)" < "\($1.key)" }
    return items.isEmpty ? nil : random.pick(items)
  }

  func item(_ account: ByteString) throws -> Item? {
    try keychain().items(matching: .all).first { $0.key.account == account }
  }

  func rename(_ account: ByteString, to other: ByteString) throws {
    guard var item = try item(account) else { return }
    item.key = Item.internet(account: other).key
    try keychain().update(item)
  }
}

/// Members who add, change, rename, delete and bring back the same few items, with clocks that differ and sometimes stand
/// still. Whatever they do, and in whatever order they get it: if all have the same commit, and nothing to send, they have
/// the same items, and so has somebody who comes then.
final class ConvergingModel {
  private let shared = SharedPlace()
  private let clock = SettableClock()
  private var random: SeededGenerator
  private var members: [SharingMember] = []
  private var count = 0
  private var secrets: Set<String> = []
  private let accounts: [ByteString] = ["a", "b", "c"]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    try member(aheadBy: 0).create()
    try members[0].sync(shared)
    for seconds: Int64 in [-7, 5] { try join(member(aheadBy: seconds)) }
    shared.order = { [unowned self] changes in changes.shuffled(using: &self.random) }
  }

  func run(steps: Int) throws {
    for _ in 0..<steps {
      if random.number(in: 0..<2) == 0 { clock.advance(seconds: Int64(random.number(in: 1..<4))) }
      let member = random.pick(members)
      do {
        switch random.number(in: 0..<20) {
        case 0..<4: try add(by: member)
        case 4..<6: if let item = try member.anyItem(&random) { try member.keychain().update(item, secret()) }
        case 6: try comment(by: member)
        case 7..<10: try rename(by: member)
        case 10..<12: if let item = try member.anyItem(&random) { try member.keychain().delete([item]) }
        case 12: try undelete(by: member)
        case 13 where random.number(in: 0..<4) == 0: try member.rotate(dropping: [])
        case 14 where members.count < 5 && random.number(in: 0..<4) == 0:
          try join(self.member(aheadBy: 0))
        default:
          // Somebody else may get there first.
          var other = random.number(in: 0..<2) == 0 ? random.pick(members) : member
          try member.sync(shared) {
            if other !== member { try other.sync(shared) }
            other = member
          }
        }
      } catch KeychainError.duplicateItem {
        // Another item has that key here.
      } catch KeychainError.unavailable {
        // The key that it has was not shared yet.
      }
    }
  }

  func check() throws {
    try settle()
    try join(member(aheadBy: 0))
    try settle()
    let stored = try members[0].stored()
    for (number, member) in members.enumerated() {
      try expect(member.stored(), is: stored, "member \(number)")
    }
    // More exchanges change nothing, and no record is there twice.
    let files = try members.map { try contents(of: $0.place.vault) }
    for member in members + members {
      clock.advance(seconds: 1)
      try member.sync(shared)
      try expect(member.everySecret().repeated, is: 0)
    }
    try expect(members.map { try contents(of: $0.place.vault) } == files, "something is written for nothing")
    let kept = try members[0].keychain().retiredSecrets(matching: .all)
      .union(stored.map { "\($0.credential.secret)" })
    expect(kept.isSuperset(of: secrets), "lost: \(secrets.subtracting(kept))")
  }

  /// Exchanges everything, until nobody has anything to send.
  ///
  /// - Parameter newcomer: who isn't a member yet.
  private func settle(besides newcomer: SharingMember? = nil) throws {
    for _ in 0..<20 {
      let states = shared.count
      for member in members where member !== newcomer { try member.sync(shared) }
      if shared.count == states { return }
    }
    Issue.record("there is always something to send")
  }

  private func member(aheadBy seconds: Int64) -> SharingMember {
    let member = SharingMember { [clock] in
      Timestamp(milliseconds: clock.now.milliseconds + seconds * 1000)
    }
    members.append(member)
    return member
  }

  private func join(_ member: SharingMember) throws {
    // Whoever is added with a former key would have to be added again, and of two new keys only one stays.
    try settle(besides: member)
    try member.writeIdentity()
    try members[0].keychain().addRecipient(member.recipient, identity: nil)
    try members[0].sync(shared)
    try member.join(shared)
    // Who changes the key without knowing of somebody who was added locks them out.
    try settle()
  }

  private func secret() -> Credential {
    count += 1
    secrets.insert("secret\(count)")
    return .text("secret\(count)")
  }

  private func add(by member: SharingMember) throws {
    let account = random.pick(accounts)
    if try member.item(account) == nil { try member.keychain().add(.internet(account: account), secret()) }
  }

  private func comment(by member: SharingMember) throws {
    guard var item = try member.anyItem(&random) else { return }
    count += 1
    item.comment = ByteString("comment\(count)")
    try member.keychain().update(item)
  }

  private func rename(by member: SharingMember) throws {
    guard let account = try member.anyItem(&random)?.key.account else { return }
    try member.rename(account, to: random.pick(accounts))
  }

  private func undelete(by member: SharingMember) throws {
    let keychain = member.keychain()
    let retired = try keychain.retiredItems(matching: .all)
    if retired.isEmpty { return }
    try keychain.undelete(random.pick(retired), replacing: random.number(in: 0..<2) == 0)
  }
}
