import Age
import Bytes
import CLinux
import Glibc
import Keychain

/// The first line of a vault's plaintext: its generation, and the versions that may read and write it.
struct VaultHead {
  /// Counts the writes, from 1.
  var generation: Int64
  /// The previous generation's header MAC, which makes a chain of generations; empty in the first.
  var previous: [UInt8]
  var written: Timestamp
  /// The number of lines that follow, including records out of use.
  var count: Int
  /// How many of them are out of use.
  var retiredCount = 0
  /// The bytes of all records; padding follows.
  var byteCount: Int
  /// The member `past` as raw JSON, which few need; empty without one. See ``Past``.
  var rawPast: [UInt8] = []
  /// The members that not every reader needs, as raw JSON: those of features, and those of newer versions. All survive a
  /// change. A merge keeps only ours, unless the feature merges its own, as ``SlotNotes`` are.
  var otherMembers: [(name: [UInt8], value: [UInt8])] = []

  init(first generation: Int64) {
    self.generation = generation
    previous = []
    written = Timestamp(milliseconds: 0)
    count = 0
    byteCount = 0
  }

  /// The value of one of the other members, as raw JSON; `nil` if there is none.
  subscript(_ name: [UInt8]) -> [UInt8]? {
    get { otherMembers.first { $0.name == name }?.value }
    set {
      otherMembers.removeAll { $0.name == name }
      if let newValue { otherMembers.append((name, newValue)) }
    }
  }

  /// Proof that the writer held the vault's identity and not just its recipient:
  /// HMAC-SHA256(authentication key, "v1" || uuid || u64be generation || previous || payload nonce).
  static func authentication(
    _ key: VaultKey, uuid: String, generation: Int64, previous: [UInt8], nonce: [UInt8]
  ) -> [UInt8] {
    var message = Array("v1".utf8) + uuid.utf8
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: generation >> Int64(shift)))
    }
    message += previous
    message += nonce
    return key.authenticate(message)
  }
}

struct ReadVaultHead {
  let head: VaultHead
  /// The proof of the writer; see ``VaultHead/authentication(_:uuid:generation:previous:nonce:)``.
  let authentication: [UInt8]
  let uuid: String
  /// The lowest version that may change the file.
  let minimumWriter: Int
  /// Where the records begin: the line's size in bytes, with its LF.
  let size: Int
  /// The index if the vault is laid out for random access; otherwise empty.
  let index: VaultIndex

  var records: Range<Int> { size..<size + head.byteCount }

  /// - Parameter line: without its LF; spaces may follow the object.
  /// - Throws: ``KeychainError/newerFormat(path:version:)`` if this version may not read the file;
  ///   ``KeychainError/damaged(path:detail:)``.
  init(parsing line: UnsafeRawBufferPointer, path: String) throws(KeychainError) {
    var version = 0
    var minimumReader = 0
    var minimumWriter = 0
    var uuid: ByteString = ""
    var head = VaultHead(first: 0)
    (head.count, head.byteCount) = (-1, -1)
    var authentication: ByteString = ""
    var index = VaultIndex()
    do {
      let end = clinux_last_index(line.baseAddress, line.count, UInt8(ascii: "}")) + 1
      guard Self.isBlank(line[end...]) else { throw JSONReader.Malformed() }
      let object = UnsafeRawBufferPointer(rebasing: line[..<end])
      try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
        if name == "app" {
          guard try value.string() == "llavero" else { throw JSONReader.Malformed() }
        } else if name == "v" {
          version = try value.integer()
        } else if name == "min_reader" {
          minimumReader = try value.integer()
        } else if name == "min_writer" {
          minimumWriter = try value.integer()
        } else if name == "uuid" {
          uuid = try value.string()
        } else if name == "gen" {
          head.generation = try value.integer()
        } else if name == "prev" {
          head.previous = try value.base64().bytes
        } else if name == "written" {
          head.written = try value.timestamp()
        } else if name == "n" {
          head.count = try value.integer()
        } else if name == "old" {
          head.retiredCount = try value.integer()
        } else if name == "bytes" {
          head.byteCount = try value.integer()
        } else if name == "auth" {
          authentication = try value.base64()
        } else if name == "index" {
          guard value.kind == .string else { throw JSONReader.Malformed() }
          index = VaultIndex(UnsafeRawBufferPointer(rebasing: value.raw[1..<(value.raw.count - 1)]))
        } else if name == "past" {
          head.rawPast = Array(value.raw)
        } else {
          head.otherMembers.append((Array(name), Array(value.raw)))
        }
      }
    } catch {
      throw .damaged(path: path, detail: "its first line is malformed")
    }
    guard minimumReader <= VaultHead.version else { throw .newerFormat(path: path, version: version) }
    guard version > 0, 1..<Int64.max ~= head.generation, head.count >= 0,
      0...head.count ~= head.retiredCount, 0...VaultBounds.file ~= head.byteCount
    else {
      throw .damaged(path: path, detail: "its first line lacks something")
    }
    self.head = head
    self.authentication = authentication.bytes
    self.uuid = uuid.description
    self.minimumWriter = minimumWriter
    size = line.count + 1
    self.index = index
  }

  /// Whether all bytes are spaces: the first is one, and each other equals the one before.
  private static func isBlank(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
    return bytes[0] == 0x20 && memcmp(start, start + 1, bytes.count - 1) == 0
  }
}

extension JSONWriter {
  mutating func head(
    _ head: VaultHead, version: Int, uuid: String, authentication: [UInt8], index: VaultIndex
  ) {
    beginObject()
    member("app", "llavero" as ByteString)
    member("v", version)
    member("min_reader", version)
    member("min_writer", version)
    member("uuid", ByteString(uuid))
    member("gen", head.generation)
    member("prev", Self.base64(head.previous))
    member("written", head.written)
    member("n", head.count)
    if head.retiredCount > 0 { member("old", head.retiredCount) }
    member("bytes", head.byteCount)
    member("auth", Self.base64(authentication))
    let past = head.rawPast.isEmpty ? [] : [(name: Array("past".utf8), value: head.rawPast)]
    for (name, value) in past + head.otherMembers {
      name.withUnsafeBytes { name in value.withUnsafeBytes { rawMember(name: name, value: $0) } }
    }
    if !index.isEmpty { member("index", ByteString(index.text)) }
    endObject()
  }

  private static func base64(_ bytes: [UInt8]) -> ByteString {
    var text = Secret()
    bytes.withUnsafeBytes { Base64.encode($0, to: &text) }
    return text.withUnsafeBytes { ByteString($0) }
  }
}
