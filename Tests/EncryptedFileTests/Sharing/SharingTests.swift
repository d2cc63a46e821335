import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Members of a new vault who change it, as text. Steps end with a semicolon or the line: `1 adds a=x` is what the first one
/// does, `1 syncs = received: 1` an exchange with the place where it is shared, and `all syncs*3` three of everybody's.
/// `everybody logins = a x` is what all come to, and `everybody keeps x` the secrets that nobody has lost.
final class SharingScript {
  let clock = SettableClock()
  let shared = SharedPlace()
  private(set) var members: [SharingMember] = []
  private var count = 0

  init(_ number: Int) throws {
    for _ in 0..<number { members.append(SharingMember(clock.read)) }
    try shared.share(with: members)
  }

  func play(_ script: String) throws {
    for step in script.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
      let halves = (step + " ").split(separator: " = ", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = (step + " ").split(separator: " ! ", maxSplits: 1, omittingEmptySubsequences: false)
      let words = (parts.count > 1 ? parts[0] : halves[0]).split(separator: " ").map { String($0) }
      if words.isEmpty { continue }
      var result = ""
      if parts.count > 1 {
        result = failure { try perform(words) }.map { "\($0)" } ?? "done"
        expect(result.hasPrefix(String(parts[1].dropLast())), "\(step): \(result)")
      } else {
        result = try perform(words)
        if halves.count > 1 { expect(result, is: String(halves[1].dropLast()), "\(step)") }
      }
    }
  }

  private func perform(_ words: [String]) throws -> String {
    let rest = Array(words.dropFirst(2))
    if words[0] == "later" {
      clock.advance(seconds: Int64(words[1]) ?? 0)
      return ""
    }
    if words[0] == "everybody" {
      if words[1] == "logins" { return try commonLogins() }
      try expectInStep(with: Set(rest))
      return ""
    }
    if words[0] == "all" {
      let verb = words[1].split(separator: "*")
      for _ in 0..<(verb.count > 1 ? Int(verb[1]) ?? 1 : 1) {
        for number in members.indices {
          clock.advance(seconds: 1)
          _ = try perform(["\(number + 1)", String(verb[0])] + rest)
        }
      }
      return ""
    }
    let member = try #require(Int(words[0]).map { members[$0 - 1] })
    let keychain = member.keychain()
    func other() throws -> SharingMember { try #require(Int(rest[0]).map { members[$0 - 1] }) }
    switch words[1] {
    case "adds", "changes", "comments":
      for word in rest {
        count += 1
        let pair = word.split(separator: "=").map { String($0) }
        let value = pair.count > 1 ? pair[1] : "\(count)"
        switch words[1] {
        case "adds": try keychain.add(.internet(account: ByteString(pair[0])), .text(value))
        case "changes": try keychain.update(try #require(try member.item(ByteString(pair[0]))), .text(value))
        default:
          var item = try #require(try member.item(ByteString(pair[0])))
          item.comment = ByteString(value)
          try keychain.update(item)
        }
      }
    case "renames": try member.rename(ByteString(rest[0]), to: ByteString(rest[1]))
    case "deletes": try keychain.delete([try #require(try member.item(ByteString(rest[0])))])
    case "undeletes":
      // The latest, or the first of all.
      let retired = try keychain.retiredItems(matching: .all).filter { $0.reason.rawValue == rest[0] }
      try keychain.undelete(try #require(rest.last == "earliest" ? retired.last : retired.first))
    case "logins": return try member.logins().joined(separator: ", ")
    case "secrets": return try keychain.retiredSecrets(matching: .all).sorted().joined(separator: " ")
    case "count": return "\(try member.contents().count)"
    case "slots": return "\(try keychain.slots()?.count ?? 0)"
    case "like": return try member.contents() == other().contents() ? "yes" : "no"
    case "syncs":
      let result = try member.sync(shared)
      return "received: \(result.received)" + (result.tookKey ? " key" : "")
        + (result.unreadable > 0 ? " unreadable: \(result.unreadable)" : "")
    case "rotates":
      try member.rotate(dropping: Set(try rest.map { _ in try #require(try member.slot(of: other())) }))
    case "admits":
      // Somebody new, whom others know by the next number.
      if Int(rest[0]) == members.count + 1 { members.append(SharingMember(clock.read)) }
      let new = try other()
      try new.writeIdentity()
      try keychain.addRecipient(new.recipient, identity: nil, label: rest.count > 1 ? rest[1] : nil)
    case "joins":
      if Int(words[0]) == members.count + 1 { members.append(SharingMember(clock.read)) }
      try member.join(shared)
    case "former": return member.withFormerKey.map { $0.label ?? "-" }.joined(separator: " ")
    default: Issue.record("there is no verb \(words[1])")
    }
    return ""
  }

  /// Expects that more exchanges change nothing, and that every member has each secret and no record twice.
  private func expectInStep(with secrets: Set<String>) throws {
    func files() throws -> [[UInt8]] { try members.map { try contents(of: $0.place.vault) } }
    let before = (try files(), shared.count)
    try play("all syncs*2")
    try expect(files() == before.0 && shared.count == before.1, "something is written for nothing")
    for member in members {
      let kept = try member.everySecret()
      expect(kept.repeated, is: 0)
      expect(kept.secrets.isSuperset(of: secrets), "lost: \(secrets.subtracting(kept.secrets))")
    }
  }

  /// The logins that all members come to, and somebody who is let in then.
  private func commonLogins() throws -> String {
    try play("all syncs*3; 1 admits \(members.count + 1); 1 syncs")
    let late = try #require(members.last)
    try late.join(shared)
    try late.sync(shared)
    let logins = try members.map { try $0.logins().joined(separator: ", ") }
    expect(Set(logins).count, is: 1, "\(logins)")
    try expect(late.stored(), is: members[0].stored())
    members.removeLast()
    return logins[0]
  }
}

extension SharingMember {
  /// The secrets of all records, and how many records are out of use a second time.
  func everySecret() throws -> (secrets: Set<String>, repeated: Int) {
    var secrets: Set<String> = []
    var repeated = 0
    try keychain().withLines(beginning: []) { (lines, _) throws(KeychainError) in
      let first = lines.inUse.upperBound
      for index in 0..<lines.count {
        if index > first, lines.haveSameRecord(index - 1, index) { repeated += 1 }
        if index >= first, try !lines.retiredRecord(at: index, path: "").hasSecret { continue }
        let credential = try lines.credential(at: index, path: "")
        secrets.insert(String(decoding: credential.secret.revealed, as: UTF8.self))
      }
    }
    return (secrets, repeated)
  }
}

@Suite("Members who have the same commit of a shared vault, and nothing to send", .timeLimit(.minutes(60)))
struct ConvergingTests {
  @Test("have the same items, whatever they did before", arguments: 1...(isLongForm ? 24 : 4))
  func model(seed: UInt64) throws {
    let model = try ConvergingModel(seed: seed)
    try model.run(steps: 50)
    try model.check()
  }

  static let exchanges = [
    // Two members add the same login, the second one a second later; that one counts, and the first member doesn't know.
    // What comes is counted as what went and what came.
    Exchange(
      "have one of two items that were the same login, also if it was renamed; the other one can come back",
      """
      later 1; 1 adds a=first; later 1; 2 adds a=second; 1 syncs; 2 syncs; 2 logins = a second; later 1; 2 renames a b
      2 syncs; 1 syncs = received: 2; everybody logins = b second; 1 undeletes merged earliest
      everybody logins = a first, b second
      """),
    Exchange(
      "have none of them if it was deleted",
      """
      later 1; 1 adds a=first; later 1; 2 adds a=second; 1 syncs; 2 syncs; 2 logins = a second; later 1; 2 deletes a
      2 syncs; everybody logins = ; 1 secrets = first second
      """),
    Exchange(
      "have both if somebody has changed the other one without knowing that it had lost",
      """
      later 1; 1 adds a=first; 1 syncs; 3 syncs; later 1; 2 adds a=second; 2 syncs
      later 1; 3 comments a=used; later 1; 2 renames a b; 2 syncs; everybody logins = a first, b second
      """, members: 3),
    Exchange(
      "have what was brought back, also if a clock that was set back had dated what went out of use",
      """
      1 adds a=first; 1 deletes a; 1 syncs; 1 undeletes deleted; later 1; 2 adds a=second; later -3600; 1 adds c=x
      2 adds d=y; 1 syncs; 2 syncs; 2 renames a b; 2 syncs; 1 syncs; 1 undeletes deleted
      everybody logins = a first, b second, c x, d y
      """),
    Exchange(
      "have what a name had before it was used again, however often others change something",
      """
      1 adds x=first; all syncs*2; 1 deletes x; all syncs*2; 1 adds x=second; all syncs*2; 2 changes x=third; all syncs*2
      2 renames x r; all syncs*2; 1 adds x=fourth; all syncs*2; 2 deletes x
      \((0..<24).map { "\($0 % 3 + 1) adds n\($0); all syncs; " }.joined())
      all syncs*3; everybody keeps first second third fourth
      """, members: 3),
    Exchange(
      "have a replaced secret, however often only the comment was changed since",
      """
      1 adds x=first; 1 changes x=second; all syncs
      \((0..<25).map { "1 comments x=\($0); all syncs; " }.joined()); all syncs*2; everybody keeps first second
      """, members: 3),
  ]

  @Test("of which", arguments: exchanges)
  func play(exchange: Exchange) throws { try SharingScript(exchange.members).play(exchange.script) }
}

/// What some members do, for a ``SharingScript``, and how many states of the place come of it.
struct Exchange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let script: String
  let members: Int
  let states: Int?

  init(_ name: String, _ script: String, members: Int = 2, states: Int? = nil) {
    (testDescription, self.script, self.members, self.states) = (name, script, members, states)
  }
}

@Suite("A vault and the place where it is shared", .timeLimit(.minutes(60)))
struct ReconcilingTests {
  @Test(
    "members who change it in any order arrive at the same items, and lose nothing",
    arguments: 1...(isLongForm ? 12 : 2))
  func model(seed: UInt64) throws {
    let model = try ReconcilingModel(seed: seed)
    try model.run(steps: 80)
    try model.check()
  }

  static let exchanges = [
    Exchange("what has been shared before is not shared again", "1 adds a; 1 syncs; all syncs*2", states: 1),
    Exchange(
      "somebody who doesn't belong to it finds it locked, and not empty",
      """
      1 admits 3; 3 joins; 3 count ! noSlotOpens; 3 syncs ! noSlotOpens; 1 adds late; 1 syncs; 3 joins; 3 syncs
      3 like 1 = yes
      """),
    Exchange(
      "of two removals at the same time, both count",
      """
      1 admits 3; 1 admits 4; 1 syncs; 2 syncs; 3 joins; 3 syncs; 4 joins; 4 syncs; 1 rotates 3; 2 rotates 4; 1 syncs
      2 syncs; 1 syncs; 3 syncs ! otherKey(path: "place"; 4 syncs ! otherKey(path: "place"; 1 slots = 2; 2 slots = 2
      2 adds a; 2 syncs; 1 syncs; 1 count = 1
      """),
    // Either the place has the slot before it has the new key, or only the second member has it.
    Exchange(
      "somebody who was added with the former key gets nothing of the new one, and is named",
      "1 rotates; 2 admits 3 three; 2 syncs; 1 syncs; 2 syncs; 1 syncs; 1 former = three; \(admittedAgain)"),
    Exchange(
      "also where only one member has that slot",
      "1 rotates; 2 admits 3 three; 1 syncs; 2 syncs; 1 syncs; 1 former = ; \(admittedAgain)"),
    Exchange(
      "a member who was away finds the way through several keys",
      """
      2 adds old; 1 rotates; 1 adds n0; 1 syncs; 1 rotates; 1 adds n1; 1 syncs; 1 rotates; 1 adds n2; 1 syncs; 2 syncs
      1 syncs; 1 count = 4; 2 like 1 = yes
      """),
    Exchange(
      "a second new key has to wait until others know the first one",
      """
      1 rotates; 1 rotates ! unavailable(reason: "the new key that it has already was not shared yet"); 1 syncs; 1 rotates
      1 syncs; 2 syncs = received: 0 key
      """),
  ]

  /// Added again, it is a member as any other.
  private static let admittedAgain = """
    2 former = three; 1 slots = 2; 3 joins; 3 syncs ! noSlotOpens; 1 admits 3; 1 syncs; 2 syncs; 2 former = three
    3 joins; 3 syncs; 3 slots = 3
    """

  @Test("of which", arguments: exchanges)
  func play(exchange: Exchange) throws {
    let script = try SharingScript(exchange.members)
    let before = script.shared.count
    try script.play(exchange.script)
    if let states = exchange.states { expect(script.shared.count - before, is: states) }
  }

  @Test("a shared vault has no identity file on the machine that makes it")
  func noIdentityFile() throws {
    let one = try SharingScript(2).members[0]
    expect(!exists(one.place.identityFile))
    try expect(one.keychain().slots()?.map(\.kind), is: [.recipient, .recipient])
  }

  @Test("a change takes no more room than itself")
  func smallChanges() throws {
    let script = try SharingScript(2)
    let shared = script.shared
    let keychain = script.members[0].keychain()
    try keychain.exclusively { () throws(KeychainError) in
      for number in 0..<300 { try keychain.add(.internet(account: ByteString("a\(number)")), .text("x")) }
    }
    try script.play("1 syncs; 2 syncs; 2 changes a7=y")
    let before = shared.states.last
    try script.play("2 syncs")
    expect(shared.states.last?.whole, is: before?.whole)
    expect(shared.states.last?.changes.count, is: 1)
    expect(shared.states.last?.changes.first?.count ?? 0 < 5000)
    try script.play("1 syncs = received: 1; 1 like 2 = yes")
  }

  @Test("many changes become one whole vault")
  func whole() throws {
    let script = try SharingScript(2)
    let shared = script.shared
    try script.play((0..<70).map { "later 1; 1 adds a\($0); 1 syncs; " }.joined())
    expect(shared.states.contains { $0.changes.count > 60 })
    expect(shared.states.last?.changes.count ?? 99 < 10)
    try script.play("2 syncs; 2 count = 70")
  }

  @Test("a member who was removed can't read what is stored afterwards, and the others can")
  func removal() throws {
    let script = try SharingScript(2)
    try script.play(
      """
      1 admits 3; 1 syncs; 3 joins; 3 syncs; 2 adds unsent; 1 rotates 3; 1 adds after; 1 syncs
      3 syncs ! otherKey(path: "place"; 2 syncs = received: 1 key; 1 syncs; 2 like 1 = yes; 1 count = 2
      """)
    let (last, three) = (script.shared.states.last, script.members[2])
    for file in [last?.whole ?? []] + (last?.changes ?? []) {
      #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [three.identity]) }
    }
  }

  @Test("a key from somebody who didn't have the former one is not taken")
  func forgedKey() throws {
    let script = try SharingScript(2)
    let (clock, shared, one, two) = (script.clock, script.shared, script.members[0], script.members[1])
    try script.play("1 adds a; 1 syncs; 2 syncs")
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
    try script.play("2 syncs; 2 count = 1")
  }

  @Test("what somebody has dropped or broken in the place comes back")
  func mended() throws {
    let script = try SharingScript(2)
    let shared = script.shared
    try script.play("1 adds a; 1 syncs")
    let former = try #require(shared.states.last)
    try script.play("2 adds b; 2 syncs")
    // One side of a merge was taken.
    expect(shared.put(former, after: shared.count))
    try script.play("1 syncs; 1 count = 2")
    // It was taken for text.
    let marks = Array("<<<<<<< ours\n".utf8)
    expect(shared.put(SharedPlace.State(whole: marks + former.whole), after: shared.count))
    try script.play("2 adds c; 2 syncs; 1 syncs; 1 count = 3")
    // A change can't be read.
    let last = try #require(shared.states.last)
    expect(shared.put(SharedPlace.State(whole: last.whole, changes: [marks]), after: shared.count))
    try script.play("1 syncs = received: 0 unreadable: 1")
    expect(shared.states.last?.changes.isEmpty, is: true)
    try script.play("2 syncs = received: 0")
  }

  @Test("another vault in the place is refused")
  func otherVault() throws {
    let script = try SharingScript(2)
    let (clock, shared, one, other) = (
      script.clock, script.shared, script.members[0], try SharingScript(2).shared
    )
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
