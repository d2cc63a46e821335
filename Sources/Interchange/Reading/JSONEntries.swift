import Bytes
import JSON
import Keychain

/// The entries of a source in JSON, each an object somewhere in it.
struct JSONEntries: ~Copyable {
  private var positions: FilePositions
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
    do throws(JSONReader.Malformed) {
      var entry = SourceEntry(
        at: line, removals: [Removal(positions.range(of: item.raw), replacement: .emptyObject)])
      try entry.addMembers(of: item.raw, flattening: nested)
      if entry.isEmpty { return }
      try take(&entry, &found)
    } catch {
      found.passOver(line, .malformed)
    }
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
