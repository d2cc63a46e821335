import Age
import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("What newer versions wrote")
struct SurvivalTests {
  @Test("unknown members of records and of the first line survive a change")
  func members() throws {
    let place = Place()
    var vault = try HandMadeVault(servers: ["a.example", "b.example"])
    vault.records = vault.records.map {
      Array($0.dropLast()) + Array(#","x":{"y":[1, "é\u00e9"]},"old":null}"#.utf8)
    }
    vault.head.append(("dev", #"{"name": "laptop", "n":[ ]}"#))
    try vault.install(at: place)
    let keychain = place.keychain()
    let first = try #require(try keychain.items(matching: query("a.example")).first)
    try keychain.update(first, Credential(password: "changed"))
    try keychain.add(servers: ["c.example"])
    let after = try ReadBack(try place.plaintext())
    expect(after.head.head.otherMembers.map { text($0.name) }, is: ["dev"])
    expect(after.head.head.otherMembers.map { text($0.value) }, is: [#"{"name": "laptop", "n":[ ]}"#])
    expect(after.records.count, is: 4, "the former secret is kept, behind the others")
    for record in after.records[..<2] {
      expect(text(record.content).hasSuffix(#","x":{"y":[1, "é\u00e9"]},"old":null}"#))
    }
    expect(text(after.records[0].content).contains(#""secret":"changed""#))
  }

  @Test("unknown stanzas of ours, slots of unknown kinds and further arguments survive a change")
  func stanzas() throws {
    let place = Place()
    var vault = try HandMadeVault()
    vault.stanzas = [
      try Stanza(type: "llavero/vault", arguments: ["1", vault.uuid, "more"], body: [9]),
      try Stanza(type: "llavero/slot", arguments: ["1", "00ff00ff00ff00ff", "tpm"], body: [1, 2, 3]),
      try Stanza(type: "llavero/slot", arguments: ["1", "ff00ff00ff00ff00", "tpm", "more"], body: [5]),
      try Stanza(type: "llavero/slot", arguments: ["2", "X", "y", "z"], body: [4]),
      try Stanza(type: "llavero/future", arguments: ["a"], body: [UInt8](repeating: 7, count: 96)),
    ]
    try vault.install(at: place)
    try place.keychain().add(servers: ["d.example"])
    try expect(place.header.stanzas.dropFirst(), is: vault.stanzas?[...])
  }

  @Test("a newer version that lets this one read and write is read and written")
  func newerMinor() throws {
    let place = Place()
    var vault = try HandMadeVault()
    vault.head = [("v", "9")]
    try vault.install(at: place)
    try expect(place.keychain().servers(), is: ["a.example", "b.example", "c.example"])
    try place.keychain().add(servers: ["d.example"])
    try expect(place.keychain().servers().count, is: 4)
  }

  @Test("much that is unknown in the first line doesn't make a vault of middling size unreadable")
  func longFirstLine() throws {
    let place = Place()
    var vault = try HandMadeVault(servers: [])
    vault.head = [("future", "\"" + String(repeating: "f", count: 20_000) + "\"")]
    try vault.install(at: place)
    let keychain = place.keychain()
    let servers = (0..<1100).map { "h\($0).example" }
    // Up to the threshold in small steps: at some point the first line makes the difference.
    try keychain.add(servers: Array(servers[..<780]))
    for start in stride(from: 780, to: 1100, by: 20) {
      try keychain.add(servers: Array(servers[start..<start + 20]))
      let found = try? place.keychain().items(matching: query("h\(start).example"))
      expect(found?.count, is: 1, "with \(start + 20) items")
    }
  }

  @Test("a large vault without an index, as somebody else may write one, is searched whole")
  func noIndex() throws {
    let place = Place()
    let vault = try HandMadeVault(servers: (0..<1500).map { "h\($0).example" })
    try vault.install(at: place)
    try expect(contents(of: place.vault).count > VaultPadding.randomAccessThreshold)
    try expect(place.keychain().servers().count, is: 1500)
    let keychain = place.keychain()
    try expect(
      keychain.items(matching: query("h77.example")).map { try keychain.secret(of: $0) },
      is: [
        "secret-h77.example"
      ])
  }
}
