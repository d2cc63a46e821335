import Age
import Bytes
import Glibc
import Keychain
import TestSupport

@testable import EncryptedFile

/// A vault written without the program's own writer, so that it can be wrong in any single respect.
struct HandMadeVault {
  var identity = X25519Identity()
  var uuid = "12345678-9abc-4def-8123-456789abcdef"
  /// The lines of the records without LF, in the order in which they are written.
  var records: [[UInt8]] = []
  var generation: Int64 = 7
  /// Members of the first line with another value, as raw JSON, or without one; further members are added.
  var head: [(name: String, value: String?)] = []
  /// All stanzas of the header except the wrapped file key.
  var stanzas: [Stanza]?
  /// The recipients besides the identity.
  var recipients: [X25519Recipient] = []
  /// The identity that makes the proof of the writer, if it isn't the vault's.
  var writer: X25519Identity?
  /// The bytes after the records; by default, spaces up to 4 KiB.
  var padding: [UInt8]?
  /// The first line, if it isn't made from `head`.
  var firstLine: [UInt8]?

  init(servers: [String] = ["a.example", "b.example", "c.example"]) throws {
    records = try servers.map { try Self.record(EncryptedFileTests.item($0), secret: "secret-" + $0) }.sorted
    {
      $0.lexicographicallyPrecedes($1)
    }
  }

  /// A record as the program writes it.
  static func record(_ item: Item, secret: String = "secret", id: String? = nil) throws -> [UInt8] {
    var item = item
    item.reference = ItemReference(ByteString(id ?? randomUUID()))
    item.creationDate = Timestamp(milliseconds: 0)
    item.modificationDate = Timestamp(milliseconds: 0)
    let line = try Record.line(item, Credential(password: secret), revision: 1, previous: nil)
    return line.withUnsafeBytes { Array($0) }
  }

  func vaultStanza() throws -> Stanza { try Stanza(type: "llavero/vault", arguments: ["1", uuid]) }

  static func base64(_ bytes: [UInt8]) -> String {
    var text = Secret()
    bytes.withUnsafeBytes { Base64.encode($0, to: &text) }
    return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  func plaintext(nonce: [UInt8]) -> [UInt8] {
    let body = Array(records.map { $0 + [0x0a] }.joined())
    let previous = (1...32).map { UInt8($0) }
    let proof = VaultHead.authentication(
      VaultKey(writer ?? identity, uuid: uuid), uuid: uuid, generation: generation, previous: previous,
      nonce: nonce)
    var members: [(String, String)] = [
      ("app", #""llavero""#), ("v", "1"), ("min_reader", "1"), ("min_writer", "1"), ("uuid", "\"\(uuid)\""),
      ("gen", String(generation)), ("prev", "\"\(Self.base64(previous))\""),
      ("written", #""2026-01-02T03:04:05.678Z""#),
      ("n", String(records.count)), ("bytes", String(body.count)), ("auth", "\"\(Self.base64(proof))\""),
    ]
    for (name, value) in head {
      let position = members.firstIndex { $0.0 == name }
      if let position { members.remove(at: position) }
      if let value { members.insert((name, value), at: position ?? members.count) }
    }
    let line = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    var text = (firstLine ?? Array(line.utf8)) + [0x0a] + body
    if let padding {
      text += padding
    } else if text.count < 4095 {
      text += [UInt8](repeating: 0x20, count: 4095 - text.count) + [0x0a]
    }
    return text
  }

  func file() throws -> [UInt8] {
    let nonce = randomBytes(PayloadLayout.nonceSize)
    let plaintext = plaintext(nonce: nonce)
    let fileKey = FileKey()
    var all = try identity.recipient.wrap(fileKey)
    for recipient in recipients { all += try recipient.wrap(fileKey) }
    all += try stanzas ?? [try vaultStanza()]
    let header = try Header.encode(stanzas: all, fileKey: fileKey)
    return header + nonce + (try Self.seal(plaintext, with: PayloadKey(fileKey: fileKey, nonce: nonce)))
  }

  static func seal(_ plaintext: [UInt8], with key: borrowing PayloadKey) throws -> [UInt8] {
    let chunks = PayloadLayout.chunkCount(ofPlaintext: plaintext.count)
    var sealed = [UInt8](
      repeating: 0,
      count: PayloadLayout.encryptedSize(ofPlaintext: plaintext.count) - PayloadLayout.nonceSize)
    sealed.withUnsafeMutableBytes { sealed in
      plaintext.withUnsafeBytes { plaintext in
        for chunk in 0..<chunks {
          let start = chunk * PayloadLayout.chunkSize
          let end = min(start + PayloadLayout.chunkSize, plaintext.count)
          key.seal(
            chunk: chunk, isLast: chunk == chunks - 1, from: .init(rebasing: plaintext[start..<end]),
            into: .init(
              rebasing: sealed[
                chunk * PayloadLayout.encryptedChunkSize..<end + (chunk + 1) * PayloadLayout.tagSize]))
        }
      }
    }
    return sealed
  }

  /// Installs the vault and its plain identity.
  func install(at place: Place) throws {
    place.makeFolders()
    try put(try file(), into: place.vault)
    try put(identityText(), into: place.identityFile)
  }

  func identityText() -> [UInt8] {
    identity.withEncodedBytes { key -> [UInt8] in Array("# \(uuid)\n".utf8) + Array(key) + [0x0a] }
  }

  /// A slot for a passphrase, cheap by default.
  func slot(
    _ passphrase: String, logN: Int = 4, id: String = "0123456789abcdef", kind: String = "passphrase"
  ) throws -> Stanza {
    let recipient = try Array(passphrase.utf8).withUnsafeBytes {
      try ScryptRecipient(passphrase: $0, logN: logN)
    }
    let file = try AgeFile.encrypt(identityText(), to: [recipient])
    return try Stanza(type: "llavero/slot", arguments: ["1", id, kind], body: file)
  }
}
