import Age
import Bytes
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("The layout of a vault")
struct LayoutTests {
  static let chunk = PayloadLayout.chunkSize

  @Test("a small vault's first line has just the members of the format, in their order")
  func firstLine() throws {
    let place = Place()
    try place.keychain(clock: { Timestamp(milliseconds: 1_796_000_000_125) }).add(servers: [
      "b.example", "a.example",
    ])
    let all = lines(try place.plaintext())
    var members: [(String, String)] = []
    try Array(all[0]).withUnsafeBytes { line in
      try JSONReader.members(of: line) { name, value in members.append((text(name), text(value.raw))) }
    }
    expect(
      members.map(\.0),
      is: [
        "app", "v", "min_reader", "min_writer", "uuid", "gen", "prev", "written", "n", "bytes", "auth",
      ])
    expect(members[0].1, is: #""llavero""#)
    expect(members[1...3].map(\.1), is: ["1", "1", "1"])
    expect(isUUID(String(members[4].1.dropFirst().dropLast())))
    expect(members[5].1, is: "1")
    expect(members[6].1, is: #""""#)
    expect(members[7].1, is: "\"\(Timestamp(milliseconds: 1_796_000_000_125))\"")
    expect(members[8].1, is: "2")
    expect(members[9].1, is: String(all[1].count + all[2].count + 2))
    expect(members[10].1.utf8.count, is: 2 + 44)
  }

  @Test("a record is one line: its key, its name, its dates, its attributes, its secret")
  func record() throws {
    let place = Place()
    let keychain = place.keychain(clock: { Timestamp(milliseconds: 0) })
    let added = try keychain.add(
      Item(
        .internetPassword(
          InternetPassword(
            protocol: "https", server: "Git.Example", port: 8443, account: "a b\"%", path: "x/y",
            securityDomain: "docker")), label: "my \"label\""),
      Credential(Secret("s\n\u{1b}é"), expiry: 12, refreshToken: Secret("t")))
    let id = try #require(added.reference).bytes
    expect(
      text(lines(try place.plaintext())[1]),
      is: #"{"k":"internet git.example https 8443 docker a%20b%22%25 x/y ","id":"\#(id)","rev":1,"#
        + #""created":"1970-01-01T00:00:00.000Z","modified":"1970-01-01T00:00:00.000Z","#
        + #""class":"internet","server":"Git.Example","protocol":"https","port":8443,"account":"a b\"%","#
        + #""path":"x/y","securityDomain":"docker","label":"my \"label\"","secret":"s\n\u001bé","#
        + #""password_expiry_utc":12,"oauth_refresh_token":"t"}"#)
  }

  @Test("lines of any length that are added are there, in their order, and go away again")
  func addedLines() {
    var lines = VaultLines()
    let before = lines.savepoint
    var wanted: [[UInt8]] = []
    for (number, size) in [20, 1 << 20, 3 << 20, 30, (1 << 20) - 20, 600_000, 600_000, 20].enumerated() {
      let key = Array("{\"k\":\"\(number * 7 % 8)".utf8)
      let line = key + [UInt8](repeating: UInt8(ascii: "a") + UInt8(number), count: size)
      let inserted = [true, false].map { _ in line.withUnsafeBytes { lines.insert(Secret(copying: $0)) } }
      expect(inserted, is: [true, false])
      wanted.append(line)
    }
    wanted.sort { $0.lexicographicallyPrecedes($1) }
    let byteCount = lines.byteCount
    expect(byteCount, is: wanted.reduce(0) { $0 + $1.count + 1 })
    let all = (0..<lines.count).map { lines.withLine($0) { Array($0) } }
    expect(all, is: wanted)
    lines.remove(0)
    let first = lines.withLine(0) { Array($0) }
    expect(first, is: wanted[1])
    lines.restore(before)
    let count = lines.count
    expect(count, is: 0)
  }

  @Test(
    "a vault's plaintext is padded: Padmé, and never less than 4 KiB",
    arguments: [
      (0, 4096), (1, 4096), (4096, 4096), (4097, 4352), (9000, 9216), (65537, 67584), (100_000, 100_352),
      (262_144, 262_144), (262_145, 270_336), (1 << 20, 1 << 20), ((1 << 20) + 1, (1 << 20) + 32768),
    ])
  func padding(size: Int, padded: Int) {
    expect(VaultPadding.paddedSize(size), is: padded)
  }

  @Test("padding costs at most 12 percent and is never less than what it pads")
  func paddingBound() {
    var numbers = SeededGenerator(seed: 1)
    for _ in 0..<rounds(10_000) {
      let size = Int.random(in: 4097...64 << 20, using: &numbers)
      let padded = VaultPadding.paddedSize(size)
      expect(padded >= size && Double(padded) <= Double(size) * 1.12)
      expect(VaultPadding.paddedSize(padded), is: padded)
    }
  }

  @Test("the size on disk doesn't tell one item from ten")
  func sizes() throws {
    let (one, ten) = (Place(), Place())
    try one.keychain().add(servers: ["a.example"])
    try ten.keychain().add(servers: (0..<10).map { "\($0).example" })
    try expect(contents(of: one.vault).count, is: contents(of: ten.vault).count)
    try expect(one.plaintext().count, is: 4096)
  }

  @Test(
    "a large vault is laid out by chunks, whatever its items",
    arguments: [(700, 1), (900, 2), (1500, 3), (4000, 4)])
  func largeLayout(count: Int, seed: UInt64) throws {
    let place = Place()
    var numbers = SeededGenerator(seed: seed)
    try RandomItems.fill(place.keychain(), count, &numbers)
    let vault = try ReadBack(try place.plaintext())
    expect(vault.plaintext.count > VaultPadding.randomAccessThreshold)
    vault.expectLargeLayout()
  }

  @Test("a record larger than a chunk begins at a chunk's start")
  func largeRecords() throws {
    let place = Place()
    var numbers = SeededGenerator(seed: 5)
    let keychain = place.keychain()
    try RandomItems.fill(keychain, 200, &numbers)
    try keychain.exclusively { () throws(KeychainError) in
      for number in 0..<12 {
        var large = item("large\(number * 7919 % 12).example")
        large.label = ByteString(numbers.bytes(60_000))
        try keychain.add(large, Credential(password: "large\(number)"))
      }
    }
    let vault = try ReadBack(try place.plaintext())
    let large = vault.records.filter { $0.content.count >= Self.chunk }
    expect(large.count >= 12)
    for record in large { expect(record.start % Self.chunk, is: 0) }
    vault.expectLargeLayout()
    for number in 0..<12 {
      let found = try place.keychain().items(matching: query("large\(number).example"))
      expect(found.count, is: 1)
    }
  }

  @Test(
    "a record that fills a chunk to the last byte stays in it, and one byte more goes to the next",
    arguments: -3...3)
  func exactFit(excess: Int) throws {
    var records = VaultLines()
    for number in 0..<70 {
      let start = #"{"k":"internet h\#(100 + number) ""#
      let size = 4096 + (number == 0 ? excess : 0)
      let rest = #","x":""# + String(repeating: "x", count: size - start.utf8.count - 9) + "\"}"
      records.insert(Secret(start + rest))
    }
    let head = VaultHead(first: 1)
    let text = try VaultText(records, head) { head, index in
      var json = JSONWriter()
      json.head(head, version: 1, uuid: "", authentication: [], index: index)
      return json.finish()
    }
    let vault = try ReadBack(text.bytes(of: records))
    expect(vault.records.count, is: 70)
    vault.expectLargeLayout()
    // Spaces are only needed if a record doesn't fit.
    expect(vault.records.contains { $0.end - $0.start > $0.content.count + 1 }, is: excess != 0)
    expect(vault.records.count { ($0.start - vault.head.size) / Self.chunk == 0 }, is: excess > 0 ? 15 : 16)
  }

  @Test("an index of separators longer than a chunk makes a first line of several chunks")
  func largeIndex() throws {
    let place = Place()
    let keychain = place.keychain()
    let common = String(repeating: "p", count: 50_000)
    try keychain.exclusively { () throws(KeychainError) in
      for number in 0..<8 {
        try keychain.add(item("a.example", common + String(number)), Credential(password: "s\(number)"))
      }
    }
    let vault = try ReadBack(try place.plaintext())
    expect(vault.head.size > Self.chunk)
    vault.expectLargeLayout()
    for number in 0..<8 {
      let keychain = place.keychain()
      let found = try keychain.items(matching: query("a.example", common + String(number)))
      expect(found.count, is: 1)
      try expect(found.first.map { try keychain.secret(of: $0) }, is: "s\(number)")
    }
  }

  @Test("a vault that grows over the threshold and shrinks below it stays whole")
  func growingAndShrinking() throws {
    let place = Place()
    let clock = SettableClock()
    let keychain = place.keychain(clock: clock.read)
    let servers = (0..<1200).map { "host\($0).example" }
    try keychain.add(servers: Array(servers[..<10]))
    for range in [10..<600, 600..<700, 700..<1200] {
      try keychain.add(servers: Array(servers[range]))
      try expect(place.keychain().servers(), is: servers[..<range.upperBound].sorted())
    }
    try ReadBack(try place.plaintext()).expectLargeLayout()
    for left in [700, 600, 10, 0] {
      let remaining = Set(servers[..<left].map { item($0).key })
      let gone = try keychain.items(matching: .all).filter { !remaining.contains($0.key) }
      try keychain.delete(gone)
      try expect(place.keychain().servers(), is: servers[..<left].sorted())
    }
    // The marks of deletions stay for 180 days.
    try keychain.compact()
    try expect(place.plaintext().count > 4096)
    clock.advance(seconds: 181 * 86_400)
    try keychain.compact()
    try expect(place.plaintext().count, is: 4096)
  }
}
