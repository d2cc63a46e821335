import Bytes
import EncryptedFile
import Glibc
import JSON
import Keychain
import PrivateFiles
import Terminals

/// What `llavero setup` has changed in a tool's configuration, and nothing else of that: `setup/TOOL.json` in the
/// state folder, for its owner alone. What was there before comes back by it.
///
/// No hash of the file is kept. Such files may have passwords in them, and a hash lets guesses be checked, also when
/// the file is gone. That what was added still stands where it was put says as much.
struct SetupRecord: Equatable {
  /// One setting in one file.
  struct Change: Equatable {
    let path: String
    /// ``ConfigurationFormat/name``
    let setting: String
    /// The profile of aws.
    let profile: String?
    /// Whether the file was made for it.
    var isMade: Bool
    /// Each in what the one before it has left.
    let edits: [TextEdit]
  }

  var changes: [Change] = []
  /// Links that were made.
  var links: [String] = []

  var isEmpty: Bool { changes.isEmpty && links.isEmpty }

  private static let limit = 1 << 20
  private static let lockName = "lock"

  private static func folder() throws(Failure) -> String {
    try explaining(VaultLocation()).stateFolder + "/setup"
  }

  /// Where the record of a tool is.
  static func path(of tool: String) throws(Failure) -> String { try "\(folder())/\(tool).json" }

  /// What was changed for a tool; nothing if there is no record.
  ///
  /// - Throws: ``Failure`` if it is there and can't be read, or isn't its owner's alone.
  static func read(_ tool: String) throws(Failure) -> SetupRecord {
    let path = try folder()
    do throws(KeychainError) {
      guard let folder = try Folder(opening: path), let file = try folder.file("\(tool).json") else {
        return SetupRecord()
      }
      let text = try file.contents(limit: limit)
      do throws(JSONReader.Malformed) {
        return try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in try SetupRecord(text) }
      } catch {}
    } catch {
      throw Failure(error)
    }
    throw Failure(
      "\(path)/\(tool).json can't be understood",
      hint: "put it away, and change the tool's configuration by hand",
      status: .keychain)
  }

  /// Keeps it; a record of nothing goes.
  ///
  /// - Throws: ``Failure`` if that can't be done.
  func write(_ tool: String) throws(Failure) {
    let path = try Self.folder()
    try explaining { () throws(KeychainError) in
      if isEmpty {
        guard let folder = try Folder(opening: path) else { return }
        if unlinkat(folder.descriptor, "\(tool).json", 0) != 0, errno != ENOENT {
          throw .system(operation: "remove", path: "\(path)/\(tool).json", errno: errno)
        }
        return
      }
      let folder = try Folder(creating: path)
      try json().withUnsafeBytes { (bytes) throws(KeychainError) in
        try folder.replace("\(tool).json", with: bytes)
      }
    }
  }

  /// Does something while nobody else sets up tools.
  static func locked(_ body: () throws(Failure) -> Void) throws(Failure) {
    let path = try folder()
    let lock = try explaining { () throws(KeychainError) in
      let folder = try Folder(creating: path)
      return try FileLock(lockName, in: folder, patience: 10) {}
    }
    try body()
    withExtendedLifetime(lock) {}
  }

  // MARK: As JSON

  private func json() -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("version", 1 as Int)
    json.beginArray("changes")
    for change in changes {
      json.beginObject()
      json.member("path", ByteString(change.path))
      json.member("setting", ByteString(change.setting))
      json.member("profile", change.profile.map { ByteString($0) })
      json.member("made", change.isMade)
      json.beginArray("edits")
      for edit in change.edits {
        json.beginObject()
        json.member("offset", edit.offset)
        json.member("removed", ByteString(edit.removed))
        json.member("added", ByteString(edit.added))
        json.endObject()
      }
      json.endArray()
      json.endObject()
    }
    json.endArray()
    json.beginArray("links")
    for link in links { json.element(ByteString(link)) }
    json.endArray()
    json.endObject()
    return json.finishLine()
  }

  init() {}

  private init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var version: Int64?
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "version" {
        version = try value.integer()
      } else if name == "changes" {
        try JSONReader.elements(of: value.raw) { (change) throws(JSONReader.Malformed) in
          changes.append(try Change(change.raw))
        }
      } else if name == "links" {
        try JSONReader.elements(of: value.raw) { (link) throws(JSONReader.Malformed) in
          links.append("\(try link.string())")
        }
      }
    }
    if version != 1 { throw JSONReader.Malformed() }
  }
}

extension SetupRecord.Change {
  fileprivate init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var texts: [String: ByteString] = [:]
    var isMade = false
    var edits: [TextEdit] = []
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "made" {
        isMade = try value.bool()
      } else if name == "edits" {
        try JSONReader.elements(of: value.raw) { (edit) throws(JSONReader.Malformed) in
          edits.append(try TextEdit(edit.raw))
        }
      } else {
        try take(name, value, into: &texts)
      }
    }
    guard let path = texts["path"]?.text, let setting = texts["setting"]?.text else {
      throw JSONReader.Malformed()
    }
    self.init(path: path, setting: setting, profile: texts["profile"]?.text, isMade: isMade, edits: edits)
  }
}

extension TextEdit {
  fileprivate init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var texts: [String: ByteString] = [:]
    var offset = 0
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "offset" { offset = try value.integer() } else { try take(name, value, into: &texts) }
    }
    guard let removed = texts["removed"], let added = texts["added"], offset >= 0 else {
      throw JSONReader.Malformed()
    }
    self.init(offset: offset, removed: removed.bytes, added: added.bytes)
  }
}

/// Takes a text, which was written as base64 where it is none.
private func take(
  _ name: UnsafeRawBufferPointer, _ value: JSONValue, into texts: inout [String: ByteString]
) throws(JSONReader.Malformed) {
  let name = String(decoding: name, as: UTF8.self)
  if name.hasSuffix("_b64") {
    texts[String(name.dropLast(4))] = try value.base64()
  } else {
    texts[name] = try value.string()
  }
}
