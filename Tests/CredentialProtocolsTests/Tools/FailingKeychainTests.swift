import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("a keychain that can't be used is no empty one") struct FailingKeychainTests {
  private static let calls: [(String, [String], String, Int32)] = [
    ("aws", ["dev"], "", 2), ("ansible", ["--vault-id", "x"], "", 1), ("summon", ["a"], "", 2),
    ("summon", [], "a\n", 2), ("askpass", ["Password for 'https://a@h': "], "", 2),
    ("bazel", ["get"], #"{"uri":"https://h.example"}"#, 2), ("goauth", ["https://a.example"], "", 2),
    ("kubectl", ["prod"], "", 2), ("netrc", [], "", 2), ("keyring", ["get", "s", "u"], "", 2),
    ("keyring", ["set", "s", "u"], "p\n", 2), ("keyring", ["del", "s", "u"], "", 2),
    ("keyring", ["get", "https://h.example/simple/", "--mode=creds"], "", 2),
    ("terraform", ["get", "tf.example"], "", 2),
    ("terraform", ["store", "tf.example"], #"{"token":"t"}"#, 2),
    ("terraform", ["forget", "tf.example"], "", 2),
  ]

  @Test("each tool has a call here")
  func everyTool() {
    // Docker's and cargo's protocols have an answer of their own for it; see their tests.
    expect(Set(Self.calls.map { $0.0 } + ["docker", "cargo"]).sorted(), is: Tool.all.map(\.name).sorted())
  }

  @Test("each tool is told by a status of its own, and gets no answer", arguments: calls)
  func statuses(name: String, arguments: [String], input: String, status: Int32) {
    var tool = ToolUnderTest(name)
    tool.environment = [
      "KUBERNETES_EXEC_INFO": #"{"apiVersion":"client.authentication.k8s.io/v1","spec":{}}"#
    ]
    let reply = tool.call(arguments, bytes: Array(input.utf8), failing: .locked(path: "/x"))
    expect(reply, is: ToolReply(status: status, output: ""))
  }
}
