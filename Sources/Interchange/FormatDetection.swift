public import Bytes

/// How much a file looks like one of a format.
enum Likeness: Comparable {
  case none
  /// It looks like the format, but could have another one.
  case possible
  case certain
}

/// The possible formats of a file, from a look into it. Each ``FileFormat`` knows what its files look like.
public struct FormatDetection {
  /// The file's format; `nil` if it has none, or several are possible.
  public let format: FileFormat?
  /// The possible formats, if it isn't certain.
  public let candidates: [FileFormat]
  /// Why it has none, if known.
  public let fault: FormatFault?

  /// The names of its columns, if it is a table; empty otherwise.
  public let columns: [ByteString]

  /// Looks into a file.
  public init(_ file: UnsafeRawBufferPointer) {
    var formats: [Likeness: [FileFormat]] = [:]
    var columns: [ByteString] = []
    func look(at shape: FileShape) {
      columns = shape.columns
      // A table may contain any line, such as a key in somebody's notes. Only the table itself is certain.
      if !columns.isEmpty {
        let known = FileFormat.all.filter { $0.likeness(shape.withoutLines) == .certain }
        if known.count == 1 { return formats[.certain] = known }
      }
      for format in FileFormat.all { formats[format.likeness(shape), default: []].append(format) }
    }
    var fault: FormatFault?
    do throws(FormatFault) {
      try SourceText(file).lend(of: file) { text in look(at: FileShape(text, in: file)) }
    } catch {
      fault = error
      look(at: FileShape(in: file))
    }
    let certain = formats[.certain] ?? []
    format = certain.count == 1 ? certain[0] : nil
    candidates = format != nil ? [] : certain.isEmpty ? formats[.possible] ?? [] : certain
    self.fault = fault
    self.columns = columns
  }
}

/// A file's appearance at first sight. Valid only as long as its text.
struct FileShape {
  let bytes: UnsafeRawBufferPointer
  /// Its text; empty if it is none.
  let text: UnsafeRawBufferPointer
  /// The names of the columns, if the first row is one of several; empty otherwise.
  let columns: [ByteString]
  /// The names of the members, if the text or its first line is a JSON object; empty otherwise.
  let members: [ByteString]
  /// The names in brackets on lines of their own, as in INI and TOML; empty otherwise.
  let sections: [ByteString]

  /// Whether its lines are characteristic. Those of XML, JSON and a table in quotes aren't: they may be somebody's
  /// notes.
  private var hasLines = true

  private static let manyLines = 100

  var withoutLines: FileShape {
    var shape = self
    shape.hasLines = false
    return shape
  }

  /// The shape of a file without text.
  init(in file: UnsafeRawBufferPointer) {
    bytes = file
    text = file.slice(..<0)
    (columns, members, sections) = ([], [], [])
  }

  init(_ text: UnsafeRawBufferPointer, in file: UnsafeRawBufferPointer) {
    bytes = file
    self.text = text
    let first = text.first { $0 > 0x20 }
    if let first { hasLines = !"{<\"".utf8.contains(first) }
    switch first {
    case UInt8(ascii: "{"):
      let first = FileLines(text).first { !$0.isBlank }
      members = Self.members(of: text) ?? first.flatMap { Self.members(of: $0.text) } ?? []
      (columns, sections) = ([], [])
    case UInt8(ascii: "["):
      sections = Self.sections(of: text)
      (columns, members) = ([], [])
    case UInt8(ascii: "<"): (columns, members, sections) = ([], [], [])
    default:
      let header = CSVHeader(text)?.names ?? []
      columns = header.count > 1 ? header : []
      sections = columns.isEmpty ? Self.sections(of: text) : []
      members = []
    }
  }

  /// The names of the members of a member's first element.
  func elementMembers(of name: ByteString) -> [ByteString] {
    var found: [ByteString] = []
    try? JSONReader.members(of: text) { (member, value) throws(JSONReader.Malformed) in
      guard found.isEmpty, value.kind == .array, try JSONValue.name(member) == name else { return }
      try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
        if found.isEmpty { found = Self.members(of: element.raw) ?? [] }
      }
    }
    return found
  }

  private static let manyRows = 20

  /// The fields of the first rows, for tables without a header; empty if one of them is malformed.
  var rows: [[CSVField]] {
    let rows = CSVRows(text).prefix(Self.manyRows).filter { !$0.isBlank }
    return rows.contains { $0.fields == nil && !$0.isOpen } ? [] : rows.compactMap { $0.fields }
  }

  /// Whether it is a ZIP archive whose first file's name has this beginning. The name is 30 bytes after the beginning
  /// (APPNOTE.TXT of PKWARE, section 4.3.7).
  func isArchive(of beginning: String) -> Bool {
    FileFormat.Wrapping.archive(members: []).isOne(bytes) && bytes.dropFirst(30).starts(with: beginning.utf8)
  }

  /// Whether it is XML with this root element, without comments before it.
  func isXML(_ root: String) -> Bool {
    guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return false }
    return text.prefix(512).split(separator: UInt8(ascii: "<")).contains { tag in
      tag.prefix { !isWhiteSpace($0) && $0 != UInt8(ascii: ">") }.elementsEqual(root.utf8)
    }
  }

  /// Whether one of the first lines, trimmed, satisfies a condition.
  func hasLine(where isWanted: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    hasLines && FileLines(text).prefix(Self.manyLines).contains { isWanted($0.text.trimmedSlice) }
  }

  func hasLine(beginningWith beginning: String) -> Bool { hasLine { $0.starts(with: beginning.utf8) } }

  /// Whether most of the first lines satisfy a condition, not counting comments, and also the very first: in a table,
  /// that is the header.
  func areLines(_ isWanted: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if !hasLines { return false }
    var wanted = 0
    var others = 0
    for line in FileLines(text).prefix(Self.manyLines) {
      let line = line.text.trimmedSlice
      guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
      if isWanted(line) { wanted += 1 } else { others += 1 }
      if wanted == 0 { return false }
    }
    return wanted > others
  }

  private static func members(of object: UnsafeRawBufferPointer) -> [ByteString]? {
    var names: [ByteString] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: object) { (name, _) throws(JSONReader.Malformed) in
        names.append(try JSONValue.name(name))
      }
    } catch {
      return nil
    }
    return names
  }

  private static func sections(of text: UnsafeRawBufferPointer) -> [ByteString] {
    FileLines(text).prefix(manyLines).compactMap { line in
      let name = ByteString(line.text).trimmed.bytes
      guard name.count > 2, name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") else {
        return nil
      }
      return ByteString(Array(name.dropFirst().dropLast()))
    }
  }
}
