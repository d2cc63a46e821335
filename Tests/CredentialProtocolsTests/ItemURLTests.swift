import Expectations
import Keychain
import Testing

@testable import CredentialProtocols

@Suite("the URL of an item")
struct ItemURLTests {
  @Test(
    "what a URL can't have is escaped, and what goes without saying is left out",
    arguments: [
      (InternetPassword(protocol: "https", server: "a.example", port: 443), "https://a.example"),
      (
        InternetPassword(protocol: "http", server: "::1", port: 443, path: "c++/b c"),
        "http://[::1]:443/c++/b%20c"
      ),
      (InternetPassword(protocol: "https", server: "a%b@c/d", account: "e@f"), "https://a%25b%40c%2Fd"),
      (InternetPassword(protocol: "", server: "a.example", port: 1), "a.example:1"),
    ])
  func url(key: InternetPassword, url: String) throws {
    expect(key.url(), is: url)
    guard !key.protocol.isEmpty else { return }
    let (place, account) = try Place.parse(ByteString(try #require(key.url(withAccount: true))))
    expect(account, is: key.account)
    expect(
      place,
      is: Place(protocol: key.protocol, server: try #require(key.server), port: key.port, path: key.path)
    )
  }

  @Test("without a server there is none")
  func none() {
    expect(InternetPassword(protocol: "https", server: nil, account: "a").url(), is: nil)
  }
}
