import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let done = ToolReply(status: 0, output: "")
private let nothing = ToolReply(status: 0, output: "{}\n")
private let host = "tf.example.test"

private func found(_ token: String) -> ToolReply {
  ToolReply(status: 0, output: #"{"token":"\#(token)"}"# + "\n")
}

@Suite("Terraform's protocol", .timeLimit(.minutes(60)))
struct TerraformProtocolTests {
  let terraform = ToolUnderTest("terraform")

  private func store(_ token: String, _ host: String = host) -> ToolReply {
    terraform.call("store", host, input: #"{"token":"\#(token)"}"#)
  }

  @Test("a token is answered until it is forgotten", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) {
    let terraform = ToolUnderTest("terraform", kind)
    expect(terraform.call("get", host), is: nothing)
    expect(terraform.call("store", host, input: #"{"token":"tf-tok"}"#), is: done)
    expect(terraform.call("get", host), is: found("tf-tok"))
    expect(terraform.call("store", host, input: #"{"token":"second"}"#), is: done)
    expect(terraform.call("get", host), is: found("second"))
    expect(terraform.call("forget", host), is: done)
    expect(terraform.call("get", host), is: nothing)
    expect(terraform.call("forget", host), is: done)
  }

  @Test("another host or port is another one, and https' own port is none")
  func hosts() {
    expect(store("t"), is: done)
    for other in ["tf.example.test:8443", "example.test", "a.tf.example.test", "[::1]:8443"] {
      expect(terraform.call("get", other), is: nothing)
      expect(store(other, other), is: done)
      expect(terraform.call("get", other), is: found(other))
    }
    expect(terraform.call("get", host), is: found("t"))
    expect(terraform.call("get", "TF.example.test:443"), is: found("t"))
  }

  @Test("terraform is never handed an account's password, but a token without an account serves it")
  func besideGit() throws {
    for account in ["alice", "", "oauth2"] {
      try terraform.add(
        InternetPassword(protocol: "https", server: "tf.example.test", account: ByteString(account)), "x")
      expect(terraform.call("get", host), is: nothing)
    }
    try terraform.add(InternetPassword(protocol: "http", server: "tf.example.test"), "x")
    try terraform.add(InternetPassword(protocol: "https", server: "tf.example.test", path: "acme"), "x")
    try terraform.add(
      InternetPassword(protocol: "https", server: "tf.example.test", securityDomain: "docker"), "x")
    try terraform.add(
      InternetPassword(protocol: "https", server: "tf.example.test", authenticationType: "basic"), "x")
    try terraform.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "tf.example.test", account: "ready")),
      Credential(Secret("x"), authenticationScheme: "Bearer"))
    try terraform.add(service: "gh:tf.example.test", "x")
    expect(terraform.call("get", host), is: nothing)
    let place = InternetPassword(protocol: "https", server: "tf.example.test")
    try terraform.add(place, "theirs")
    expect(terraform.call("get", host), is: found("theirs"))
    let call = try terraform.callInMemory(["forget", host])
    try expect(TerraformProtocol.respond(to: call), is: 0)
    expect(call.said.map(\.message), is: ["terraform still gets a login for \(host), which isn't its own"])
    expect(terraform.call("get", host), is: found("theirs"))
    expect(store("own"), is: done)
    expect(terraform.call("get", host), is: found("own"))
    expect(terraform.call("forget", host), is: done)
    try expect(terraform.fresh.keychain.items(matching: .all).count, is: 10)
  }

  @Test("a marker for an account says that the secret is a token", arguments: ["<token>", "x-bearer"])
  func markers(account: String) throws {
    try terraform.add(
      InternetPassword(protocol: "https", server: "tf.example.test", account: ByteString(account)), "t")
    expect(terraform.call("get", host), is: found("t"))
  }

  @Test("an item for terraform answers whatever its account is, and by none but its whole host")
  func ownItems() throws {
    let own = InternetPassword(
      protocol: "https", server: "tf.example.test", account: "me", securityDomain: "terraform")
    try terraform.add(own, "mine")
    expect(terraform.call("get", host), is: found("mine"))
    expect(store("new"), is: done)
    expect(terraform.call("get", host), is: found("new"))
    try expect(terraform.fresh.keychain.items(matching: .all).count, is: 1)
  }

  @Test("an expired token doesn't answer")
  func expiry() throws {
    try terraform.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "tf.example.test", securityDomain: "terraform")),
      Credential(Secret("t"), expiry: terraform.fresh.clock.now.seconds + 10))
    expect(terraform.call("get", host), is: found("t"))
    terraform.fresh.clock.advance(seconds: 10)
    expect(terraform.call("get", host), is: nothing)
  }

  @Test("what isn't the token alone is refused, and changes nothing")
  func badInput() {
    let whole = #"{"token":"s3cret"}"#
    expect(store("old"), is: done)
    for input in [
      "", "[]", "null", "{}", #"{"token":null}"#, #"{"token":1}"#, #"{"token":""}"#, #"{"token":"a\nb"}"#,
      #"{"token":" a"}"#, #"{"token":"a","expires":"soon"}"#, #"{"user":"a"}"#, whole + "x",
    ] + (1..<whole.utf8.count).map({ String(whole.prefix($0)) }) {
      expect(terraform.call("store", host, input: input), is: ToolReply(status: 64, output: ""), "\(input)")
    }
    expect(terraform.call("get", host), is: found("old"))
  }

  @Test(
    "what is no host is refused",
    arguments: [
      "", ":1", "a:b", "a:0", "https://a.test", "a.test/b", "u@a.test", "a b", "a\nb", "a?b", "[a]",
    ])
  func badHosts(host: String) {
    for operation in ["get", "store", "forget"] {
      expect(
        terraform.call(operation, host, input: #"{"token":"t"}"#), is: ToolReply(status: 64, output: ""))
    }
  }

  @Test("operations that there aren't, and too few or many operands")
  func operations() {
    for reply in [
      terraform.call(), terraform.call("get"), terraform.call("rotate", host),
      terraform.call("get", host, host),
    ] { expect(reply, is: ToolReply(status: 64, output: "")) }
  }

  @Test("a stored secret that no header can carry is refused", arguments: ["a\nb", "", "a\u{7f}", "a "])
  func unspeakable(secret: String) throws {
    try terraform.add(
      InternetPassword(protocol: "https", server: "tf.example.test", securityDomain: "terraform"), secret)
    expect(terraform.call("get", host), is: ToolReply(status: 2, output: ""))
  }

  @Test("ten megabytes are read to their end and refused, and so is what get doesn't need")
  func tooLong() throws {
    let store = try terraform.callInMemory(["store", host], bytes: Array(repeating: 0x20, count: 10 << 20))
    #expect(throws: KeychainError.request(.requestTooLong(limit: 1 << 20))) {
      try TerraformProtocol.respond(to: store)
    }
    expect(store.isDrained && store.output.isEmpty)
    let get = try terraform.callInMemory(["get", host], bytes: Array("unused".utf8))
    #expect(throws: Never.self) { try TerraformProtocol.respond(to: get) }
    expect(get.isDrained)
  }
}
