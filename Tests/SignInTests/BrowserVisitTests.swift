import Bytes
import Expectations
import Testing

@testable import SignIn

struct BrowserVisitTests {
  /// A name for each, with what it has.
  private func name(_ returned: borrowing BrowserReturn) -> String {
    switch returned {
    case .code(let code): "code \(shown(code))"
    case .refused(let words): "refused \(words)"
    case .portInUse: "portInUse"
    case .tooLate: "tooLate"
    }
  }

  private func readAgain(_ returned: consuming BrowserReturn) throws -> String {
    let text = returned.encoded()
    return name(try text.withUnsafeBytes { try BrowserReturn(parsing: $0) })
  }

  @Test("what a browser brings back comes out as it went in")
  func returns() throws {
    try expect(readAgain(.code(Secret("c0de"))), is: "code c0de")
    try expect(readAgain(.refused("access_denied")), is: "refused access_denied")
    try expect(readAgain(.portInUse), is: "portInUse")
    try expect(readAgain(.tooLate), is: "tooLate")
    #expect(throws: JSONReader.Malformed.self) {
      try Secret("{}").withUnsafeBytes { name(try BrowserReturn(parsing: $0)) }
    }
  }

  @Test("a visit comes out as it went in")
  func visits() throws {
    let page = try #require(EndpointURL("https://git.example/authorize?state=s"))
    let visit = BrowserVisit(page, backTo: "http://127.0.0.1:7777/", for: "git.example", state: Secret("s"))
    let text = visit.encoded()
    switch try text.withUnsafeBytes({ try BrowserVisit(parsing: $0) }) {
    case .some(let read):
      expect(
        [read.page.text, read.redirect, read.server],
        is: [page.text, "http://127.0.0.1:7777/", "git.example"])
      expect(shown(read.state), is: "s")
    case .none: Issue.record("no visit")
    }
  }
}
