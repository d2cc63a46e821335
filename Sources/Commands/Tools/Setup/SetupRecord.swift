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
struct SetupRecord: Equatable, JSONMessage {
  struct Change: Equatable {
    private(set) var path: String
    /// The part of the tool's configuration that it is in.
    private(set) var part: String?
    /// Whether the file was created for it.
    var isMade: Bool
    /// Relative to the file after the changes before it.
    private(set) var edit: TextEdit
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
      var record = SetupRecord()
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in try record.read(text) }
      return record
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
      try encodedLine.withUnsafeBytes { (bytes) throws(KeychainError) in
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

  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    var version = 1
    try members.need("version")
    try members.member("version", &version)
    if version != 1 { throw JSONReader.Malformed() }
    try members.objects("changes", &changes) {
      Change(path: "", part: nil, isMade: false, edit: TextEdit(offset: 0, removed: [], added: []))
    }
    try members.texts("links", &links)
    try members.texts("folders", &folders)
    try members.mark("handedOver", &isHandedOver)
  }
}

extension SetupRecord.Change: JSONMessage {
  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    var (offset, removed, added) = (edit.offset, ByteString(edit.removed), ByteString(edit.added))
    try members.need("path", "removed", "added")
    try members.member("path", &path)
    try members.member("part", &part)
    try members.mark("made", &isMade, usually: nil)
    try members.member("offset", &offset)
    try members.member("removed", &removed)
    try members.member("added", &added)
    if offset < 0 { throw JSONReader.Malformed() }
    edit = TextEdit(offset: offset, removed: removed.bytes, added: added.bytes)
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
