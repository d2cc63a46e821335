import Expectations
import Keychain
import TestSupport
import Testing
import ToolCommands

@testable import Commands

@Suite("another key") struct KeyChangeTests {
  private static func applied(_ change: KeyChange, to item: Item) throws(KeychainError) -> Item.Key {
    var key = item.key
    try change.apply(to: &key)
    return key
  }

  private static let full = Item.internet(
    account: "alice", path: "team", port: 8443, domain: "docker", authenticationType: "form")

  @Test("what isn't given stays, and an empty text removes")
  func changes() throws {
    try expect(Self.applied(KeyChange(), to: Self.full), is: Self.full.key)
    expect(KeyChange().isEmpty)
    let none = KeyChange([.port: "", .account: "", .path: "", .securityDomain: "", .authenticationType: ""])
    expect(!none.isEmpty)
    try expect(Self.applied(none, to: Self.full), is: Item.internet().key)
    let other = KeyChange([
      .server: "other.example", .protocol: "ssh", .port: "22", .account: "bob", .path: "/a/",
      .securityDomain: "cargo",
      .authenticationType: "x",
    ])
    try expect(
      Self.applied(other, to: Self.full),
      is: Item.internet(
        "other.example", account: "bob", path: "a", protocol: "ssh", port: 22, domain: "cargo",
        authenticationType: "x"
      ).key)
    try expect(
      Self.applied(KeyChange([.account: "bob", .service: "b"]), to: .generic("a", account: "alice")),
      is: Item.generic("b", account: "bob").key)
  }

  @Test("an address may have brackets", arguments: ["::1", "[::1]", "fe80::1"])
  func addresses(text: String) throws {
    let expected = text.hasPrefix("[") ? "::1" : text
    try expect(KeyChange.server(text), is: ByteString(expected))
  }

  @Test(
    "what is no host, scheme or port is refused",
    arguments: [
      KeyChange([.server: "https://a.example"]), KeyChange([.server: "a.example:80"]),
      KeyChange([.server: "a/b"]),
      KeyChange([.server: "[::1]:80"]), KeyChange([.server: "[a]"]), KeyChange([.protocol: ""]),
      KeyChange([.protocol: "1a"]),
      KeyChange([.protocol: "https:"]), KeyChange([.port: "0"]), KeyChange([.port: "65536"]),
      KeyChange([.port: "+1"]),
      KeyChange([.port: "x"]), KeyChange([.service: "x"]),
    ])
  func refused(change: KeyChange) {
    let failure = #expect(throws: KeychainError.self) { try Self.applied(change, to: Self.full) }
    expect(failure?.status, is: .usage)
  }

  @Test("a service has neither server nor port")
  func ofService() {
    #expect(throws: KeychainError.self) {
      try Self.applied(KeyChange([.server: "a.example"]), to: .generic("a"))
    }
    #expect(throws: KeychainError.self) { try Self.applied(KeyChange([.port: ""]), to: .generic("a")) }
  }
}
