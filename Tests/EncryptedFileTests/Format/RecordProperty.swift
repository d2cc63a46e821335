import Bytes
import Keychain
import Properties

@testable import EncryptedFile

/// The properties of any line as a record of a vault.
enum RecordProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    // The text of a vault is first split at its line feeds.
    let line = Array(input.prefix { $0 != 0x0a })
    try lend(line) { (line) throws(PropertyFailure) in
      guard let record = read(line) else { return }
      try checkKey(record, of: line)
      try checkCredential(of: line, record)
    }
  }

  /// The key at the beginning of the line is that of the item, so that a search can rely on it.
  private static func checkKey(_ record: Record, of line: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard line.starts(with: opening) else { return }
    let key = SortKey.whole(of: record.item.key)
    try require(line.key.elementsEqual(key), "a record stands under its key")
    try require(SortKey.whole(of: record.item.key.primaryKey) == key, "a key is that of the primary key")
    if let query = try? ItemQuery(for: record.item.key) {
      try require(key.starts(with: SortKey.beginning(for: query)), "a key begins as its query")
    }
  }

  private static func checkCredential(
    of line: UnsafeRawBufferPointer, _ record: Record
  ) throws(PropertyFailure) {
    guard var shown = Confidential(line) else { return }
    let first = try write(record, shown, previous: line)
    try checkLine(first)
    try checkIsSame(first, record, shown)
    let second = try lend(first) { (line) throws(PropertyFailure) in
      try write(record, shown, previous: line)
    }
    try require(second == first, "a record that is written again is the same text")

    if line.starts(with: opening) { try checkRetiring(Array(line), record) }
    try checkRetiring(first, record)

    // A new secret replaces the old one, and nothing else.
    shown.secret = shown.secret.reversed() + [0x5c, 0x22, 0x00]
    shown.expiry = nil
    try checkIsSame(try write(record, shown, previous: line), record, shown)

    // If a member occurs twice, the last one counts, as for an item's other members.
    if let end = first.lastIndex(of: 0x7d) {
      let twice = first[..<end] + Array(#","secret":"x","oauth_refresh_token":"y"}"#.utf8)
      let again = lend(twice) { Confidential($0) }
      try require(again?.secret == [0x78] && again?.refreshToken == [0x79], "the last of two secrets counts")
    }
  }

  /// A record that goes out of use, and the mark left of it, are found under another key and have the same contents.
  private static func checkRetiring(_ line: [UInt8], _ record: Record) throws(PropertyFailure) {
    let now = Timestamp(seconds: 1_800_000_000)
    let retired = try require("a record can go out of use") { () throws(JSONReader.Malformed) in
      try lend(line) { (line) throws(JSONReader.Malformed) in
        try RetiredRecord.line(of: line, at: now, .deleted).withUnsafeBytes { Array($0) }
      }
    }
    let mark = try require("a record leaves a mark") { () throws(JSONReader.Malformed) in
      try lend(retired) { (line) throws(JSONReader.Malformed) in
        try RetiredRecord.mark(of: line).withUnsafeBytes { Array($0) }
      }
    }
    for (text, hasSecret) in [(retired, true), (mark, false)] {
      try checkLine(text)
      try require(lend(text) { read($0) == nil }, "what is out of use is no record")
      let again = try require("what is out of use can be read") { () throws(JSONReader.Malformed) in
        try lend(text) { (line) throws(JSONReader.Malformed) in try RetiredRecord(parsing: line) }
      }
      try require(again.record.item.key == record.item.key, "it names the item")
      try require(again.record.item.reference == record.item.reference, "it names the item")
      if hasSecret { try require(again.record.item == record.item, "the item is what it was") }
      try require(again.retired == now && again.reason == .deleted, "it says when and why")
      try require(again.hasSecret == hasSecret, "the mark is without the secret")
    }
    try require(
      lend(retired) { Confidential($0) } == lend(line) { Confidential($0) }, "the secret is what it was")
    try require(lend(mark) { Confidential($0) } == nil, "the mark is without the secret")
  }

  private static func checkLine(_ line: [UInt8]) throws(PropertyFailure) {
    try require(line.starts(with: opening), "a record begins as records do")
    try require(!line.contains(0x0a), "a record is one line")
  }

  private static func checkIsSame(
    _ line: [UInt8], _ record: Record, _ shown: Confidential
  ) throws(PropertyFailure) {
    try lend(line) { (line) throws(PropertyFailure) in
      guard let again = read(line) else { throw PropertyFailure("a record that was written is one") }
      try require(
        again.item == record.item && again.revision == record.revision, "an item comes back as it was")
      try require(Confidential(line) == shown, "what is confidential comes back as it was")
    }
  }

  private static func write(
    _ record: Record, _ shown: Confidential, previous: UnsafeRawBufferPointer
  ) throws(PropertyFailure) -> [UInt8] {
    try require("a record that was read can be written") { () throws(JSONReader.Malformed) in
      try Record.line(record.item, shown.credential, revision: record.revision, previous: previous)
        .withUnsafeBytes { Array($0) }
    }
  }

  private static func read(_ line: UnsafeRawBufferPointer) -> Record? {
    do throws(JSONReader.Malformed) { return try Record(parsing: line) } catch { return nil }
  }

  private static let opening = Array(#"{"k":""#.utf8)
}

/// A credential whose secrets are visible.
private struct Confidential: Equatable {
  var secret: [UInt8]
  var expiry: Int64?
  var refreshToken: [UInt8]?
  var scheme: ByteString?

  init?(_ line: UnsafeRawBufferPointer) {
    do throws(JSONReader.Malformed) {
      let credential = try Record.credential(parsing: line)
      secret = credential.secret.withUnsafeBytes { Array($0) }
      expiry = credential.expiry
      switch credential.refreshToken {
      case .none: refreshToken = nil
      case .some(let token): refreshToken = token.withUnsafeBytes { Array($0) }
      }
      scheme = credential.authenticationScheme
    } catch {
      return nil
    }
  }

  var credential: Credential {
    Credential(
      Secret(copying: ByteString(secret)), expiry: expiry,
      refreshToken: refreshToken.map { Secret(copying: ByteString($0)) }, authenticationScheme: scheme)
  }
}
