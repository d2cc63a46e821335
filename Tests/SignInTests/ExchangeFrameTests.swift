import Bytes
import Expectations
import Testing

@testable import SignIn

struct ExchangeFrameTests {
  private func read(_ request: borrowing HTTPRequest) throws -> HTTPRequest {
    let text = request.encoded()
    return try text.withUnsafeBytes { try HTTPRequest(parsing: $0) }
  }

  private func outcome(_ text: borrowing Secret) throws -> ExchangeOutcome {
    try text.withUnsafeBytes { try ExchangeOutcome(parsing: $0) }
  }

  @Test("a request comes out as it went in, its secrets too")
  func requests() throws {
    let url = try #require(EndpointURL("https://bao.example:8200/v1/x"))
    for method in [HTTPRequest.Method.get, .delete, .list, .scan] {
      var request = HTTPRequest(method, url)
      request.headers = ["X-One: a", "X-Two: b"]
      request.secretHeader = Secret("X-Vault-Token: s.1")
      request.maximumReply = 99
      let read = try read(request)
      expect(read.method == method && read.url == url && read.headers == request.headers)
      expect(text(read.secretHeader), is: "X-Vault-Token: s.1")
      expect(text(read.body) == nil && read.maximumReply == 99)
    }
    let posted = try read(HTTPRequest(post: Secret(#"{"a":"\u0000é"}"#), to: url))
    expect(posted.method == .post && text(posted.body) == #"{"a":"\u0000é"}"#)
  }

  @Test("a long address goes through, and one that secrets must not go to doesn't")
  func addresses() throws {
    let base = try #require(EndpointURL("https://bao.example"))
    let long = base.at(unreserved: "/" + String(repeating: "a/", count: 4000) + "b")
    try expect(read(HTTPRequest(get: long)).url, is: long)
    let text = Secret(#"{"method":"GET","url":"http://bao.example/"}"#)
    #expect(throws: JSONReader.Malformed.self) {
      _ = try text.withUnsafeBytes { try HTTPRequest(parsing: $0) }
    }
  }

  @Test("a reply comes out as it went in")
  func replies() throws {
    var reply = HTTPReply(
      status: 307, mediaType: "a/b", retryAfter: 3, clockDifference: -4, body: Secret("\u{1}é"))
    reply.location = "https://x/"
    reply.index = "i"
    switch try outcome(reply.encode()) {
    case .fault(let fault): Issue.record("\(fault)")
    case .reply(let read):
      expect(
        read.status == 307 && read.mediaType == "a/b" && read.retryAfter == 3 && read.clockDifference == -4)
      expect(read.location == "https://x/" && read.index == "i" && shown(read.body) == "\u{1}é")
    }
  }

  @Test(
    "why there is no reply comes out as it went in",
    arguments: [
      TransportFault.unreachable("a"), .proxyAuthentication, .unsafeConnection("b"), .tooLarge,
      .tooSlow(milliseconds: 5),
      .cancelled,
    ])
  func faults(fault: TransportFault) throws {
    switch try outcome(fault.encoded) {
    case .fault(let read): expect(read, is: fault)
    case .reply: Issue.record("a reply")
    }
  }

  @Test("a set-up comes out as it went in")
  func setup() throws {
    var setup = ExchangeSetup()
    setup.authorities = "/ca"
    setup.serverName = "n"
    setup.timeout = 7
    let text = setup.encoded
    try expect(text.withUnsafeBytes { try ExchangeSetup(parsing: $0) }, is: setup)
  }

  @Test("a frame has its length before it, and a bound")
  func frames() {
    let frame = ExchangeFrame.framed(Secret("abc"))
    expect(shown(frame), is: "\u{0}\u{0}\u{0}\u{3}abc")
    expect([0xff, 0xff, 0xff, 0xff].map { UInt8($0) }.withUnsafeBytes { ExchangeFrame.size($0) }, is: nil)
  }
}
