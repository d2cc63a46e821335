import Bytes
import Expectations
import Forwarding
import Testing

@testable import Commands

@Suite("places that people type for rules") struct TypedPlaceTests {
  @Test(
    "a host alone is one for https, and what is a place already stays that",
    arguments: [
      ("github.com", "https://github.com"), ("*.corp.example", "https://*.corp.example"),
      ("github.com:8443/acme", "https://github.com:8443/acme"), ("*", "*"), ("service:db", "service:db"),
      ("ssh://git.example", "ssh://git.example"),
    ])
  func place(typed: String, place: String) {
    expect(PlacePattern(typed: typed) != nil)
    expect(PlacePattern(typed: typed) == PlacePattern(parsing: ByteString(place)))
  }

  @Test(
    "other text is none",
    arguments: ["", "https://", "https://alice@github.com", "alice@github.com", "a b", "service:", "http:"])
  func none(typed: String) {
    expect(PlacePattern(typed: typed) == nil)
  }
}
