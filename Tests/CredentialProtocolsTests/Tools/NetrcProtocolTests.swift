import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("Netrc", .timeLimit(.minutes(60)))
struct NetrcProtocolTests {
  let netrc = ToolUnderTest("netrc")

  private func add(
    _ server: ByteString, _ secret: String, scheme: ByteString = "https", port: UInt16? = nil,
    account: ByteString? = "a", path: ByteString? = nil, domain: ByteString? = nil
  ) throws {
    try netrc.add(
      InternetPassword(
        protocol: scheme, server: server, port: port, account: account, path: path, securityDomain: domain),
      secret)
  }

  @Test("there is a line for each login", arguments: KeychainUnderTest.all)
  func lines(kind: KeychainUnderTest) throws {
    let netrc = ToolUnderTest("netrc", kind)
    try netrc.add(InternetPassword(protocol: "https", server: "h.example", account: "a"), "pw")
    try netrc.add(InternetPassword(protocol: "ftp", server: "f.example", account: "b"), "p2")
    expect(
      netrc.call(),
      is: ToolReply(
        status: 0,
        output: "machine h.example login a password pw\nmachine f.example login b password p2\n"))
    expect(
      netrc.call("--host", "H.example"),
      is: ToolReply(status: 0, output: "machine h.example login a password pw\n"))
  }

  @Test("nothing is shown on a terminal")
  func terminal() throws {
    try add("h", "pw")
    let call = try netrc.callInMemory([])
    call.isOutputTerminal = true
    #expect(throws: KeychainError.self) { _ = try netrc.tool.speaks.respond(to: call) }
    expect(call.output.isEmpty)
  }

  @Test("what no client of netrc uses is left out")
  func leftOut() throws {
    try add("h", "tool", domain: "docker")
    try add("h", "other", scheme: "ssh")
    try add("h", "nobody", account: nil)
    try netrc.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "h", account: "b")),
      Credential(Secret("t"), authenticationScheme: "Bearer"))
    try netrc.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "h", account: "c")),
      Credential(Secret("t"), expiry: netrc.fresh.clock.now.seconds - 1))
    expect(netrc.call().status, is: 1)
    expect(netrc.call("--host", "h"), is: ToolReply(status: 1, output: ""))
    try add("h", "pw", scheme: "http")
    expect(netrc.call().output, is: "machine h login a password pw\n")
  }

  @Test("of a host's items those stand first that fit without port and path, and each login once")
  func order() throws {
    try add("h", "1")
    try add("h", "2", path: "p")
    try add("h", "3", port: 8443)
    try add("h", "4", port: 8443, account: "b")
    try add("h", "5", account: "c", path: "p")
    try add("h", "6", account: "d")
    expect(
      netrc.call().output,
      is: [("d", 6), ("a", 1), ("c", 5), ("b", 4)].map { "machine h login \($0) password \($1)\n" }
        .joined())
    expect(
      netrc.call("--host", "h:8443").output,
      is: "machine h login b password 4\nmachine h login a password 3\n")
    expect(netrc.call("--host", "h:443", "--host=h:8443").output.split(separator: "\n").count, is: 4)
  }

  @Test(
    "words are quoted where they need to be",
    arguments: [
      ("", #""""#), ("a b", #""a b""#), (#"a"b"#, #"a"b"#), (#""ab"#, #""\"ab""#), (#"a\b"#, #""a\\b""#),
      ("#a", "\"#a\""), ("a#b", "a#b"), ("a\tb", "\"a\tb\""), ("é", "é"), ("machine", "machine"),
    ])
  func quoting(secret: String, word: String) throws {
    try add("h", secret)
    expect(netrc.call().output, is: "machine h login a password \(word)\n")
  }

  @Test(
    "what a netrc file can't hold is refused, and nothing is printed", arguments: ["a\nb", "a\rb", "a\0b"])
  func unspeakable(secret: String) throws {
    try add("g", "pw")
    try add("h", secret)
    expect(netrc.call(), is: ToolReply(status: 2, output: ""))
    expect(netrc.call("--host", "h"), is: ToolReply(status: 2, output: ""))
    expect(netrc.call("--host", "g").status, is: 0)
  }

  @Test("each host has to have a login, and to be one")
  func hosts() throws {
    try add("h", "pw")
    expect(netrc.call("--host", "h", "--host", "g"), is: ToolReply(status: 1, output: ""))
    expect(netrc.call("--host", "h:8443"), is: ToolReply(status: 1, output: ""))
    for host in ["", "https://h", "h/p", "h:x", "::1"] {
      expect(netrc.call("--host", host).status, is: 64, "\(host)")
    }
    expect(netrc.call("h").status, is: 64)
  }
}
