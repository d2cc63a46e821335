import Bytes
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

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
      try json.jsonLine.withUnsafeBytes { (bytes) throws(KeychainError) in
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

  private var json: JSONObject {
    let changes = changes.map { change -> JSONObject in
      [
        "path": change.path, "part": change.part, "made": change.isMade, "offset": change.edit.offset,
        "removed": ByteString(change.edit.removed), "added": ByteString(change.edit.added),
      ]
    }
    return [
      "version": 1, "changes": changes, "links": links, "folders": folders,
      "handedOver": isHandedOver.ifTrue,
    ]
  }

  init() {}

  private init(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    let fields = try JSONFields(text)
    guard try fields.value("version")?.integer() == 1 else { throw JSONReader.Malformed() }
    changes = try fields.elements("changes") { (change) throws(JSONReader.Malformed) in
      try Change(JSONFields(change.raw))
    }
    links = try fields.strings("links").map(\.description)
    folders = try fields.strings("folders").map(\.description)
    isHandedOver = try fields.value("handedOver")?.bool() ?? false
  }
}

extension SetupRecord.Change {
  fileprivate init(_ fields: JSONFields) throws(JSONReader.Malformed) {
    let offset: Int = try fields.value("offset")?.integer() ?? 0
    guard let path = try fields.text("path"), let removed = try fields.bytes("removed"),
      let added = try fields.bytes("added"), offset >= 0
    else { throw JSONReader.Malformed() }
    self.init(
      path: path, part: try fields.text("part"), isMade: try fields.value("made")?.bool() ?? false,
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
