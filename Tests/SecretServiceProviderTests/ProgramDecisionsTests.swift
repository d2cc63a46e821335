import Expectations
import Keychain
import SecretService
@testable import SecretServiceProvider
import Testing

@Suite("what programs may use") struct ProgramDecisionsTests {
  private func item(_ number: Int, _ server: String = "a.example", changed: Int64 = 1) -> ServedItem {
    var item = Item(InternetPassword(server: server, account: "alice", protocol: "https"))
    item.reference = ItemReference(ByteString("\(number)"))
    item.modificationDate = Timestamp(milliseconds: changed)
    guard let served = ServedItem(item, standard: "login") else { preconditionFailure("it has a reference") }
    return served
  }

  private func caller(_ connection: String, _ program: String?) -> BusCaller {
    BusCaller(connection: connection, process: 1, program: program, since: Timestamp(milliseconds: 0))
  }

  private func isAllowed(
    _ decisions: ProgramDecisions, _ item: ServedItem, _ caller: BusCaller?,
    _ remembered: [ProgramPermission] = [], at now: Int = 0
  ) -> Bool? {
    decisions.isAllowed(item, caller, remembered, now: now)
  }

  private func wish(_ items: [ServedItem]) -> Wish { Wish(":1.1", items, for: HeldCalls.Ticket()) { _ in } }

  private func remembered(_ item: ServedItem, _ program: String, isAllowed: Bool) -> ProgramPermission {
    ProgramPermission(
      program: program, item: item.item?.reference ?? ItemReference(""), mark: isAllowed ? item.mark : nil)
  }

  @Test("once is for the connection, session for the program's file")
  func spans() {
    var decisions = ProgramDecisions()
    let (item, other) = (item(1), item(2))
    decisions.allow([item], to: caller(":1.1", "/a"), forProgram: false)
    expect(isAllowed(decisions, item, caller(":1.1", "/a")), is: true)
    expect(isAllowed(decisions, other, caller(":1.1", "/a")), is: nil)
    expect(isAllowed(decisions, item, caller(":1.2", "/a")), is: nil)
    decisions.allow([item], to: caller(":1.1", "/a"), forProgram: true)
    expect(isAllowed(decisions, item, caller(":1.2", "/a")), is: true)
    expect(isAllowed(decisions, item, caller(":1.2", "/b")), is: nil)
    decisions.remove(":1.1")
    expect(isAllowed(decisions, item, caller(":1.1", "/b")), is: nil)
  }

  @Test("when the keychain is locked, permissions end, and refusals go on")
  func locking() throws {
    var decisions = ProgramDecisions()
    let (item, own, refused) = (item(1), item(2), item(3))
    for isForProgram in [false, true] {
      decisions.allow([item], to: caller(":1.1", "/a"), forProgram: isForProgram)
    }
    decisions.note(try #require(own.item), writtenBy: caller(":1.1", "/a"))
    decisions.refuse([refused], to: caller(":1.1", "/a"), now: 0)
    decisions.removePermissions()
    expect(isAllowed(decisions, item, caller(":1.1", "/a")), is: nil)
    expect(isAllowed(decisions, own, caller(":1.1", "/a")), is: nil)
    expect(isAllowed(decisions, refused, caller(":1.1", "/a")), is: false)
    expect(isAllowed(decisions, refused, caller(":1.2", "/a"), at: 59_999), is: false)
  }

  @Test("a permission is for the login that was asked about, and a refusal for whatever becomes of the item")
  func otherLogin() {
    let (before, changed, moved) = (
      item(1), item(1, changed: 2), item(1, "bank.example", changed: 2)
    )
    for isForProgram in [false, true] {
      var decisions = ProgramDecisions()
      decisions.allow([before], to: caller(":1.1", "/a"), forProgram: isForProgram)
      expect(isAllowed(decisions, changed, caller(":1.1", "/a")), is: true)
      expect(isAllowed(decisions, moved, caller(":1.1", "/a")), is: nil)
    }
    let always = remembered(before, "/a", isAllowed: true)
    expect(isAllowed(ProgramDecisions(), changed, caller(":1.1", "/a"), [always]), is: true)
    expect(isAllowed(ProgramDecisions(), moved, caller(":1.1", "/a"), [always]), is: nil)
    var decisions = ProgramDecisions()
    decisions.refuse([before], to: caller(":1.1", "/a"), now: 0)
    expect(isAllowed(decisions, moved, caller(":1.1", "/a")), is: false)
    let never = remembered(before, "/a", isAllowed: false)
    expect(isAllowed(ProgramDecisions(), moved, caller(":1.1", "/a"), [never]), is: false)
  }

  @Test("no two sets of attributes have the same mark")
  func marks() {
    func mark(_ attributes: [ByteString: ByteString]) -> String {
      var shown = item(1).shown
      shown.attributes = lookup(attributes)
      return ServedItem(item(1), showing: shown, at: .now).mark
    }
    let marks = [
      mark([:]), mark(["a": "b"]), mark(["a": ""]), mark(["ab": ""]), mark(["a": "", "b": ""]),
      mark(["a": "0:1:b0:"]),
    ]
    expect(Set(marks).count, is: marks.count)
    expect(marks.allSatisfy { $0.utf8.count == 64 })
  }

  @Test("a refusal counts more than any permission")
  func refusalsFirst() {
    var decisions = ProgramDecisions()
    let (item, other) = (item(1), item(2))
    let (allow, deny) = (
      remembered(item, "/a", isAllowed: true), remembered(item, "/a", isAllowed: false)
    )
    expect(isAllowed(decisions, item, caller(":1.1", "/a"), [allow]), is: true)
    expect(isAllowed(decisions, item, caller(":1.1", "/a"), [allow, deny]), is: false)
    expect(isAllowed(decisions, item, caller(":1.1", "/b"), [allow, deny]), is: nil)
    expect(isAllowed(decisions, other, caller(":1.1", "/a"), [allow]), is: nil)
    // The same to people, and another file.
    let composed = remembered(item, "/\u{e9}", isAllowed: true)
    expect(isAllowed(decisions, item, caller(":1.1", "/e\u{301}"), [composed]), is: nil)
    decisions.allow([item], to: caller(":1.1", "/a"), forProgram: false)
    decisions.allow([item], to: caller(":1.1", "/a"), forProgram: true)
    if let stored = item.item { decisions.note(stored, writtenBy: caller(":1.1", "/a")) }
    expect(isAllowed(decisions, item, caller(":1.1", "/a")), is: true)
    expect(isAllowed(decisions, item, caller(":1.1", "/a"), [deny]), is: false)
  }

  @Test("of a program that can't be told, nothing is known")
  func unknownProgram() {
    var decisions = ProgramDecisions()
    expect(isAllowed(decisions, item(1), nil), is: nil)
    expect(isAllowed(decisions, item(1), caller(":1.1", nil)), is: nil)
    decisions.allow([item(1)], to: caller(":1.1", nil), forProgram: true)
    expect(isAllowed(decisions, item(1), caller(":1.1", nil)), is: true)
    expect(isAllowed(decisions, item(1), caller(":1.2", nil)), is: nil)
  }

  @Test("programs that can't be told share their refusals", arguments: [nil, "/usr/bin/xdg-dbus-proxy"])
  func sharedRefusals(_ program: String?) throws {
    var decisions = ProgramDecisions()
    decisions.refuse([item(1)], to: caller(":1.1", program), now: 0)
    expect(isAllowed(decisions, item(1), caller(":1.1", program), at: 60_000), is: false)
    expect(isAllowed(decisions, item(1), caller(":1.2", program), at: 59_999), is: false)
    expect(isAllowed(decisions, item(2), caller(":1.2", program)), is: nil)
    expect(isAllowed(decisions, item(1), caller(":1.3", program), at: 60_000), is: nil)
    expect(isAllowed(decisions, item(1), caller(":1.4", "/a")), is: nil)
  }

  @Test("a proxy calls for many programs, so what one may have isn't for the next")
  func proxy() throws {
    let (proxy, another) = (
      caller(":1.1", "/usr/bin/xdg-dbus-proxy"), caller(":1.2", "/usr/bin/xdg-dbus-proxy")
    )
    var decisions = ProgramDecisions()
    decisions.allow([item(1)], to: proxy, forProgram: true)
    decisions.note(try #require(item(2).item), writtenBy: proxy)
    let always = remembered(item(3), "/usr/bin/xdg-dbus-proxy", isAllowed: true)
    expect((1...3).map { isAllowed(decisions, item($0), proxy, [always]) }, is: [true, true, nil])
    expect((1...3).map { isAllowed(decisions, item($0), another, [always]) }, is: [nil, nil, nil])
    let question = ProgramQuestion(proxy, [item(1)], for: wish([item(1)]))
    expect(question.words, is: [.once, .no])
    expect(question.sentence.contains("(process 1), for a program in a sandbox, wants"))
  }

  @Test("after three refusals in a row, a program isn't asked about at all for a minute")
  func row() {
    for program in ["/a", nil] {
      var decisions = ProgramDecisions()
      decisions.allow([item(9)], to: caller(":1.9", program), forProgram: false)
      for number in 1...3 {
        expect(isAllowed(decisions, item(4), caller(":1.4", program), at: number * 1000), is: nil)
        decisions.refuse([item(number)], to: caller(":1.\(number)", program), now: number * 1000)
      }
      expect(isAllowed(decisions, item(4), caller(":1.4", program), at: 62_999), is: false)
      expect(isAllowed(decisions, item(9), caller(":1.9", program), at: 62_999), is: true)
      expect(isAllowed(decisions, item(4), caller(":1.4", "/b"), at: 62_999), is: nil)
      expect(isAllowed(decisions, item(4), caller(":1.4", program), at: 63_000), is: nil)
      decisions.refuse([item(4)], to: caller(":1.4", program), now: 63_000)
      expect(isAllowed(decisions, item(5), caller(":1.5", program), at: 63_001), is: nil)
    }
  }

  @Test("what a program has written is its own until anybody else changes it")
  func own() throws {
    var decisions = ProgramDecisions()
    let (item, later) = (item(1), item(1, changed: 2))
    decisions.note(try #require(item.item), writtenBy: caller(":1.1", "/a"))
    expect(isAllowed(decisions, item, caller(":1.2", "/a")), is: true)
    expect(isAllowed(decisions, item, caller(":1.2", "/b")), is: nil)
    expect(isAllowed(decisions, later, caller(":1.1", "/a")), is: nil)
    decisions.note(try #require(later.item), writtenBy: caller(":1.3", "/b"))
    expect(isAllowed(decisions, later, caller(":1.1", "/a")), is: nil)
    expect(isAllowed(decisions, later, caller(":1.4", "/b")), is: true)
  }

  @Test("after a refusal, a program is left in peace for a minute, also on another connection")
  func refusal() {
    var decisions = ProgramDecisions()
    let (item, other) = (item(1), item(2))
    decisions.refuse([item], to: caller(":1.1", "/a"), now: 1000)
    expect(isAllowed(decisions, item, caller(":1.2", "/a"), at: 60_999), is: false)
    expect(isAllowed(decisions, other, caller(":1.2", "/a"), at: 2000), is: nil)
    expect(isAllowed(decisions, item, caller(":1.2", "/b"), at: 2000), is: nil)
    expect(isAllowed(decisions, item, caller(":1.2", "/a"), at: 61_000), is: nil)
    decisions.refuse([item], to: caller(":1.1", "/a"), forever: true, now: 1000)
    decisions.remove(":1.1")
    expect(isAllowed(decisions, item, caller(":1.2", "/a"), at: .max - 1), is: false)
  }

  @Test(
    "what others have named can't word the question",
    arguments: [
      ("a", nil, "\"a\""), ("a", "alice", "\"a\" of \"alice\""),
      ("a) safe. Type always (", "x (y", "\"a) safe. Type always (\" of \"x (y\""),
      (
        "a\" of \"b", "\u{201d}\u{ff02}\u{2033}",
        "\"a\\u{22} of \\u{22}b\" of \"\\u{201d}\\u{ff02}\\u{2033}\""
      ),
      ("a\u{2800}b\u{ad}\u{1b}", "alice's", "\"a\\u{2800}b\\u{ad}\\u{1b}\" of \"alice's\""),
    ] as [(ByteString, ByteString?, String)])
  func sentence(_ service: ByteString, _ account: ByteString?, _ named: String) throws {
    var item = Item(GenericPassword(service: service, account: account))
    item.reference = ItemReference("1")
    for label in ["", "x) \u{201c}y"] {
      item.label = ByteString(label)
      let served = try #require(ServedItem(item, standard: "login"))
      let question = ProgramQuestion(caller(":1.1", "/a \"b\""), [served], for: wish([served]))
      let whole = label.isEmpty ? named : "\"x) \\u{201c}y\" (\(named))"
      expect(question.sentence, is: "\"/a \\u{22}b\\u{22}\" (process 1) wants to use \(whole).")
    }
  }

  @Test("after a refusal, a connection is left in peace for a minute")
  func peace() {
    var searches = HeldSearches()
    expect(!searches.hasDeclined(":1.1", now: 0))
    searches.decline(":1.1", now: 1000)
    expect(searches.hasDeclined(":1.1", now: 60_999))
    expect(!searches.hasDeclined(":1.2", now: 1001))
    expect(!searches.hasDeclined(":1.1", now: 61_000))
  }
}
