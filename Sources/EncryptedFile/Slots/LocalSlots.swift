import Bytes
import Glibc
import JSON
import Keychain
import PrivateFiles

/// How a slot is opened on this machine without asking anybody: noted in the state folder, in `slots/ID`, and never
/// taken from the vault, for a vault that came from elsewhere must not lead to files or run programs here.
enum LocalSlot: Equatable {
  /// By an identity of this file.
  case identity(path: String)
  /// By the passphrase that a program prints: its name or path, and its arguments.
  case command([String])

  /// The most bytes of such a note.
  private static let limit = 64 << 10

  /// What is noted of a slot; `nil` if there is nothing.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if it can't be understood; what is wrong with the file.
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

  /// Notes it. Needs the vault's lock.
  func write(_ id: String, in folder: borrowing Folder) throws(KeychainError) {
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
    try text.withUnsafeBytes { (text) throws(KeychainError) in try folder.replace(id, with: text) }
  }

  /// Forgets what is noted of a slot. Needs the vault's lock.
  static func remove(_ id: String, in folder: borrowing Folder) {
    unlinkat(folder.descriptor, id, 0)
  }

  /// A string of bytes other than NUL, at which the system would cut it off.
  private static func text(_ value: JSONValue) throws(JSONReader.Malformed) -> String {
    let bytes = try value.string()
    guard let text = bytes.text, !bytes.bytes.contains(0) else { throw JSONReader.Malformed() }
    return text
  }
}

extension VaultLocation {
  /// Where it is noted how slots are opened on this machine.
  var localSlotsFolder: String { stateFolder + "/" + Self.slotsName }
}
