import Bytes
import Glibc
import Keychain
import PrivateFiles

/// How a slot opens on this machine without asking anybody, as noted in the state folder, in `slots/ID`. Never taken
/// from the vault: a vault from elsewhere must not access files or run programs here.
enum LocalSlot: Equatable {
  case identity(path: String)
  /// With the passphrase printed by a program: its name or path, and its arguments.
  case command([String])

  /// The largest size of such a note in bytes.
  private static let limit = 64 << 10

  /// Reads the note about a slot; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` for a malformed note; other errors for a faulty file.
  static func read(_ id: String, in folder: borrowing Folder) throws(KeychainError) -> LocalSlot? {
    guard let file = try folder.file(id) else { return nil }
    let text = try file.contents(limit: limit)
    var noted: LocalSlot?
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
          if name == "identity" {
            noted = .identity(path: try Self.text(value))
          } else if name == "command" {
            var words: [String] = []
            try JSONReader.elements(of: value.raw) { (word) throws(JSONReader.Malformed) in
              words.append(try Self.text(word))
            }
            guard let program = words.first, !program.isEmpty else { throw JSONReader.Malformed() }
            noted = .command(words)
          }
        }
      }
    } catch {
      throw .damaged(path: file.path, detail: "it doesn't say how to open its slot")
    }
    return noted
  }

  /// Writes the note. Needs the vault's lock.
  func write(_ id: String, in folder: borrowing Folder) throws(KeychainError) -> Durability {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .identity(let path): json.member("identity", ByteString(path))
    case .command(let words):
      json.beginArray("command")
      for word in words { json.element(ByteString(word)) }
      json.endArray()
    }
    json.endObject()
    let text = json.finishLine()
    return try text.withUnsafeBytes { (text) throws(KeychainError) in try folder.replace(id, with: text) }
  }

  /// Removes the note about a slot. Needs the vault's lock.
  static func remove(_ id: String, in folder: borrowing Folder) {
    unlinkat(folder.descriptor, id, 0)
  }

  /// A string without NUL, at which the system would cut it off.
  private static func text(_ value: JSONValue) throws(JSONReader.Malformed) -> String {
    let bytes = try value.string()
    guard let text = bytes.text, !bytes.bytes.contains(0) else { throw JSONReader.Malformed() }
    return text
  }
}

extension VaultLocation {
  var localSlotsFolder: String { stateFolder + "/" + Self.slotsName }
}
