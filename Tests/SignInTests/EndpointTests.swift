import Expectations
import Testing

@testable import SignIn

struct EndpointTests {
  @Test(arguments: [
    ("https://Example.com", "https://example.com/"),
    ("https://example.com:443/a?b", "https://example.com/a?b"),
    ("https://example.com:8443/a", "https://example.com:8443/a"),
    ("HTTPS://example.com/%41", "https://example.com/%41"),
    ("https://[::1]:8443/", "https://[::1]:8443/"), ("http://127.0.0.1:80/a", "http://127.0.0.1/a"),
    ("http://localhost/", "http://localhost/"), ("https://example.com?x=1", "https://example.com/?x=1"),
  ])
  func isUsable(text: String, form: String) {
    expect(EndpointURL(text)?.text, is: form)
  }

  @Test(arguments: [
    "http://example.com/", "http://127.0.0.1.example.com/", "ftp://example.com/", "example.com", "https://",
    "https:///path", "https://user@example.com/", "https://example.com/#fragment", "https://example.com/a b",
    "https://example.com/\u{1b}", "https://example.com:0/", "https://example.com:65536/",
    "https://example.com:x/",
    "https://exa mple.com/", "https://[::1", "https://ex\u{e4}mple.com/",
    "https://a/" + String(repeating: "a", count: 2048),
    "https://evil.example\\@example.com/", "javascript:alert(1)",
  ])
  func isRefused(text: String) {
    expect(EndpointURL(text), is: nil)
  }

  @Test(
    "people write a host's letters as they are, and the name for name servers is used",
    arguments: [
      ("https://bücher.example", "https://xn--bcher-kva.example/"),
      ("https://B%C3%BCcher.example:8443/a%20b?c", "https://xn--bcher-kva.example:8443/a%20b?c"),
      ("https://git.ñandú.example:443/a", "https://git.xn--and-6ma2c.example/a"),
      ("https://bücher.example?x=1", "https://xn--bcher-kva.example/?x=1"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
      ("https://example.com/%C3%BC", "https://example.com/%C3%BC"),
      // What programs write in different ways, and what would be another host.
      ("https://straße.example/", nil), ("https://BÜCHER.example/", nil), ("https://example.com/ü", nil),
      ("https://a%2Fb.ü.example/", nil), ("https://a%40b.ü.example/", nil),
      ("https://evil.example%2F.ü.example/", nil), ("https://ü@example.com/", nil),
      ("https://ü.example#x", nil), ("http://bücher.example/", nil), ("https://%FF.example/", nil),
    ] as [(String, String?)])
  func typed(text: String, form: String?) {
    expect(EndpointURL(typed: text)?.text, is: form)
    // A server writes the other form.
    if !text.hasPrefix("https://xn--"), !text.hasPrefix("https://example.com/%") {
      expect(EndpointURL(text), is: nil)
    }
  }

  @Test("a relative endpoint stays on its server")
  func relative() throws {
    let server = try #require(EndpointURL("https://example.com:8443/x"))
    expect(server.resolving("/token")?.text, is: "https://example.com:8443/token")
    expect(server.resolving("token")?.text, is: "https://example.com:8443/token")
    expect(server.resolving("//evil.example/token"), is: nil)
    expect(server.resolving("https://login.example/token")?.text, is: "https://login.example/token")
    expect(server.resolving("http://login.example/token"), is: nil)
  }

  @Test("an endpoint keeps its own query (RFC 6749 section 3.1)")
  func query() throws {
    try expect(#require(EndpointURL("https://a.example/x")).adding("b=c"), is: "https://a.example/x?b=c")
    try expect(#require(EndpointURL("https://a.example/x?a")).adding("b=c"), is: "https://a.example/x?a&b=c")
    try expect(#require(EndpointURL("https://a.example/x?")).adding("b=c"), is: "https://a.example/x?b=c")
  }

  @Test(arguments: [
    ("http://127.0.0.1", "http://127.0.0.1:99", "/"), ("http://127.0.0.1/", "http://127.0.0.1:99/", "/"),
    ("http://localhost/cb", "http://localhost:99/cb", "/cb"),
    ("http://127.0.0.1:7171/", "http://127.0.0.1:7171/", "/"),
    ("http://[::1]", "http://[::1]:99", "/"),
  ])
  func redirections(uri: String, sent: String, path: String) throws {
    let redirection = try #require(Redirection(uri))
    expect(redirection.text(port: 99), is: sent)
    expect(redirection.path, is: path)
  }

  @Test(arguments: [
    "https://example.com/", "http://example.com/", "urn:ietf:wg:oauth:2.0:oob", "http://127.0.0.1/?a", "",
  ])
  func noRedirection(uri: String) {
    expect(Redirection(uri) == nil)
  }
}
