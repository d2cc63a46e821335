import Bytes
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import Terminals

/// The record of `llavero setup`'s changes in a tool's configuration, to restore the former state: `setup/TOOL.json`
/// in the state folder, readable only by its owner. It contains nothing else of the configuration.
///
/// No hash of the file is kept. Such files may contain passwords, and a hash allows guesses to be checked, even when
/// the file is gone. Checking that the added text is still in its place does as well.
struct SetupRecord: Equatable {
  struct Change: Equatable {
    let path: String
    /// The part of the tool's configuration that it is in.
    let part: String?
    /// Whether the file was created for it.
    var isMade: Bool
    /// Relative to the file after the changes before it.
    let edit: TextEdit
  }

  var changes: [Change] = []
  var links: [String] = []
  var folders: [String] = []
  /// Whether all of it was made for another tool, and this one was only left with it.
  var isHandedOver = false

  var isEmpty: Bool { changes.isEmpty && links.isEmpty && folders.isEmpty }

  func hasSomething(below folder: String) -> Bool {
    (changes.map(\.path) + links).contains { $0.hasPrefix(folder + "/") }
  }

  private static let limit = 1 << 20
  private static let lockName = "lock"

  private static func folder() throws(KeychainError) -> String {
    try VaultLocation().stateFolder + "/setup"
  }

  static func path(of tool: String) throws(KeychainError) -> String { try "\(folder())/\(tool).json" }

  /// A tool's record; an empty one if there is none.
  ///
  /// - Throws: ``KeychainError`` if it can't be read, or others have access to it.
  static func read(_ tool: String) throws(KeychainError) -> SetupRecord {
    let path = try folder()
    guard let folder = try Folder(opening: path), let file = try folder.file("\(tool).json") else {
      return SetupRecord()
    }
    let text = try file.contents(limit: limit)
    do throws(JSONReader.Malformed) {
      return try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in try SetupRecord(text) }
    } catch {}
    throw .failure(
      "\(path)/\(tool).json can't be understood",
      hint: "put it away, and change the tool's configuration by hand",
      status: .keychain)
  }

  /// Saves the record, or removes it if it is empty.
  func write(_ tool: String) throws(KeychainError) {
    let path = try Self.folder()
    if isEmpty {
      guard let folder = try Folder(opening: path) else { return }
      if unlinkat(folder.descriptor, "\(tool).json", 0) != 0, errno != ENOENT {
        throw .system(operation: "remove", path: "\(path)/\(tool).json", errno: errno)
      }
      return
    }
    let folder = try Folder(creating: path)
    StandardStreams.warn(
      try json().withUnsafeBytes { (bytes) throws(KeychainError) in
        try folder.replace("\(tool).json", with: bytes)
      })
  }

  /// Runs `body` while nobody else sets up tools, or hosts.
  static func locked<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    let path = try folder()
    let folder = try Folder(creating: path)
    let lock = try FileLock(lockName, in: folder, patience: 10) {}
    defer { withExtendedLifetime(lock) {} }
    return try body()
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
      json.member("part", change.part.map { ByteString($0) })
      json.member("made", change.isMade)
      json.member("offset", change.edit.offset)
      json.member("removed", ByteString(change.edit.removed))
      json.member("added", ByteString(change.edit.added))
      json.endObject()
    }
    json.endArray()
    json.beginArray("links")
    for link in links { json.element(ByteString(link)) }
    json.endArray()
    json.beginArray("folders")
    for folder in folders { json.element(ByteString(folder)) }
    json.endArray()
    if isHandedOver { json.member("handedOver", true) }
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
      } else if name == "folders" {
        try JSONReader.elements(of: value.raw) { (folder) throws(JSONReader.Malformed) in
          folders.append("\(try folder.string())")
        }
      } else if name == "handedOver" {
        isHandedOver = try value.bool()
      }
    }
    if version != 1 { throw JSONReader.Malformed() }
  }
}

extension SetupRecord.Change {
  fileprivate init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var texts: [String: ByteString] = [:]
    var (isMade, offset) = (false, 0)
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "made" {
        isMade = try value.bool()
      } else if name == "offset" {
        offset = try value.integer()
      } else {
        try take(name, value, into: &texts)
      }
    }
    guard let path = texts["path"]?.text, let removed = texts["removed"], let added = texts["added"],
      offset >= 0
    else { throw JSONReader.Malformed() }
    self.init(
      path: path, part: texts["part"]?.text, isMade: isMade,
      edit: TextEdit(offset: offset, removed: removed.bytes, added: added.bytes))
  }
}

extension ToolSetup {
  /// The parts of its configuration that were set up, for example profiles of aws.
  func recordedParts() throws(KeychainError) -> [String] {
    try SetupRecord.read(name).changes.compactMap(\.part).reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }
}

/// Reads a text, which is stored as base64 if it is not UTF-8.
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
