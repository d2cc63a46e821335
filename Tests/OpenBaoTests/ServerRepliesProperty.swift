import Bytes
import Keychain
import Properties

@testable import OpenBao

/// The properties of any bytes as what a server sends. The first byte says as what.
enum ServerRepliesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let kind = input.first else { return }
    let body = input.part(1, input.count - 1)
    let status = kind & 8 == 0 ? 200 : 404
    let reply = ServerReply(status: status, body: Secret(copying: body))
    switch kind & 7 {
    case 0, 1: try checkRead(reply)
    case 2: try checkKeys(reply)
    case 3: try checkToken(reply)
    case 4: try checkPath(body)
    case 5: try checkRecord(body)
    default: _ = reply.complaint()
    }
  }

  private static var path: ItemPath? { ItemPath(parsing: "https/h/443/-/a/-/-") }

  private static func checkRead(_ reply: borrowing ServerReply) throws(PropertyFailure) {
    guard let path else { throw PropertyFailure("the path can be read") }
    let outcome: ReadOutcome
    do throws(JSONReader.Malformed) { outcome = try ReadOutcome(reply, at: path) } catch { return }
    switch consume outcome {
    case .record(let record, let version):
      try require(reply.status == 200, "an item comes with status 200")
      try require(record.item.key.primaryKey == path.key, "an item belongs to its path")
      try require(version.number > 0, "versions begin at 1")
    case .foreign(let version): try require(version.number > 0, "versions begin at 1")
    case .moved(_, let version): try require(version.number > 0, "versions begin at 1")
    case .deleted(let version): try require(version.number > 0, "versions begin at 1")
    case .absent: try require(reply.status == 404, "nothing comes with status 404 alone")
    }
  }

  private static func checkKeys(_ reply: borrowing ServerReply) throws(PropertyFailure) {
    guard let keys = try? FolderKeys(reply) else { return }
    try require(!keys.items.contains { $0.hasSuffix("/") }, "an item is no folder")
  }

  private static func checkToken(_ reply: borrowing ServerReply) throws(PropertyFailure) {
    guard let token = try? IssuedToken(reply) else { return }
    try require(IssuedToken.isToken(token.value), "a token fits into a header")
    try require(token.lease >= 0, "a lease isn't negative")
  }

  private static func checkPath(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let text = String(validating: text, as: UTF8.self), let path = ItemPath(parsing: text)
    else { return }
    try require(path.text == text, "a path is written in one way")
    let again = try require("a path's key has a path") { () throws(KeychainError) in try ItemPath(path.key) }
    try require(again == path, "a key has one path")
  }

  private static func checkRecord(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let path else { throw PropertyFailure("the path can be read") }
    let record: ItemRecord
    do throws(JSONReader.Malformed) {
      record = try ItemRecord(parsing: text, at: path, inVersion: 1, writtenAt: nil)
    } catch { return }
    let written = record.encoded(inVersion: 1)
    let again = try require("what was written can be read") { () throws(JSONReader.Malformed) in
      try written.withUnsafeBytes { (written) throws(JSONReader.Malformed) in
        try ItemRecord(parsing: written, at: path, inVersion: 1, writtenAt: nil)
      }
    }
    try require(again.item == record.item, "an item stays the same")
    try require(again.credential.hasSameSecret(as: record.credential), "a secret stays the same")
    let twice = again.encoded(inVersion: 1)
    try require(twice.isEqual(to: written), "a record is written in one way")
  }
}
