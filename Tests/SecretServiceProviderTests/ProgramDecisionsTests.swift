import Keychain
@testable import SecretServiceProvider
import Testing

@Suite("what programs may use") struct ProgramDecisionsTests {
  private let item = ItemReference("01a20ed6-fe14-7c3f-9c42-7b483586835e")
  private let other = ItemReference("01a20ed6-ff20-76c7-8fe1-9077db1918e7")

  private func caller(_ connection: String, _ program: String?) -> Caller {
    Caller(connection: connection, process: 1, program: program, since: Timestamp(milliseconds: 0))
  }

  private let date = Timestamp(milliseconds: 1)

  private func isAllowed(
    _ decisions: ProgramDecisions, _ item: ItemReference, _ caller: Caller?,
    _ remembered: [ProgramPermission] = [],
    at now: Int = 0
  ) -> Bool? {
    decisions.isAllowed(item, date, caller, remembered, now: now)
  }

  @Test("once is for the connection, session for the program's file")
  func spans() {
    var decisions = ProgramDecisions()
    decisions.decide(true, [item], for: caller(":1.1", "/a"), now: 0)
    #expect(isAllowed(decisions, item, caller(":1.1", "/a")) == true)
    #expect(isAllowed(decisions, other, caller(":1.1", "/a")) == nil)
    #expect(isAllowed(decisions, item, caller(":1.2", "/a")) == nil)
    decisions.allow([item], for: caller(":1.1", "/a"))
    #expect(isAllowed(decisions, item, caller(":1.2", "/a")) == true)
    #expect(isAllowed(decisions, item, caller(":1.2", "/b")) == nil)
    decisions.remove(":1.1")
    #expect(isAllowed(decisions, item, caller(":1.1", "/b")) == nil)
    decisions.removeAll()
    #expect(isAllowed(decisions, item, caller(":1.2", "/a")) == nil)
  }

  @Test("a remembered refusal counts more than a permission, and less than an answer for the connection")
  func remembered() {
    var decisions = ProgramDecisions()
    let allow = ProgramPermission(program: "/a", item: item, isAllowed: true)
    let deny = ProgramPermission(program: "/a", item: item, isAllowed: false)
    #expect(isAllowed(decisions, item, caller(":1.1", "/a"), [allow]) == true)
    #expect(isAllowed(decisions, item, caller(":1.1", "/a"), [allow, deny]) == false)
    #expect(isAllowed(decisions, item, caller(":1.1", "/b"), [allow, deny]) == nil)
    #expect(isAllowed(decisions, other, caller(":1.1", "/a"), [allow]) == nil)
    // The same to people, and another file.
    let composed = ProgramPermission(program: "/\u{e9}", item: item, isAllowed: true)
    #expect(isAllowed(decisions, item, caller(":1.1", "/e\u{301}"), [composed]) == nil)
    decisions.decide(true, [item], for: caller(":1.1", "/a"), now: 0)
    #expect(isAllowed(decisions, item, caller(":1.1", "/a"), [deny]) == true)
  }

  @Test("of a program that can't be told, nothing is known")
  func unknownProgram() {
    var decisions = ProgramDecisions()
    #expect(isAllowed(decisions, item, nil) == nil)
    #expect(isAllowed(decisions, item, caller(":1.1", nil)) == nil)
    decisions.decide(false, [item], for: caller(":1.1", nil), now: 0)
    #expect(isAllowed(decisions, item, caller(":1.1", nil)) == false)
    #expect(isAllowed(decisions, item, caller(":1.2", nil)) == nil)
  }

  @Test("what a program has written is its own until anybody else changes it")
  func own() {
    var decisions = ProgramDecisions()
    decisions.note(item, date, writtenBy: caller(":1.1", "/a"))
    #expect(isAllowed(decisions, item, caller(":1.2", "/a")) == true)
    #expect(isAllowed(decisions, item, caller(":1.2", "/b")) == nil)
    let later = Timestamp(milliseconds: 2)
    #expect(decisions.isAllowed(item, later, caller(":1.1", "/a"), [], now: 0) == nil)
    decisions.note(item, later, writtenBy: caller(":1.3", "/b"))
    #expect(decisions.isAllowed(item, later, caller(":1.1", "/a"), [], now: 0) == nil)
    #expect(decisions.isAllowed(item, later, caller(":1.4", "/b"), [], now: 0) == true)
  }

  @Test("after a refusal, a program is left in peace for a minute, also on another connection")
  func refusal() {
    var decisions = ProgramDecisions()
    decisions.decide(false, [item], for: caller(":1.1", "/a"), now: 1000)
    #expect(isAllowed(decisions, item, caller(":1.2", "/a"), at: 60_999) == false)
    #expect(isAllowed(decisions, other, caller(":1.2", "/a"), at: 2000) == nil)
    #expect(isAllowed(decisions, item, caller(":1.2", "/b"), at: 2000) == nil)
    #expect(isAllowed(decisions, item, caller(":1.2", "/a"), at: 61_000) == nil)
  }

  @Test("after a refusal, a connection is left in peace for a minute")
  func peace() {
    var searches = HeldSearches()
    #expect(!searches.hasDeclined(":1.1", now: 0))
    searches.decline(":1.1", now: 1000)
    #expect(searches.hasDeclined(":1.1", now: 60_999))
    #expect(!searches.hasDeclined(":1.2", now: 1001))
    #expect(!searches.hasDeclined(":1.1", now: 61_000))
  }
}
