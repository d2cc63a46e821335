import Expectations
import Keychain
import TestSupport
import Testing

@Suite("four-character codes") struct FourCharacterCodeTests {
  @Test(
    "a protocol's code and its URL scheme stand for each other",
    arguments: [
      ("http", "http"), ("htps", "https"), ("ftp ", "ftp"), ("ftps", "ftps"), ("ssh ", "ssh"),
      ("imap", "imap"),
      ("imps", "imaps"), ("pop3", "pop3"), ("pops", "pop3s"), ("smtp", "smtp"), ("ldap", "ldap"),
      ("ldps", "ldaps"), ("nntp", "nntp"), ("ntps", "nntps"), ("irc ", "irc"), ("ircs", "ircs"),
      ("teln", "telnet"), ("tels", "telnets"), ("smb ", "smb"), ("afp ", "afp"), ("rtsp", "rtsp"),
      ("sox ", "socks"), ("htpx", "htpx"), ("ipp ", "ipp"),
    ])
  func protocols(code: String, scheme: String) throws {
    let parsed = try #require(FourCharacterCode(exactly: ByteString(code)))
    expect(parsed.protocolName, is: ByteString(scheme))
    expect(FourCharacterCode(ofProtocol: ByteString(scheme)), is: parsed)
    expect(FourCharacterCode(ofProtocol: ByteString(scheme.uppercased())), is: parsed)
    expect(parsed.bytes, is: Array(code.utf8))
  }

  @Test(
    "an authentication type's code and its name stand for each other",
    arguments: [
      ("ntlm", "ntlm"), ("msna", "msna"), ("dpaa", "dpaa"), ("http", "basic"), ("httd", "digest"),
      ("form", "form"),
    ])
  func authenticationTypes(code: String, name: String) throws {
    let parsed = try #require(FourCharacterCode(exactly: ByteString(code)))
    expect(parsed.authenticationTypeName, is: ByteString(name))
    expect(FourCharacterCode(ofAuthenticationType: ByteString(name)), is: parsed)
  }

  @Test("no protocol is the number 0")
  func noProtocol() {
    expect(FourCharacterCode(ofProtocol: "").rawValue, is: 0)
    expect(FourCharacterCode(rawValue: 0).protocolName, is: "")
  }

  @Test("the default authentication type is none")
  func defaultAuthentication() {
    expect(FourCharacterCode(ofAuthenticationType: nil), is: "dflt")
    expect(FourCharacterCode.defaultAuthentication.authenticationTypeName, is: nil)
  }

  @Test("a code has four bytes", arguments: ["", "ftp", "https", "é🔑", "htp"])
  func length(text: String) {
    expect(FourCharacterCode(exactly: ByteString(text)), is: nil)
  }

  @Test("a name that is unknown is padded or cut off")
  func abbreviations() {
    expect(FourCharacterCode(ofProtocol: "git").bytes, is: Array("git ".utf8))
    expect(FourCharacterCode(ofProtocol: "svn+ssh").bytes, is: Array("svn+".utf8))
    expect(FourCharacterCode(ofProtocol: "cert").protocolName, is: "cert")
  }

  @Test("every code but those of spaces comes back as it was given")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<rounds(20_000) {
      // Lowercase letters, because schemes are stored in lowercase.
      var bytes = (0..<4).map { _ in generator.pick(Array("abcdefhimnopqrstxyz0123459+-. ".utf8)) }
      if generator.number(in: 0..<4) == 0 {
        bytes[generator.number(in: 0..<4)] = generator.bytes(1)[0] | 0x80
      }
      let code = try #require(FourCharacterCode(exactly: ByteString(bytes)))
      expect(code.bytes, is: bytes)
      expect(FourCharacterCode(ofProtocol: code.protocolName), is: code)
      expect(FourCharacterCode(ofAuthenticationType: code.authenticationTypeName), is: code)
      expect(FourCharacterCode(abbreviating: code.name), is: code)
    }
  }
}
