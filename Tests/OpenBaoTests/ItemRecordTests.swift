import Bytes
import Expectations
import Keychain
import OpenBao
import TestSupport
import Testing

/// A reply with this body.
func serverReply(_ body: String, status: Int = 200) -> ServerReply {
  ServerReply(status: status, body: Secret(body))
}

func shown(_ secret: borrowing Secret) -> String {
  secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

struct ItemRecordTests {
  /// A record as it comes back.
  private func returned(_ record: borrowing ItemRecord) throws -> ItemRecord {
    let path = try ItemPath(record.item.key)
    let text = record.encoded(inVersion: 3)
    return try text.withUnsafeBytes {
      try ItemRecord(parsing: $0, at: path, inVersion: 3, writtenAt: Timestamp(seconds: 5))
    }
  }

  @Test("every value is a string, and reads as a person would write it")
  func strings() throws {
    var item = Item.internet(account: "alice", port: 8443)
    item.isDefault = true
    item.label = "Mine"
    item.generic = attribute([0xff])
    let record = ItemRecord(
      item, Credential(Secret("p\u{e4}ss"), expiry: 9_007_199_254_740_993), created: Timestamp(seconds: 0))
    expect(
      shown(record.encoded(inVersion: 3)),
      is: #"{"class":"internet","server":"example.com","protocol":"https","port":"8443","account":"alice","#
        + #""label":"Mine","isDefault":"true","attributes":"{\"gena_b64\":\"/w==\"}","secret":"päss","#
        + #""password_expiry_utc":"9007199254740993","created":"1970-01-01T00:00:00.000Z"}"#)
  }

  @Test("every item comes back as it was")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<rounds(5000) {
      var item = Item(generator.key())
      item.label = generator.optional()
      item.comment = generator.optional()
      item.isDefault = generator.number(in: 0..<2) == 0
      item.generic = generator.optional()
      if generator.number(in: 0..<4) == 0 {
        item.addField("Door", "open")
        item.tags = ["Work"]
      }
      if generator.number(in: 0..<4) == 0 {
        var lookup = LookupAttributes()
        lookup["a\"b"] = "c\\d"
        item.secretService.lookup = lookup
      }
      var credential = Credential(Secret(copying: generator.text()))
      if generator.number(in: 0..<2) == 0 { credential.expiry = Int64(bitPattern: generator.next()) }
      if generator.number(in: 0..<2) == 0 { credential.refreshToken = Secret(copying: generator.text()) }
      credential.authenticationScheme = generator.optional()
      let read = try returned(ItemRecord(item, credential.copy(), created: Timestamp(seconds: 1)))
      var expected = item
      expected.creationDate = Timestamp(seconds: 1)
      expected.modificationDate = Timestamp(seconds: 5)
      expect(read.item, is: expected)
      let isSame =
        read.credential.hasSameSecret(as: credential) && read.credential.hasSameRefreshToken(as: credential)
      expect(isSame)
      expect(read.credential.expiry, is: credential.expiry)
      expect(shown(read.others), is: "{}")
    }
  }

  private func read(_ text: String, at path: String) throws -> ItemRecord {
    let path = try #require(ItemPath(parsing: path))
    let secret = Secret(text)
    return try secret.withUnsafeBytes {
      try ItemRecord(parsing: $0, at: path, inVersion: 3, writtenAt: Timestamp(seconds: 5))
    }
  }

  @Test("the client of a token comes back, stays with it, and is no member that somebody else has added")
  func client() throws {
    let item = Item.internet(account: "alice")
    var record = ItemRecord(item, Credential(Secret("token")), created: nil)
    record.client = Secret(#"{"client_id":"web \"1\""}"#)
    let read = try returned(record)
    expect(shown(read.others), is: "{}")
    expect(
      shown(record.encoded(inVersion: 3)).hasSuffix(#""oauth_client":"{\"client_id\":\"web \\\"1\\\"\"}"}"#))
    var next = ItemRecord(item, Credential(Secret("next")), created: nil)
    expect(clientText(read), is: #"{"client_id":"web \"1\""}"#)
    expect(clientText(next), is: nil)
    next.takeRest(of: read)
    expect(clientText(next), is: #"{"client_id":"web \"1\""}"#)
  }

  private func clientText(_ record: borrowing ItemRecord) -> String? {
    switch record.copyOfClient() {
    case .some(let client): shown(client)
    case .none: nil
    }
  }

  @Test("each write has another identifier, which comes back, and is no member that somebody else has added")
  func writeID() throws {
    var record = ItemRecord(.internet(account: "alice"), Credential(Secret("s")), created: nil)
    expect(record.writeID, is: nil)
    record.beginWrite()
    let first = record.writeID
    let read = try returned(record)
    expect(first != nil && read.writeID == first)
    expect(shown(read.others), is: "{}")
    record.takeRest(of: read)
    record.beginWrite()
    expect(record.writeID != first)
  }

  @Test("the tokens before are known, the last eight of them, and only of what can be renewed")
  func replaced() throws {
    let item = Item.internet(account: "alice")
    var record = ItemRecord(item, Credential(Secret("token 0"), refreshToken: Secret("r")), created: nil)
    for number in 1...10 {
      var next = ItemRecord(
        item, Credential(Secret("token \(number)"), refreshToken: Secret("r")), created: nil)
      next.takeRest(of: record)
      record = try returned(next)
    }
    let isKnown = (0...11).map { record.hasReplaced(Secret("token \($0)")) }
    expect(isKnown, is: (0...11).map { 2...9 ~= $0 })
    var plain = ItemRecord(item, Credential(Secret("password")), created: nil)
    plain.takeRest(of: ItemRecord(item, Credential(Secret("former")), created: nil))
    let isReplaced = plain.hasReplaced(Secret("former"))
    expect(!isReplaced)
  }

  @Test(
    "a lease ends when it was seen for its time, whatever the clock says",
    arguments: [0, -7200, 7200, -86_000])
  func lease(ahead: Int64) {
    let now = Timestamp(seconds: 1_000_000)
    let lease = RenewalLease(
      version: 1, seconds: 90, word: "a", created: Timestamp(seconds: now.seconds + ahead))
    expect(89...90 ~= lease.left(at: now))
    let former = RenewalLease(version: 1, seconds: 90, word: "a", created: Timestamp(seconds: 1))
    expect(former.left(at: now), is: 0)
    expect(RenewalLease(version: 1, seconds: 0, word: "a", created: nil).left(at: now), is: 0)
  }

  @Test(
    "a service is left alone for as long as it says, with the token that it was asked with, and never for long"
  )
  func pause() {
    let now = Timestamp(seconds: 1_000_000)
    func left(_ pause: Int, written ago: Int64, version: Int = 7) -> Int {
      RenewalLease(
        version: 1, seconds: 0, word: "a", created: Timestamp(seconds: now.seconds - ago), pause: pause,
        pausedVersion: version
      ).pauseLeft(ofVersion: 7, at: now)
    }
    expect(left(600, written: 0), is: 600)
    expect(left(600, written: 100), is: 500)
    expect(left(600, written: 600), is: 0)
    expect(left(600, written: 100, version: 6), is: 0)
    // What no service says, and what can't be dated here.
    for pause in [-1, 0, 3601, .max, .min] { expect(left(pause, written: 1), is: 0) }
    expect(left(3600, written: -60), is: 3600)
    expect(left(3600, written: -61), is: 0)
    expect(
      RenewalLease(version: 1, seconds: 0, word: "a", created: nil, pause: 60).pauseLeft(
        ofVersion: 0, at: now), is: 0)
  }

  @Test("what a person wrote by hand needs nothing but a secret")
  func byHand() throws {
    let record = try read(#"{"secret":"s","note":"mine"}"#, at: "https/h/443/-/ci/-/-")
    expect(record.item.key, is: Item.internet("h", account: "ci", port: 443).key)
    expect(shown(record.credential.secret), is: "s")
    expect(record.created, is: nil)
    // What isn't an item's is kept.
    expect(shown(record.encoded(inVersion: 3)).contains(#""note":"mine""#))
  }

  @Test(
    "a date from another keychain is that of one version alone",
    arguments: [
      (#""modified":"1970-01-01T00:00:01.000Z","modified_version":"3""#, 1),
      (#""modified":"1970-01-01T00:00:01.000Z","modified_version":"2""#, 5),
      (#""modified":"1970-01-01T00:00:01.000Z""#, 5), (#""modified_version":"3""#, 5),
    ])
  func modified(members: String, date: Int64) throws {
    let record = try read(#"{"secret":"s",\#(members)}"#, at: "https/h/443/-/ci/-/-")
    expect(record.item.modificationDate, is: Timestamp(seconds: date))
    // What doesn't count any more isn't kept.
    let written = shown(record.encoded(inVersion: 3))
    expect(written.contains("modified"), is: date == 1)
    try expect(read(written, at: "https/h/443/-/ci/-/-").item, is: record.item)
  }

  @Test(
    "what belongs elsewhere, or is none, is no item",
    arguments: [
      #"{"class":"internet","protocol":"https","server":"other","account":"ci","secret":"s"}"#,
      #"{"account":"other","secret":"s"}"#, #"{"class":"internet","protocol":"https","server":"h"}"#,
      #"{"note":"mine"}"#, #"{"secret":1}"#, #"{"secret":"s","port":"1,\"secret\":\"t\""}"#,
      #"{"secret":"s","port":""}"#, #"{"secret":"s","attributes":"[]"}"#, #"{"secret":"s","created":"now"}"#,
      #"{"class":"internet","protocol":"https","server":"h","account":"ci","secret_b64":"%"}"#,
    ])
  func foreign(text: String) {
    #expect(throws: JSONReader.Malformed.self) { _ = try read(text, at: "https/h/443/-/ci/-/-") }
  }

  private func outcome(_ body: String, status: Int = 200) throws -> String {
    let path = try #require(ItemPath(parsing: "https/h/443/-/ci/-/-"))
    switch try ReadOutcome(serverReply(body, status: status), at: path) {
    case .record(let record, let version): return "\(shown(record.credential.secret)) \(version.number)"
    case .foreign(let version): return "foreign \(version.number)"
    case .moved(let path, let version): return "moved to \(path) \(version.number)"
    case .deleted(let version): return "deleted \(version.number)"
    case .absent: return "absent"
    }
  }

  @Test("a read tells an item from a deleted one, a foreign one and none")
  func reads() throws {
    let metadata =
      #""metadata":{"created_time":"2026-11-25T13:38:41.123456789Z","custom_metadata":null,"deletion_time":"","destroyed":false,"version":3}"#
    try expect(outcome(#"{"data":{"data":{"secret":"s"},\#(metadata)},"errors":null}"#), is: "s 3")
    try expect(outcome(#"{"data":{"data":{"password":"s"},\#(metadata)}}"#), is: "foreign 3")
    let deleted = metadata.replacing(
      "\"deletion_time\":\"\"", with: "\"deletion_time\":\"2026-11-25T13:38:41Z\"")
    try expect(outcome(#"{"data":{"data":null,\#(deleted)}}"#, status: 404), is: "deleted 3")
    let later = metadata.replacing(
      "\"deletion_time\":\"\"", with: "\"deletion_time\":\"2999-11-25T13:38:41Z\"")
    try expect(outcome(#"{"data":{"data":{"secret":"s"},\#(later)}}"#), is: "s 3")
    try expect(
      outcome(#"{"data":{"data":null,"metadata":{"version":3,"destroyed":true}}}"#, status: 404),
      is: "deleted 3")
    let moved = #"{"data":{"data":{"moved":"https/other/443/-/ci/-/-"},\#(metadata)}}"#
    try expect(outcome(moved), is: "moved to https/other/443/-/ci/-/- 3")
    try expect(outcome(#"{"errors":[]}"#, status: 404), is: "absent")
    for body in [
      "", "[]", "{}", #"{"data":{"data":{"secret":"s"}}}"#, #"{"data":{"data":{},"metadata":{"version":0}}}"#,
    ] {
      #expect(throws: JSONReader.Malformed.self) { _ = try outcome(body) }
    }
  }

  @Test("a complaint is known by its text")
  func complaints() {
    func complaint(_ text: String) -> ServerReply.Complaint {
      serverReply(#"{"errors":["\#(text)"]}"#, status: 400).complaint()
    }
    expect(complaint("check-and-set parameter did not match the current version"), is: .wrongVersion)
    expect(complaint("no handler for route \\\"x/data/y\\\". route entry not found."), is: .noRoute)
    expect(complaint("Waiting for the primary to upgrade to a newer version"), is: .waitingForPrimary)
    expect(complaint("Vault is sealed"), is: .sealed)
    expect(complaint("1 error occurred"), is: .other)
    expect(serverReply(#"{"errors":[]}"#, status: 404).complaint(), is: .none)
    expect(serverReply("<html>", status: 502).complaint(), is: .none)
  }
}
