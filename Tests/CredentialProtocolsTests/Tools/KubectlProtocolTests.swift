import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let nothing = ToolReply(status: 1, output: "")
private let unusable = ToolReply(status: 2, output: "")
private let server = "https://k.example:6443"
private let v1 = "client.authentication.k8s.io/v1"

private let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
private let issuer = "-----BEGIN CERTIFICATE-----\nBBBB\n-----END CERTIFICATE-----\n"
private let key = "-----BEGIN EC PRIVATE KEY-----\nCCCC\n-----END EC PRIVATE KEY-----\n"
private let pair = #""clientCertificateData":"\#(escaped(certificate))","clientKeyData":"\#(escaped(key))""#

private func escaped(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
}

private func request(_ server: String? = server, _ version: String = v1) -> String {
  let cluster =
    server.map { #","cluster":{"server":"\#($0)","certificate-authority-data":"eA==","config":null}"# } ?? ""
  return #"{"kind":"ExecCredential","apiVersion":"\#(version)","spec":{"interactive":false\#(cluster)}}"#
}

private func found(_ status: String, _ version: String = v1) -> ToolReply {
  ToolReply(
    status: 0, output: #"{"apiVersion":"\#(version)","kind":"ExecCredential","status":{\#(status)}}"# + "\n")
}

@Suite("Kubectl's exec plugins", .timeLimit(.minutes(60)))
struct KubectlProtocolTests {
  let kubectl: ToolUnderTest

  init() { kubectl = ToolUnderTest("kubectl") }

  private func ask(_ info: String?, _ arguments: String..., of kubectl: ToolUnderTest? = nil) -> ToolReply {
    var kubectl = kubectl ?? self.kubectl
    if let info { kubectl.environment["KUBERNETES_EXEC_INFO"] = info }
    return kubectl.call(arguments, bytes: [])
  }

  private func add(
    _ secret: String, _ server: String = "k.example", path: String? = nil, expiry: Int64? = nil
  ) throws {
    let item = InternetPassword(
      protocol: "https", server: ByteString(server), port: 6443, path: path.map { ByteString($0) },
      securityDomain: "kubectl")
    try kubectl.fresh.keychain.add(Item(item), Credential(Secret(secret), expiry: expiry))
    kubectl.fresh.clock.advance(seconds: 1)
  }

  @Test("a cluster's token is answered in the version that was asked in", arguments: KeychainUnderTest.all)
  func versions(kind: KeychainUnderTest) throws {
    let kubectl = ToolUnderTest("kubectl", kind)
    expect(ask(request(), of: kubectl), is: nothing)
    try kubectl.add(
      InternetPassword(protocol: "https", server: "k.example", port: 6443, securityDomain: "kubectl"), "tok")
    for version in [v1, v1 + "beta1"] {
      expect(ask(request(server, version), of: kubectl), is: found(#""token":"tok""#, version))
    }
    for version in [v1 + "alpha1", "v1", "", v1 + "0"] {
      expect(ask(request(server, version), of: kubectl), is: ToolReply(status: 64, output: ""))
    }
  }

  @Test("another cluster is another one, and below one server the longest path wins")
  func clusters() throws {
    try add("tok")
    try add("inner", path: "k8s/clusters/c-1")
    expect(ask(request(server + "/")), is: found(#""token":"tok""#))
    expect(ask(request(server + "/k8s/clusters/c-1")), is: found(#""token":"inner""#))
    expect(ask(request(server + "/k8s/clusters/c-11")), is: found(#""token":"tok""#))
    for other in ["https://k.example", "https://a.k.example:6443", "http://k.example:6443"] {
      expect(ask(request(other)), is: nothing)
    }
  }

  @Test("a name wins over the cluster, and no other login answers in its place")
  func names() throws {
    try kubectl.add(service: "kubectl:prod", "named")
    try kubectl.add(service: "test", "x")
    expect(ask(request(nil), "prod"), is: found(#""token":"named""#))
    expect(ask(request(), "prod"), is: found(#""token":"named""#))
    expect(ask(request(nil), "test"), is: nothing)
    try add("tok")
    expect(ask(request()), is: found(#""token":"tok""#))
    expect(ask(request(), "prod"), is: found(#""token":"named""#))
    expect(ask(request(), "nobody"), is: nothing)
    expect(ask(request(nil)), is: ToolReply(status: 64, output: ""))
    expect(ask(request(""), "prod"), is: found(#""token":"named""#))
    expect(ask(request(nil), "a", "b"), is: ToolReply(status: 64, output: ""))
  }

  @Test("of several users of a cluster, and of one name at several clusters, each has its own")
  func users() throws {
    func add(_ account: String, _ server: String, _ secret: String) throws {
      try kubectl.add(
        InternetPassword(
          protocol: "https", server: ByteString(server), port: 6443, account: ByteString(account),
          securityDomain: "kubectl"), secret)
    }
    try add("admin", "k.example", "a")
    try add("viewer", "k.example", "v")
    try add("admin", "l.example", "other")
    expect(ask(request(), "admin"), is: found(#""token":"a""#))
    expect(ask(request(), "viewer"), is: found(#""token":"v""#))
    expect(ask(request("https://l.example:6443"), "admin"), is: found(#""token":"other""#))
    expect(ask(request("https://l.example:6443"), "viewer"), is: nothing)
    expect(ask(request(nil), "admin"), is: nothing)
    // What git has for that account is no token for a cluster.
    try kubectl.add(InternetPassword(protocol: "https", server: "k.example", port: 6443, account: "bob"), "x")
    expect(ask(request(), "bob"), is: nothing)
  }

  @Test("an account's password is not a cluster's token, a token without an account is")
  func others() throws {
    try kubectl.add(
      InternetPassword(protocol: "https", server: "k.example", port: 6443, account: "alice"), "x")
    expect(ask(request()), is: nothing)
    try kubectl.add(InternetPassword(protocol: "https", server: "k.example", port: 6443), "theirs")
    expect(ask(request()), is: found(#""token":"theirs""#))
    try add("own")
    expect(ask(request()), is: found(#""token":"own""#))
  }

  @Test(
    "a certificate and its key come as PEM in either order, with remarks and an issuer, or as JSON",
    arguments: [
      certificate + key, key + certificate, "Bag Attributes\n  x: y\n" + key + "subject=x\n\n" + certificate,
      "-----BEGIN EC PARAMETERS-----\nDDDD\n-----END EC PARAMETERS-----\n" + key + certificate,
      String((certificate + key).flatMap { $0 == "\n" ? "\r\n" : String($0) }),
      String((certificate + key).dropLast()),
      "{\(pair)}", #"{"kind":"ExecCredential","status":{\#(pair),"token":null}}"#,
      #"{"client-certificate-data":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=","#
        + #""client-key-data":"LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCkNDQ0MKLS0tLS1FTkQgRUMgUFJJVkFURSBLRVktLS0tLQo="}"#,
    ])
  func pairs(secret: String) throws {
    try add(secret)
    expect(ask(request()), is: found(pair))
  }

  @Test("issuers follow the certificate, and a token may stand beside the pair")
  func more() throws {
    try add(certificate + issuer + key)
    let chain =
      #""clientCertificateData":"\#(escaped(certificate + issuer))","clientKeyData":"\#(escaped(key))""#
    expect(ask(request()), is: found(chain))
    try add(#"{"token":"tok",\#(pair)}"#, path: "both")
    expect(ask(request(server + "/both")), is: found(#""token":"tok",\#(pair)"#))
  }

  @Test(
    "half a pair, and what is neither a pair nor a token, is refused",
    arguments: [
      "", "a\nb", " a", certificate, key, certificate + key + key, String((certificate + key).dropLast(3)),
      key + "-----BEGIN CERTIFICATE-----\n" + certificate, "x" + certificate + key,
      certificate + "-----BEGIN ENCRYPTED PRIVATE KEY-----\nEEEE\n-----END ENCRYPTED PRIVATE KEY-----\n",
      "{", "{}", #"{"token":""}"#, #"{"token":1}"#, #"{"token":"a\nb"}"#, #"{"clientKeyData":"x"}"#,
      #"{"client-key-data":"?","client-certificate-data":"eA=="}"#,
      #"{"client-key-data":"/w==","client-certificate-data":"eA=="}"#,
      #"{"status":{"status":{"token":"x"}}}"#,
    ])
  func badSecrets(secret: String) throws {
    try add(secret)
    expect(ask(request()), is: unusable)
  }

  @Test("when it ends is said by the item, else by the JSON, and what has ended is no answer")
  func expiry() throws {
    let end = kubectl.fresh.clock.now.seconds + 100
    try add("tok", expiry: end)
    let until = Timestamp(seconds: end).description.prefix(19) + "Z"
    expect(ask(request()), is: found(#""expirationTimestamp":"\#(until)","token":"tok""#))
    kubectl.fresh.clock.advance(seconds: 100)
    expect(ask(request()), is: nothing)
    try add(#"{"token":"t","expirationTimestamp":"2999-01-01T00:00:00Z"}"#, path: "later")
    expect(
      ask(request(server + "/later")), is: found(#""expirationTimestamp":"2999-01-01T00:00:00Z","token":"t""#)
    )
    try add(#"{"token":"t","expirationTimestamp":"2001-01-01T00:00:00Z"}"#, path: "over")
    expect(ask(request(server + "/over")), is: nothing)
  }

  @Test("not found says how to add it")
  func hints() throws {
    func hint(_ info: String, _ arguments: [String]) throws -> String? {
      var kubectl = kubectl
      kubectl.environment["KUBERNETES_EXEC_INFO"] = info
      let call = try kubectl.callInMemory(arguments)
      do throws(KeychainError) {
        _ = try KubectlProtocol.respond(to: call)
      } catch .described(let refusal) {
        return refusal.hint?.description
      } catch {}
      return nil
    }
    try expect(hint(request(), []), is: "add it with 'llavero add --domain kubectl https://k.example:6443'")
    try expect(
      hint(request(), ["prod"]),
      is: "add it with 'llavero add --domain kubectl --account prod https://k.example:6443'")
    try expect(hint(request(nil), ["prod"]), is: "add it with 'llavero add --service kubectl:prod'")
    try expect(hint(request(nil), ["$(x)"]), is: "add it with llavero add --service $'kubectl:$(x)'")
  }

  @Test("what isn't kubectl's request is refused")
  func badRequests() throws {
    try add("tok")
    let whole = request()
    expect(ask(nil), is: ToolReply(status: 64, output: ""))
    for info in [
      "", "[]", "null", "{}", whole + "x", #"{"apiVersion":1}"#, #"{"apiVersion":"\#(v1)","spec":[]}"#,
      #"{"apiVersion":"\#(v1)","spec":{"cluster":""}}"#,
      #"{"apiVersion":"\#(v1)","spec":{"cluster":{"server":1}}}"#,
    ] + (1..<whole.utf8.count).map({ String(whole.prefix($0)) }) {
      expect(ask(info), is: ToolReply(status: 64, output: ""), "\(info)")
    }
    for server in ["k.example", "https://", "https://k.example:x"] {
      let reply = ask(request(server))
      expect(reply.status != 0 && reply.output.isEmpty, "\(server)")
    }
    let nulls = #"{"apiVersion":"\#(v1)","spec":{"cluster":null,"x":1},"x":{}}"#
    expect(ask(nulls, "prod"), is: nothing)
    expect(ask(#"{"apiVersion":"\#(v1)","spec":null}"#, "prod"), is: nothing)
  }

  @Test("standard input, which may be the manifest of kubectl apply, is left alone")
  func input() throws {
    var kubectl = kubectl
    kubectl.environment["KUBERNETES_EXEC_INFO"] = request()
    try add("tok")
    let call = try kubectl.callInMemory([], bytes: Array("kind: Pod".utf8))
    #expect(throws: Never.self) { try KubectlProtocol.respond(to: call) }
    expect(!call.isDrained)
  }

  @Test("no secret breaks it: what is answered is whole, and all else refused")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 6)
    let parts = [
      "-----BEGIN ", "-----END ", "CERTIFICATE-----", "EC PRIVATE KEY-----", "ENCRYPTED ", "\n", "\r\n", " ",
      "AAAA",
      "-----", "{", "}", "\"clientKeyData\"", "\"clientCertificateData\"", "\"client-key-data\"", ":", ",",
      "\"token\"",
      "\"status\"", "\"eA==\"", "\\u0000", "\"", "null", "\u{fffd}",
    ]
    for number in 0..<rounds(1000) {
      let count = Int.random(in: 0...16, using: &generator)
      let secret = (0..<count).map { _ in parts.randomElement(using: &generator)! }.joined()
      let name = "n\(number)"
      try kubectl.add(service: ByteString("kubectl:" + name), secret)
      let reply = ask(request(nil), name)
      expect(reply.status == 0 || reply == unusable)
      if reply.status == 0 {
        func has(_ member: String) -> Bool { reply.output.contains(#""\#(member)":""#) }
        expect(has("clientKeyData"), is: has("clientCertificateData"))
        expect(has("token") || has("clientKeyData"))
      }
    }
  }
}
