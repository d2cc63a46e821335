import Bytes
import JSON
import Keychain

/// The entries of a source in JSON, each an object somewhere in it.
struct JSONEntries: ~Copyable {
  private var positions: FilePositions
  /// The number of entries until now, with those that are empty.
  private var number = 0
  var found = FoundLogins()

  init(_ text: UnsafeRawBufferPointer) { positions = FilePositions(text) }

  /// Whether a file begins as an object of JSON does.
  static func isObject(_ text: UnsafeRawBufferPointer) -> Bool {
    text.first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// Reads an entry, or skips it. Removed, it leaves `{}` behind, which is read as none.
  ///
  /// - Parameters:
  ///   - nested: the member whose members count as the entry's own.
  ///   - take: makes logins of its fields.
  mutating func read(
    _ item: JSONValue, flattening nested: StaticString? = nil,
    _ take: (inout SourceEntry, inout FoundLogins) throws(JSONReader.Malformed) -> Void
  ) {
    let line = Origin.line(positions.line(of: item.raw))
    number += 1
    do throws(JSONReader.Malformed) {
      var entry = SourceEntry(
        at: line, removals: [Removal(positions.range(of: item.raw), replacement: .emptyObject)])
      try entry.addMembers(of: item.raw, flattening: nested)
      if entry.isEmpty { return }
      do throws(JSONReader.Malformed) {
        try take(&entry, &found)
      } catch {
        // It has its title by then, if it has one.
        found.passOver(entry.origin == line ? nameless(line) : entry.origin, .malformed)
      }
    } catch {
      found.passOver(nameless(line), .malformed)
    }
  }

  /// Where an entry without a title is. All of a file may be on its first line, which helps nobody.
  private func nameless(_ line: Origin) -> Origin {
    line == .line(1) ? .entry(ByteString("entry \(number)")) : line
  }

  /// What stands outside of the entries in every export, and says nothing that a person has written for later: the names
  /// and identifiers of the account and the program, dates, colours.
  private static let bookkeeping: [ByteString] = [
    "accountname", "avatar", "creationat", "display", "domain", "email", "encrypted", "exporterdisplayname",
    "exporterrpid", "fullname", "id", "modifiedat", "name", "timestamp", "title", "type", "userid",
    "username",
    "uuid", "version",
  ]

  /// Notes that the file has something else if an object outside of the entries says it: it has a member that no export
  /// has by itself, as a description.
  ///
  /// - Parameter read: the members that are read.
  mutating func noteOthers(in object: UnsafeRawBufferPointer, besides read: ByteString...) throws(JSONReader
    .Malformed)
  {
    var hasOthers = false
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      if read.contains(name) || Self.bookkeeping.contains(name.lowercased) { return }
      if !FieldValue.json(value).isNothing(asChoice: false) { hasOthers = true }
    }
    if hasOthers { found.noteOthers() }
  }

  /// The same if a vault or a collection that a person has named is empty. One whose entries were taken out isn't.
  mutating func noteOthers(ifEmpty items: JSONValue?) {
    if items.map({ FieldValue.json($0).isNothing(asChoice: false) }) ?? true { found.noteOthers() }
  }
}

extension JSONValue {
  /// The member with a name; `nil` if there is none, or it is null.
  func member(_ wanted: StaticString) throws(JSONReader.Malformed) -> JSONValue? {
    var member: JSONValue?
    if kind != .object { return nil }
    try JSONReader.members(of: raw) { (name, value) throws(JSONReader.Malformed) in
      if name == wanted, value.kind != .null { member = value }
    }
    return member
  }

  /// The text of a member that isn't confidential; empty if there is none.
  func text(_ wanted: StaticString) throws(JSONReader.Malformed) -> ByteString {
    guard let member = try member(wanted), member.kind == .string else { return "" }
    return try member.string()
  }

  /// The names of folders in an array of objects, by what entries call them.
  ///
  /// - Parameter parent: the member that says which folder it is in.
  func names(
    _ name: StaticString, by identifier: StaticString, in parent: StaticString = ""
  ) throws(JSONReader.Malformed) -> [ByteString: ByteString] {
    var folders: [ByteString: Folder] = [:]
    if kind != .array { return [:] }
    try JSONReader.elements(of: raw) { (element) throws(JSONReader.Malformed) in
      folders[try element.text(identifier)] = Folder(try element.text(name), in: try element.text(parent))
    }
    return folders.paths
  }
}

/// A folder that may be in another one.
struct Folder {
  let name: ByteString
  /// The identifier of the folder that it is in; empty if there is none.
  let parent: ByteString

  init(_ name: ByteString, in parent: ByteString) {
    self.name = name
    self.parent = parent
  }
}

extension [ByteString: Folder] {
  /// The path of each folder. One that is in itself has its own name.
  var paths: [ByteString: ByteString] {
    mapValues { folder in
      var path = folder.name
      var (parent, depth) = (folder.parent, 0)
      while let next = self[parent], depth < count {
        if !next.name.isEmpty { path = next.name.joined(path) }
        (parent, depth) = (next.parent, depth + 1)
      }
      return depth < count ? path : folder.name
    }
  }
}

extension ByteString {
  /// The path of a folder that is in this one.
  func joined(_ name: ByteString) -> ByteString { ByteString(bytes + [UInt8(ascii: "/")] + name.bytes) }
}

extension SourceEntry {
  /// Takes the identifiers of folders, and returns their names. One that is unknown stays.
  mutating func folders(
    _ wanted: ByteString, among names: [ByteString: ByteString]
  ) throws(JSONReader.Malformed) -> [ByteString] {
    var folders: [ByteString] = []
    let parts = try openElements(wanted)
    let indices = parts.isEmpty ? [index(of: [wanted])] : parts.map(\.indices.first)
    for index in indices {
      guard let identifier = peek(at: index)?.text, let name = names[identifier].nonEmpty else { continue }
      _ = take(at: index)
      folders.append(name)
    }
    return folders
  }
}
