import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("what git's lines can't carry") struct GitAnswerTests {
  private let git = Conversation()

  @Test(
    "an answer that would be more than its line is refused",
    arguments: ["a\nhost=victim", "a\r", "a\0b", "\n"])
  func unspeakable(secret: String) throws {
    try git.keychain.add(.internet(account: "alice"), secret)
    #expect(throws: ProtocolError.unspeakableAnswer(key: "password")) {
      try git.get("protocol=https", "host=example.com")
    }
    try git.keychain.add(.internet("b.com"), Credential.text("x", refreshToken: secret))
    #expect(throws: ProtocolError.unspeakableAnswer(key: "oauth_refresh_token")) {
      try git.get("protocol=https", "host=b.com")
    }
    try git.keychain.add(.internet("c.com"), Credential.text(secret, scheme: "Bearer"))
    #expect(throws: ProtocolError.unspeakableAnswer(key: "credential")) {
      try git.get("capability[]=authtype", "protocol=https", "host=c.com")
    }
  }

  @Test("the longest lines are answered, and one byte more is refused")
  func longest() throws {
    let room = 65_535 - "password=\n".utf8.count
    try git.keychain.add(.internet("a.com"), String(repeating: "x", count: room))
    try expect(git.get("protocol=https", "host=a.com").utf8.count, is: 65_535)
    try git.keychain.add(.internet("b.com"), String(repeating: "x", count: room + 1))
    #expect(throws: ProtocolError.unspeakableAnswer(key: "password")) {
      try git.get("protocol=https", "host=b.com")
    }
    let account = attribute([UInt8](repeating: 0x61, count: 65_534))
    try git.keychain.add(.internet("c.com", account: account), "x")
    #expect(throws: ProtocolError.unspeakableAnswer(key: "username")) {
      try git.get("protocol=https", "host=c.com")
    }
  }
}
