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
  func names(
    _ name: StaticString, by identifier: StaticString
  ) throws(JSONReader.Malformed) -> [ByteString: ByteString] {
    var names: [ByteString: ByteString] = [:]
    if kind != .array { return names }
    try JSONReader.elements(of: raw) { (element) throws(JSONReader.Malformed) in
      names[try element.text(identifier)] = try element.text(name)
    }
    return names
  }
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
