import Expectations
import Keychain
import TestSupport
import Testing

@Suite("names of items") struct ItemNameTests {
  @Test("an item is named by its label, or by its key")
  func names() {
    var labelled = Item.internet(account: "alice")
    labelled.label = "work"
    expect(labelled.name, is: "work")
    labelled.label = ""
    expect(labelled.name, is: "https://example.com (alice)")
    expect(Item.internet(path: "acme/app", port: 8443).name, is: "https://example.com:8443/acme/app")
    expect(Item.internet(port: 443).name, is: "https://example.com")
    expect(Item.internet("::1", port: 80).name, is: "https://[::1]:80")
    expect(Item.internet(nil, account: "", path: "/k.pem", protocol: "cert").name, is: "cert:///k.pem ()")
    expect(Item.internet(nil, path: "k.pem", protocol: "cert").name, is: "cert:///./k.pem")
    expect(Item.internet(path: "100%/a b\u{e9}").name, is: "https://example.com/100%25/a%20b\u{e9}")
    expect(Item.internet(path: "/a/").name, is: "https://example.com/%2Fa/")
    expect(Item.internet(account: "a", domain: "docker").name, is: "https://example.com (a) for docker")
    expect(labelled.key.name, is: "https://example.com (alice)")
    expect(labelled.key.place, is: "https://example.com")
    expect(Item.generic("aws:x", account: "id").name, is: "aws:x (id)")
    expect(Item.generic("aws:x").name, is: "aws:x")
  }

  @Test(
    "a protocol's own port is known",
    arguments: [
      ("https", 443), ("HTTP", 80), ("ssh", 22), ("sftp", 22), ("ftp", 21), ("ftps", 990), ("git", 9418),
      ("smtp", 25), ("smtps", 465), ("submission", 587), ("submissions", 465), ("imap", 143), ("imaps", 993),
      ("pop3", 110), ("pop3s", 995),
      ("ldap", 389),
      ("ldaps", 636), ("svn", 3690), ("socks5", 1080), ("cert", nil), ("", nil),
    ] as [(String, UInt16?)])
  func ports(scheme: String, port: UInt16?) {
    expect(InternetPassword.defaultPort(of: ByteString(scheme)), is: port)
  }
}
