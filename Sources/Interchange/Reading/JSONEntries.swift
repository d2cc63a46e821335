import Bytes
import Keychain

/// The entries of a source in JSON, each an object somewhere in it.
struct JSONEntries: ~Copyable {
  private var positions: FilePositions
  /// The number of entries so far, including empty ones.
  private var number = 0
  var found = FoundLogins()

  init(_ text: UnsafeRawBufferPointer) { positions = FilePositions(text) }

  /// Reads an export: an object with all entries in one member.
  ///
  /// - Parameters:
  ///   - list: the member.
  ///   - others: further members for `read`.
  ///   - word: what the member has, for people: `entries`.
  ///   - otherwise: how to export it instead, if it may be encrypted.
  ///   - read: reads the entries in the member. It gets the others, too.
  static func read(
    _ text: UnsafeRawBufferPointer, of program: String, _ list: ByteString, besides others: ByteString...,
    called word: String = "entries", ifEncrypted otherwise: String? = nil,
    _ read: (JSONValue, [ByteString: JSONValue], inout JSONEntries) throws(JSONReader.Malformed) -> Void
  ) throws(FormatFault) -> FoundLogins {
    var entries = JSONEntries(text)
    var members: [ByteString: JSONValue] = [:]
    var isEncrypted = false
    do throws(JSONReader.Malformed) {
      members = try entries.members(of: text, list, others)
      if otherwise != nil { isEncrypted = try members["encrypted"]?.bool() ?? false }
      if let list = members[list], !isEncrypted { try read(list, members, &entries) }
    } catch {
      throw FormatFault("it is not JSON that \(program) exports")
    }
    if let otherwise, isEncrypted { throw FormatFault("it is encrypted; export it \(otherwise) instead") }
    guard members[list] != nil else { throw FormatFault("it has no \(word), as an export of \(program) has") }
    return entries.found
  }

  /// Whether a file begins with a JSON object.
  static func isObject(_ text: UnsafeRawBufferPointer) -> Bool {
    text.first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// Reads an entry, or skips it. Its removal leaves `{}` behind, which isn't read as an entry.
  ///
  /// - Parameters:
  ///   - nested: the member whose members count as the entry's own.
  ///   - take: makes logins of its fields.
  mutating func read(
    _ item: JSONValue, flattening nested: StaticString? = nil,
    _ take: (inout TakenEntry, inout FoundLogins) throws(JSONReader.Malformed) -> Void
  ) {
    let line = Origin.line(positions.line(of: item.raw))
    number += 1
    var entry = SourceEntry(
      at: line, removals: [Removal(positions.range(of: item.raw), replacement: .emptyObject)])
    do throws(JSONReader.Malformed) {
      try entry.addMembers(of: item.raw, flattening: nested)
    } catch {
      return found.passOver(nameless(line), .malformed)
    }
    if entry.isEmpty { return }
    var taken = TakenEntry(entry)
    do throws(JSONReader.Malformed) {
      try take(&taken, &found)
    } catch {
      // By then its title is known, if it has one.
      found.passOver(taken.entry.origin == line ? nameless(line) : taken.entry.origin, .malformed)
    }
  }

  /// Reads all entries in an array.
  mutating func readAll(
    _ list: JSONValue, flattening nested: StaticString? = nil,
    _ take: (inout TakenEntry, inout FoundLogins) throws(JSONReader.Malformed) -> Void
  ) throws(JSONReader.Malformed) {
    try JSONReader.elements(of: list.raw) { (item) throws(JSONReader.Malformed) in
      read(item, flattening: nested, take)
    }
  }

  /// The origin of an entry without a title. The whole file may be one line, which helps nobody.
  private func nameless(_ line: Origin) -> Origin {
    line == .line(1) ? .entry(ByteString("entry \(number)")) : line
  }

  /// Values outside the entries that every export has, and that aren't a person's: names and identifiers of the account
  /// and the program, dates, colours.
  private static let bookkeeping: [ByteString] = [
    "accountname", "avatar", "creationat", "display", "domain", "email", "encrypted", "exporterdisplayname",
    "exporterrpid", "fullname", "id", "modifiedat", "name", "timestamp", "title", "type", "userid",
    "username",
    "uuid", "version",
  ]

  /// The members of an object outside the entries. Notes that the file has something else if it has one that exports
  /// don't have by themselves, such as a description.
  ///
  /// - Parameters:
  ///   - read, others: the members that are read.
  /// - Throws: ``JSONReader/Malformed`` if it has a member twice.
  @discardableResult
  mutating func members(
    of object: UnsafeRawBufferPointer, _ read: ByteString? = nil, _ others: [ByteString] = []
  ) throws(JSONReader.Malformed) -> [ByteString: JSONValue] {
    var members: [ByteString: JSONValue] = [:]
    var hasOthers = false
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      // Programs differ in which one they read.
      if members.updateValue(value, forKey: name) != nil { throw JSONReader.Malformed() }
      if name == read || others.contains(name) || Self.bookkeeping.contains(name.lowercased) { return }
      if !FieldValue.json(value).isNothing(asChoice: false) { hasOthers = true }
    }
    if hasOthers { found.noteOthers() }
    return members
  }

  /// The same for a person's empty vault or collection, unless its entries were removed.
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
      guard name == wanted else { return }
      if member != nil { throw JSONReader.Malformed() }
      member = value
    }
    return member?.kind == .null ? nil : member
  }

  /// The text of a member that isn't confidential; may be empty.
  func text(_ wanted: StaticString) throws(JSONReader.Malformed) -> ByteString {
    guard let member = try member(wanted), member.kind == .string else { return "" }
    return try member.string()
  }
}
