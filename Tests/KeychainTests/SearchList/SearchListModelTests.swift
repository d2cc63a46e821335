import Bytes
import Expectations
import Keychain
import KeychainTesting
import TestSupport
import Testing

/// What a list has to do, written once more in the plainest way: rows that are searched from the first to the last.
private struct ListModel {
  struct Row: Equatable {
    let keychain: Int
    let account: ByteString
    var secret: String
    /// When it was changed, as the number of a step.
    var changed: Int
    var isHidden = false
  }

  let isShared: [Bool]
  let home: Int
  var rows: [Row] = []

  /// Those that match, in the order in which they answer.
  func matching(_ account: ByteString?) -> [Int] {
    rows.indices.filter { account == nil || rows[$0].account == account }
      .sorted { a, b in
        (rows[a].keychain, -rows[a].changed) < (rows[b].keychain, -rows[b].changed)
      }
  }

  func answer(_ account: ByteString?) -> String? {
    matching(account).map { rows[$0] }.first { !$0.isHidden }?.secret
  }

  mutating func put(_ keychain: Int, _ account: ByteString, _ secret: String, at step: Int) {
    rows.removeAll { $0.keychain == keychain && $0.account == account }
    rows.append(Row(keychain: keychain, account: account, secret: secret, changed: step))
  }

  mutating func save(_ account: ByteString, _ secret: String, at step: Int) -> SaveOutcome {
    let present = matching(account).filter { rows[$0].secret == secret }
    if let one = present.first(where: { rows[$0].keychain == home }) ?? present.first {
      reveal(rows[one].keychain, account, secret)
      return .unchanged
    }
    let isThere = matching(account).contains { rows[$0].keychain == home }
    put(home, account, secret, at: step)
    return isThere ? .updated : .added
  }

  private mutating func reveal(_ keychain: Int, _ account: ByteString, _ secret: String) {
    for index in rows.indices
    where rows[index].keychain == keychain && rows[index].account == account && keychain != home {
      rows[index].isHidden = false
    }
  }

  mutating func erase(_ account: ByteString?, holding secret: String?) -> Int {
    var count = 0
    for index in matching(account).sorted(by: >) where secret == nil || rows[index].secret == secret {
      if !isShared[rows[index].keychain] {
        rows.remove(at: index)
        count += 1
      } else if !rows[index].isHidden {
        rows[index].isHidden = true
        count += 1
      }
    }
    return count
  }
}

@Suite("a search list, whatever is done with it") struct SearchListModelTests {
  @Test("answers, stores and erases as its model does", arguments: 0..<400 as Range<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let clock = SettableClock()
    let stores = (0..<3).map { _ in InMemoryKeychain(clock: clock.read) }
    let home = Int.random(in: 0..<3, using: &random)
    var model = ListModel(
      isShared: (0..<3).map { $0 != home && Bool.random(using: &random) }, home: home)
    let hiding = HidingInMemory()
    func list() -> KeychainSearchList {
      KeychainSearchList(
        (0..<3).map { number in
          KeychainSearchList.Member("k\(number)", isShared: model.isShared[number]) { stores[number] }
        }, newItemsIn: "k\(home)", hiding: hiding)
    }
    let accounts: [ByteString] = ["a", "b"]
    let secrets = ["x", "y", "z"]
    var keychain = list()
    for step in 0..<40 {
      clock.advance(seconds: 100)
      let account = accounts.randomElement(using: &random) ?? "a"
      let asked = Bool.random(using: &random) ? account : nil
      let secret = secrets.randomElement(using: &random) ?? "x"
      let query = try ItemQuery.internet(account: asked)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        // Somebody else changes one of the keychains.
        let number = Int.random(in: 0..<3, using: &random)
        let own = try ItemQuery.internet(account: account)
        if let item = try stores[number].items(matching: own).first {
          try stores[number].update(item, .text(secret))
        } else {
          try stores[number].add(.internet(account: account), .text(secret))
        }
        model.put(number, account, secret, at: step)
      case 1:
        let outcome = try keychain.save(.internet(account: account), .text(secret), at: clock.now)
        expect(outcome, is: model.save(account, secret, at: step), "seed \(seed), step \(step)")
      case 2:
        let count = try keychain.erase(query, holding: Secret(secret), at: clock.now)
        expect(count, is: model.erase(asked, holding: secret))
      case 3 where Int.random(in: 0..<4, using: &random) == 0:
        try expect(keychain.erase(query), is: model.erase(asked, holding: nil))
      case 4: keychain = list()
      default: break
      }
      for asked in [nil, "a", "b"] as [ByteString?] {
        let text = try keychain.answeredSecret(.internet(account: asked), at: clock.now)?.description
        try #require(text == model.answer(asked), "seed \(seed), step \(step)")
      }
      let seen = try keychain.items(matching: .all).map { item in
        "\(item.keychain ?? "-") \(item.key.account ?? "-") \(item.isHidden)"
      }
      let rows = model.rows.map { "k\($0.keychain) \($0.account) \($0.isHidden)" }
      try #require(seen.sorted() == rows.sorted(), "seed \(seed), step \(step)")
    }
  }
}
