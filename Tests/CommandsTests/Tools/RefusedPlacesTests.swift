import Bytes
import Keychain
import TestSupport
import Testing
import ToolCommands

@Suite("places where a password was refused") struct RefusedPlacesTests {
  private let folder = TemporaryFolder()
  private let now = SettableClock.start
  private var places: RefusedPlaces { RefusedPlaces(in: folder["state"]) }

  private func key(
    _ path: ByteString?, _ account: ByteString? = "alice", port: UInt16? = nil
  ) -> InternetPassword {
    InternetPassword(protocol: "https", server: "example.com", port: port, account: account, path: path)
  }

  @Test("are found for what is below, with .git and without, for the same login alone")
  func paths() {
    #expect(places.path(above: key("acme/app.git"), at: now) == nil)
    places.add(key("acme/"), at: now)
    places.add(key("other/app"), at: now)
    places.add(key("third/app.git"), at: now)
    #expect(places.path(above: key("acme"), at: now) == "acme")
    #expect(places.path(above: key("acme/sub/app.git", port: 443), at: now) == "acme")
    #expect(places.path(above: key("other/app.git"), at: now) == "other/app")
    #expect(places.path(above: key("third/app"), at: now) == "third/app.git")
    #expect(places.path(above: key("third/app.git/info/lfs"), at: now) == "third/app.git")
    #expect(places.path(above: key("third/app/x"), at: now) == nil)
    #expect(places.path(above: key("acmeister"), at: now) == nil)
    #expect(places.path(above: key("acme/../x"), at: now) == nil)
    let long = ByteString(String(repeating: "a/", count: 30_000))
    #expect(places.path(above: key(ByteString("acme/\(long)x.git")), at: now) == "acme")
    #expect(places.path(above: key(nil), at: now) == nil)
    #expect(places.path(above: key("acme/app.git", "bob"), at: now) == nil)
    #expect(places.path(above: key("acme/app.git", nil), at: now) == nil)
    #expect(places.path(above: key("acme/app.git", port: 8443), at: now) == nil)
    places.add(key("acme/app.git"), at: now)
    #expect(places.path(above: key("acme/app.git"), at: now) == "acme/app.git", "the last one")
    places.add(key("acme"), at: now)
    #expect(places.path(above: key("acme/app.git"), at: now) == "acme", "the last one")
  }

  @Test("are forgotten after an hour, and can't be read out of the file")
  func memory() throws {
    places.add(key("acme"), at: now)
    let before = Timestamp(seconds: now.seconds + 3599)
    let after = Timestamp(seconds: now.seconds + 3600)
    #expect(places.path(above: key("acme/app.git"), at: before) == "acme")
    #expect(places.path(above: key("acme/app.git"), at: after) == nil)
    #expect(places.path(above: key("acme/app.git"), at: Timestamp(seconds: now.seconds - 1)) == nil)
    places.add(key("other"), at: after)
    let text = String(decoding: try #require(folder.read("state/refused")), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 1)
    #expect(!text.utf8.contains(UInt8(ascii: "o")))
  }
}
