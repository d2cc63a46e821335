import Bytes
import Expectations
import Forwarding
import Testing

@testable import Commands

@Suite("places that people type for rules") struct TypedPlaceTests {
  @Test("a host alone is one for https", arguments: ["github.com", "*.corp.example", "github.com:8443/acme"])
  func host(typed: String) {
    let place = PlacePattern(typed: typed)
    expect(place != nil)
    expect(place == PlacePattern(parsing: ByteString("https://" + typed)))
  }

  @Test("what is a place already stays that", arguments: ["*", "service:db", "ssh://git.example"])
  func place(typed: String) {
    expect(PlacePattern(typed: typed) == PlacePattern(parsing: ByteString(typed)))
  }

  @Test(
    "other text is none",
    arguments: ["", "https://", "https://alice@github.com", "alice@github.com", "a b", "service:", "http:"])
  func none(typed: String) {
    expect(PlacePattern(typed: typed) == nil)
  }
}
