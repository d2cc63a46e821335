import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let nothing = ToolReply(status: 0, output: #"{"headers":{}}"# + "\n")
private let unusable = ToolReply(status: 2, output: "")
private let aliceHeader = "Basic YWxpY2U6czNjcmV0"

private func found(_ header: String, _ more: String = "") -> ToolReply {
  ToolReply(status: 0, output: #"{"headers":{"Authorization":["\#(header)"]}\#(more)}"# + "\n")
}

@Suite("Bazel's protocol", .timeLimit(.minutes(60)))
struct BazelProtocolTests {
  let bazel = ToolUnderTest("bazel")

  private func get(_ uri: String) -> ToolReply { bazel.call("get", input: #"{"uri":"\#(uri)"}"#) }

  private func alice(_ protocol: String = "https", _ server: String = "h.example", port: UInt16? = nil)
    -> InternetPassword
  {
    InternetPassword(
      protocol: ByteString(`protocol`), server: ByteString(server), port: port, account: "alice")
  }

  @Test("a login is answered as the header to send", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) throws {
    let bazel = ToolUnderTest("bazel", kind)
    let request = #"{"uri":"https://127.0.0.1/x"}"#
    expect(bazel.call("get", input: request), is: nothing)
    try bazel.add(alice("https", "127.0.0.1"), "s3cret")
    expect(bazel.call("get", input: request), is: found(aliceHeader))
  }

  @Test("the remote cache's URLs are those of the host that it runs at")
  func schemes() throws {
    try bazel.add(alice(), "s3cret")
    for uri in [
      "https://h.example", "https://h.example/", "https://h.example:443/google.bytestream",
      "grpcs://h.example",
      "grpcs://h.example:443", "https:\\/\\/H.example\\/x?a=b#c",
    ] { expect(get(uri), is: found(aliceHeader), "\(uri)") }
    for uri in [
      "http://h.example", "grpc://h.example", "grpc://h.example:443", "https://h.example:8443",
      "https://example",
      "s3://h.example/x",
    ] { expect(get(uri), is: nothing, "\(uri)") }
    try bazel.add(alice("http", "h.example", port: 8980), "s3cret")
    expect(get("grpc://h.example:8980"), is: found(aliceHeader))
    expect(get("grpcs://h.example:8980"), is: nothing)
  }

  @Test("the longest path wins, bazel's own goes before git's, and other tools' don't answer")
  func choice() throws {
    try bazel.add(alice(), "s3cret")
    try bazel.add(InternetPassword(protocol: "https", server: "h.example", path: "team"), "tok")
    try bazel.add(
      InternetPassword(protocol: "https", server: "h.example", account: "d", securityDomain: "docker"), "x")
    expect(get("https://h.example/team/a"), is: found("Bearer tok"))
    expect(get("https://h.example/teams"), is: found(aliceHeader))
    try bazel.add(InternetPassword(protocol: "https", server: "h.example", securityDomain: "bazel"), "own")
    expect(get("https://h.example/team/a"), is: found("Bearer own"))
    expect(get("https://bob@h.example/"), is: nothing)
  }

  @Test("what expires is asked for again a minute early, and isn't answered afterwards")
  func expiry() throws {
    let end = bazel.fresh.clock.now.seconds + 100
    try bazel.fresh.keychain.add(Item(alice()), Credential(Secret("s3cret"), expiry: end))
    func expiring(at seconds: Int64) -> ToolReply {
      found(aliceHeader, #","expires":"\#(Timestamp(seconds: seconds).description.prefix(19))Z""#)
    }
    expect(get("https://h.example"), is: expiring(at: end - 60))
    // Each call takes a second.
    bazel.fresh.clock.advance(seconds: 69)
    expect(get("https://h.example"), is: expiring(at: end - 30))
    bazel.fresh.clock.advance(seconds: 30)
    expect(get("https://h.example"), is: nothing)
  }

  @Test("what a header or JSON can't carry is refused", arguments: ["a\nb", "", "a "])
  func unspeakable(secret: String) throws {
    try bazel.add(InternetPassword(protocol: "https", server: "h.example"), secret)
    expect(get("https://h.example"), is: unusable)
  }

  @Test("unknown members are ignored, wrong ones refused, and nothing is printed")
  func badInput() throws {
    try bazel.add(alice(), "s3cret")
    let whole = #"{"uri":"https://h.example"}"#
    for input in [
      "", "[]", "null", "{}", #"{"uri":null}"#, #"{"uri":1}"#, #"{"url":"https://h.example"}"#, whole + "x",
    ]
      + (1..<whole.utf8.count).map({ String(whole.prefix($0)) })
    {
      expect(bazel.call("get", input: input), is: ToolReply(status: 64, output: ""), "\(input)")
    }
    for uri in ["", "h.example", "https://", "https://h.example:x", "https://h\\n/"] {
      let reply = get(uri)
      expect(reply.status != 0 && reply.output.isEmpty, "\(uri)")
    }
    expect(
      bazel.call("get", input: #"{"x":[{}],"uri":"https://h.example"}"# + "\n"), is: found(aliceHeader))
  }

  @Test("operations that there aren't")
  func operations() {
    for reply in [bazel.call(), bazel.call("store"), bazel.call("get", "get")] {
      expect(reply, is: ToolReply(status: 64, output: ""))
    }
  }

  @Test("ten megabytes are read to their end and refused")
  func tooLong() throws {
    let call = try bazel.callInMemory(["get"], bytes: Array(repeating: 0x20, count: 10 << 20))
    #expect(throws: KeychainError.request(.requestTooLong(limit: 1 << 20))) {
      try BazelProtocol.respond(to: call)
    }
    expect(call.isDrained && call.output.isEmpty)
  }
}
