import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("Ansible's vault passwords", .timeLimit(.minutes(60)))
struct AnsibleProtocolTests {
  let ansible = ToolUnderTest("ansible")

  @Test("each vault has its password", arguments: KeychainUnderTest.all)
  func vaults(kind: KeychainUnderTest) throws {
    let ansible = ToolUnderTest("ansible", kind)
    for (service, secret) in [("ansible:prod", "p1"), ("ansible:default", "p2"), ("prod", "other's")] {
      try ansible.add(service: ByteString(service), secret)
    }
    expect(ansible.call("--vault-id", "prod"), is: ToolReply(status: 0, output: "p1\n"))
    expect(ansible.call("--vault-id=default"), is: ToolReply(status: 0, output: "p2\n"))
    expect(ansible.call(), is: ToolReply(status: 0, output: "p2\n"))
  }

  @Test("status 2 is for a vault that isn't known, and for nothing else")
  func statuses() throws {
    try ansible.add(service: "test", "people's")
    try ansible.add(service: "ansible:old", "pw", expiry: 1)
    for id in ["test", "old", "none"] {
      expect(ansible.call("--vault-id", id), is: ToolReply(status: 2, output: ""))
    }
    expect(ansible.call("prod"), is: ToolReply(status: 64, output: ""))
  }

  @Test("a password that ansible would cut is refused, and one of several lines isn't")
  func lineBreaks() throws {
    for (index, secret) in ["", "\n", "a\n", "\ra", "a\r"].enumerated() {
      try ansible.add(service: ByteString("ansible:\(index)"), secret)
      expect(ansible.call("--vault-id", "\(index)"), is: ToolReply(status: 1, output: ""))
    }
    try ansible.add(service: "ansible:two", "a\nb")
    expect(ansible.call("--vault-id", "two"), is: ToolReply(status: 0, output: "a\nb\n"))
  }
}

@Suite("Summon's provider", .timeLimit(.minutes(60)))
struct SummonProtocolTests {
  let summon = ToolUnderTest("summon")

  @Test("an ID as argument has its value, byte for byte", arguments: KeychainUnderTest.all)
  func argument(kind: KeychainUnderTest) throws {
    let summon = ToolUnderTest("summon", kind)
    try summon.add(service: "db", account: "root/x", " pw\n")
    try summon.add(InternetPassword(protocol: "https", server: "h", account: "a"), "web")
    for id in ["db", "db/root/x", "db/", "llavero://db/root%2Fx"] {
      expect(summon.call(id), is: ToolReply(status: 0, output: " pw\n"), "\(id)")
    }
    expect(summon.call("llavero+https://a@h/p"), is: ToolReply(status: 0, output: "web"))
    for id in ["db/root", "other", "https://h", "llavero+http://h"] {
      expect(summon.call(id), is: ToolReply(status: 1, output: ""), "\(id)")
    }
    for id in ["", "/root", "llavero://", "llavero+https://a:pw@h"] {
      expect(summon.call(id), is: ToolReply(status: 2, output: ""), "\(id)")
    }
    expect(summon.call("a", "b").status, is: 64)
  }

  @Test("IDs on standard input are answered line by line in base64")
  func stream() throws {
    try summon.add(service: "a", "1")
    try summon.add(service: "b", account: "x", "two\nlines")
    try summon.add(service: "c", "")
    expect(
      summon.call(input: "a\nb/x\nc\na\n"), is: ToolReply(status: 0, output: "MQ==\ndHdvCmxpbmVz\n\nMQ==\n"))
    expect(summon.call(input: ""), is: ToolReply(status: 0, output: ""))
    expect(summon.call(input: "a"), is: ToolReply(status: 0, output: "MQ==\n"))
  }

  @Test("the first ID that has no value ends it, with nothing read beyond")
  func missing() throws {
    try summon.add(service: "a", "1")
    // If there is no output, summon tries each ID as an argument, and reports which is missing.
    expect(summon.call(input: "none\na\n"), is: ToolReply(status: 1, output: ""))
    expect(summon.call(input: "a\nnone\na\n"), is: ToolReply(status: 1, output: "MQ==\n"))
    expect(summon.call(input: "\n").status, is: 2)
    expect(summon.call([], bytes: Array(repeating: 0x61, count: 1 << 20)).status, is: 2)
  }
}
