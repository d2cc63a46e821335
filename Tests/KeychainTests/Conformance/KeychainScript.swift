import Expectations
import Keychain
import TestSupport
import Testing

/// What is done with one keychain of each kind, as text.
///
/// Steps end with a semicolon or the line; after ` = ` is what comes of them, and after ` ! ` how the error begins. Items and credentials are spelled as for
/// `Item(spelled:)` and `RevealedCredential(spelled:)`. Of the steps that are done `together`, ` is ` and ` fails ` say it.
struct KeychainScript: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let script: String

  init(_ name: String, _ script: String) { (testDescription, self.script) = (name, script) }

  /// Plays it with a fresh keychain.
  func play(with kind: KeychainUnderTest) throws {
    let player = KeychainPlayer(kind.make())
    for step in script.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
      let halves = (step + " ").split(separator: " = ", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = (step + " ").split(separator: " ! ", maxSplits: 1, omittingEmptySubsequences: false)
      let words = (parts.count > 1 ? parts[0] : halves[0]).split(separator: " ").map { String($0) }
      if parts.count > 1 {
        let error = failure { try player.perform(words) }.map { "\($0)" } ?? "nothing"
        expect(error.hasPrefix(String(parts[1].dropLast())), "\(testDescription): \(step): \(error)")
      } else {
        let expected = halves.count > 1 ? halves[1].split(separator: " ").joined(separator: " ") : ""
        try expect(player.perform(words), is: expected, "\(testDescription): \(step)")
      }
    }
  }
}

/// Performs a script's steps, and knows the items by the names that it gives them: their own, if it says nothing.
private final class KeychainPlayer {
  private let fresh: FreshKeychain
  private var names: [ItemReference: String] = [:]
  private var items: [String: Item] = [:]
  private var writes: Int64?
  private var before: [RevealedItem] = []

  init(_ fresh: FreshKeychain) { self.fresh = fresh }

  /// Performs a step, with the test's own keychain unless it is another process that does.
  func perform(_ step: [String], with other: (any KeychainStore)? = nil) throws -> String {
    let (keychain, rest) = (other ?? fresh.keychain, Array(step.dropFirst()))
    func query() throws -> ItemQuery { try ItemQuery(for: Item(spelled: rest[0]).key) }
    switch step[0] {
    case "add":
      let name = rest.count > 2 ? rest[2] : rest[0]
      let added = try keychain.add(Item(spelled: rest[0]), RevealedCredential(spelled: rest[1]).credential())
      items[name] = added
      if let reference = added.reference { names[reference] = name }
    case "each":
      for (number, word) in rest.enumerated() {
        _ = try perform(["add", word, "\(number)"])
        fresh.clock.advance(seconds: 1)
      }
    case "save":
      let limit = rest.count > 3 ? RevealedCredential.expiry(rest[3]) : nil
      let credential = RevealedCredential(spelled: rest[1]).credential()
      return
        "\(try keychain.save(Item(spelled: rest[0]), credential, expiringBy: limit, at: SettableClock.start))"
    case "erase":
      let answered = rest.count > 3 ? items[rest[3]]?.reference : nil
      if rest.count == 1 { return "\(try keychain.erase(query()))" }
      return
        "\(try keychain.erase(query(), holding: Secret(rest[1] == "''" ? "" : rest[1]), answered: answered))"
    case "other": return try perform(rest, with: fresh.reopened)
    case "note":
      var item = try #require(items[rest[0]])
      item.comment = ByteString(rest[1])
      try keychain.update(item)
    case "move", "change":
      // By the item as it was added, whatever has become of it.
      var item = try #require(items[rest[0]])
      if step[0] == "move" { item.key = Item(spelled: rest[1]).key }
      let secret = step[0] == "change" ? rest[1] : rest.count > 2 ? rest[2] : nil
      let changed = try secret.map { try keychain.update(item, .text($0)) } ?? keychain.update(item)
      expect(changed.key == item.key && changed.reference == item.reference)
    case "together", "inner":
      // Steps with commas between them, in one change, and with ampersands in a change within it.
      let steps = rest.split(separator: step[0] == "inner" ? "&" : ",").map { Array($0) }
      var other: (any Error)?
      try keychain.exclusively { () throws(KeychainError) in
        for step in steps {
          if step == ["throw"] { throw .unavailable(reason: "the test says so") }
          do {
            try performPart(step)
          } catch let error as KeychainError {
            throw error
          } catch {
            other = error
          }
        }
      }
      if let other { throw other }
    case "delete": return "\(try keychain.delete(rest.map { items[$0] ?? Item(spelled: $0) }))"
    case "get":
      let time = rest.count > 1 ? Timestamp(milliseconds: Int64(rest[1]) ?? 0) : SettableClock.start
      return try fresh.reopened.answeredSecret(query(), at: time).map { $0 == "" ? "''" : "\($0)" }
        ?? "nothing"
    case "answer":
      return try keychain.revealedAnswer(query()).map { told($0.item, $0.credential) } ?? "nothing"
    case "answer-any":
      let answer = try keychain.revealedAnswer(query(), where: { _, _ in true })
      return answer.map { told($0.item, $0.credential) } ?? "nothing"
    case "renew": return try renewal(of: query(), in: keychain) { $1.authenticationScheme == nil }
    case "renew-any": return try renewal(of: query(), in: keychain) { _, _ in true }
    case "find":
      return try fresh.reopened.foundAccounts(query()).map { $0?.description ?? "-" }.joined(separator: " ")
    case "listed":
      return try keychain.items(matching: query()).map { $0.key.account?.description ?? "-" }.joined(
        separator: " ")
    case "count": return "\(try fresh.reopened.items(matching: .all).count)"
    case "secrets":
      return try keychain.find(query()).map { try keychain.secret(of: $0).description }.joined(separator: " ")
    case "rest":
      return try fresh.reopened.items(matching: .all).map { $0.reference.flatMap { names[$0] } ?? $0.name }
        .sorted()
        .joined(separator: " ")
    case "holds":
      return try items[rest[0]].map { try fresh.reopened.credential(of: $0).revealed.spelled } ?? "nothing"
    case "marks":
      before = try keychain.everything()
      writes = fresh.writes
    case "same":
      try expect(keychain.everything(), is: before)
      try expect(fresh.reopened.everything(), is: before)
      expect(fresh.writes, is: writes)
    case "keeps":
      // The others that were there are as they were.
      try expect(Set(fresh.reopened.everything()).isSuperset(of: before))
    case "writes": expect(fresh.writes, is: writes.map { $0 + (Int64(rest[0]) ?? 0) })
    case "unwritten": expect(fresh.writes ?? 0, is: 0)
    case "later": fresh.clock.advance(seconds: Int64(rest[0]) ?? 0)
    default: Issue.record("there is no verb \(step[0])")
    }
    return ""
  }

  /// Performs one of several steps that are done together.
  private func performPart(_ step: [String]) throws {
    if let mark = step.firstIndex(of: "fails") {
      let error = failure { try perform(Array(step[..<mark])) }.map { "\($0)" } ?? "nothing"
      expect(error.hasPrefix(step[mark + 1]), "\(step): \(error)")
      return
    }
    let halves = step.split(separator: "is", omittingEmptySubsequences: false)
    let outcome = try perform(Array(halves[0]))
    if halves.count > 1 { expect(outcome, is: halves[1].joined(separator: " "), "\(step)") }
  }

  /// The item that answers, which is whole, and its credential.
  private func told(_ item: Item, _ credential: RevealedCredential) -> String {
    let name = item.reference.flatMap { names[$0] } ?? item.name
    expect(item, is: items[name])
    return "\(name) \(credential.spelled)"
  }

  /// What a query gets if refresh tokens count: an answer, or an item without its secret.
  private func renewal(
    of query: ItemQuery, in keychain: any KeychainStore, _ isUsable: (Item, borrowing Credential) -> Bool
  ) throws -> String {
    switch try keychain.answerOrRenewal(to: query, at: SettableClock.start, where: isUsable) {
    case .none: return "nothing"
    case .answer(let answer): return told(answer.item, answer.credential.revealed)
    case .renewal(let renewal):
      let token = ByteString(renewal.refreshToken.revealed)
      return "renewed: "
        + told(renewal.item, RevealedCredential("", expiry: renewal.expiry, refreshToken: token))
    }
  }
}
