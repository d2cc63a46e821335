import Bytes
import Keychain
import Properties

@testable import EncryptedFile

/// The properties of any line as the first line of a vault.
enum VaultHeadProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let line = Array(input.prefix { $0 != 0x0a })
    guard let read = try head(line) else { return }
    let head = read.head
    try require(read.size == line.count + 1, "the records begin behind the line")
    try require(1..<Int64.max ~= head.generation, "a generation has a next one")
    try require(head.count >= 0 && head.byteCount >= 0, "there are no records, or some")
    try require(0...head.count ~= head.retiredCount, "no more are out of use than there are")
    try require(
      read.records.lowerBound == read.size && read.records.count == head.byteCount, "records lie there")
    try require(line.reversed().drop { $0 == 0x20 }.first == 0x7d, "nothing but spaces follows the object")
    try checkIndex(read.index)

    // Any UUID other than the header's is refused later.
    guard isUUID(read.uuid) else { return }
    let written = write(read)
    try require(!written.contains(0x0a), "the first line is one line")
    for text in [written, written + [UInt8](repeating: 0x20, count: 70)] {
      guard let again = try Self.head(text) else {
        throw PropertyFailure("a first line that was written is one")
      }
      try require(
        again.head.generation == head.generation && again.head.previous == head.previous
          && again.head.written == head.written && again.head.count == head.count
          && again.head.byteCount == head.byteCount && again.head.retiredCount == head.retiredCount,
        "a generation comes back as it was")
      try require(again.authentication == read.authentication && again.uuid == read.uuid, "so does its proof")
      try require(
        again.head.otherMembers.elementsEqual(head.otherMembers) {
          $0.name == $1.name && $0.value == $1.value
        },
        "so do members of newer versions")
      try require(again.index.isEmpty, "no index comes from nowhere")
      try require(write(again) == written, "a first line that is written again is the same text")
    }
  }

  /// Whatever the index contains, a search in it ends, and stays within bounds.
  private static func checkIndex(_ index: VaultIndex) throws(PropertyFailure) {
    for key in ["", "internet", "internet a.example https 443 ", "generic x ", "~"] {
      guard let part = index.part(ofKeysBeginningWith: Array(key.utf8)) else { continue }
      try require(part.lower >= 0 && part.upper ?? .max > part.lower, "a part isn't empty")
    }
    let text = index.text
    _ = lend(text) { index.leads(through: $0) }
  }

  private static func head(_ line: [UInt8]) throws(PropertyFailure) -> ReadVaultHead? {
    do throws(KeychainError) {
      return try lend(line) { (line) throws(KeychainError) in try ReadVaultHead(parsing: line, path: "v") }
    } catch {
      switch error {
      case .damaged, .newerFormat: return nil
      default: throw PropertyFailure("a first line is refused for a reason of its own: \(error)")
      }
    }
  }

  private static func write(_ read: ReadVaultHead) -> [UInt8] {
    var json = JSONWriter()
    json.head(
      read.head, version: 1, uuid: read.uuid, authentication: read.authentication, index: VaultIndex())
    return json.finish().withUnsafeBytes { Array($0) }
  }
}
