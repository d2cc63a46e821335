import Bytes
import Expectations
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
    expect(places.path(above: key("acme/app.git"), at: now), is: nil)
    places.add(key("acme/"), at: now)
    places.add(key("other/app"), at: now)
    places.add(key("third/app.git"), at: now)
    expect(places.path(above: key("acme"), at: now), is: "acme")
    expect(places.path(above: key("acme/sub/app.git", port: 443), at: now), is: "acme")
    expect(places.path(above: key("other/app.git"), at: now), is: "other/app")
    expect(places.path(above: key("third/app"), at: now), is: "third/app.git")
    expect(places.path(above: key("third/app.git/info/lfs"), at: now), is: "third/app.git")
    expect(places.path(above: key("third/app/x"), at: now), is: nil)
    expect(places.path(above: key("acmeister"), at: now), is: nil)
    expect(places.path(above: key("acme/../x"), at: now), is: nil)
    let long = ByteString(String(repeating: "a/", count: 30_000))
    expect(places.path(above: key(ByteString("acme/\(long)x.git")), at: now), is: "acme")
    expect(places.path(above: key(nil), at: now), is: nil)
    expect(places.path(above: key("acme/app.git", "bob"), at: now), is: nil)
    expect(places.path(above: key("acme/app.git", nil), at: now), is: nil)
    expect(places.path(above: key("acme/app.git", port: 8443), at: now), is: nil)
    places.add(key("acme/app.git"), at: now)
    expect(places.path(above: key("acme/app.git"), at: now), is: "acme/app.git", "the last one")
    places.add(key("acme"), at: now)
    expect(places.path(above: key("acme/app.git"), at: now), is: "acme", "the last one")
  }

  @Test("are forgotten after an hour, and can't be read out of the file")
  func memory() throws {
    places.add(key("acme"), at: now)
    let before = Timestamp(seconds: now.seconds + 3599)
    let after = Timestamp(seconds: now.seconds + 3600)
    expect(places.path(above: key("acme/app.git"), at: before), is: "acme")
    expect(places.path(above: key("acme/app.git"), at: after), is: nil)
    expect(places.path(above: key("acme/app.git"), at: Timestamp(seconds: now.seconds - 1)), is: nil)
    places.add(key("other"), at: after)
    let text = String(decoding: try #require(folder.read("state/refused")), as: UTF8.self)
    expect(text.split(separator: "\n").count, is: 1)
    expect(!text.utf8.contains(UInt8(ascii: "o")))
  }
}
