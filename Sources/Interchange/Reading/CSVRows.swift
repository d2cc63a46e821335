import Bytes

struct CSVField {
  /// Its text in the file, without surrounding quotes.
  let raw: UnsafeRawBufferPointer
  /// Whether it is quoted, so that each quote in it is escaped.
  let isQuoted: Bool
  let escape: CSVStyle.Escape

  var isEmpty: Bool { raw.isEmpty }

  /// The value, if it is confidential.
  var secret: Secret {
    var secret = Secret(capacity: raw.count)
    var index = 0
    while index < raw.count {
      if isQuoted, escape == .backslash, raw[index] == CSVRows.backslash, index + 1 < raw.count { index += 1 }
      secret.append(raw[index])
      index += isQuoted && escape == .doubled && raw[index] == CSVRows.quote ? 2 : 1
    }
    return secret
  }

  /// The value, if it is not confidential.
  var text: ByteString { ByteString(secret) }
}

struct CSVRow {
  /// Its lines, counting from 1.
  let lines: ClosedRange<Int>
  /// Its range in the file, including the line ending.
  let range: Range<Int>
  /// Its fields; `nil` if its quotes are malformed.
  let fields: [CSVField]?
  /// Whether a quote in it is never closed, so that it reaches to the end of the file.
  let isOpen: Bool

  var origin: Origin { lines.count == 1 ? .line(lines.lowerBound) : .lines(lines) }

  /// Whether it is an empty line, which is ignored.
  var isBlank: Bool { fields.map { $0.count == 1 && $0[0].isEmpty && !$0[0].isQuoted } ?? false }
}

extension SourceEntry {
  /// The entry of a row, with its first fields under these names.
  init(of row: CSVRow, _ names: [FieldName], _ fields: [CSVField]) {
    self.init(
      at: .line(row.lines.lowerBound), removals: [Removal(row.range)], names,
      fields.prefix(names.count).map { .csv($0) })
  }
}

extension FoundLogins {
  /// Reads rows with fields of alternating names and values, which a person may have named.
  ///
  /// - Parameters:
  ///   - first: the names of the fields before them.
  ///   - last: the name of the one after them, if there is one.
  ///   - isHeader: whether the first row has just names.
  ///   - take: takes an entry.
  init(
    namedValuesIn text: UnsafeRawBufferPointer, after first: [ByteString], before last: ByteString? = nil,
    isHeader: ([ByteString]) -> Bool, _ take: (inout TakenEntry, inout FoundLogins) -> Void
  ) {
    self.init()
    let further = first.count + (last == nil ? 0 : 1)
    for (number, row) in CSVRows(text).lazy.filter({ !$0.isBlank }).enumerated() {
      if number == 0, let fields = row.fields, isHeader(fields.map { $0.text }) { continue }
      guard let fields = row.fields, fields.count >= further, (fields.count - further).isMultiple(of: 2)
      else {
        passOver(row.origin, row.isOpen ? .cutOff : .malformed)
        continue
      }
      var taken = TakenEntry(SourceEntry(of: row, first.map { FieldName($0) }, fields))
      let end = fields.count - (last == nil ? 0 : 1)
      for index in stride(from: first.count, to: end, by: 2) {
        taken.entry.add(fields[index].text, .csv(fields[index + 1]), isPersons: true)
      }
      if let last { taken.entry.add(last, .csv(fields[end])) }
      take(&taken, &self)
    }
  }
}

/// How a program writes comma-separated values.
struct CSVStyle {
  enum Escape {
    /// By doubling it (RFC 4180 section 2).
    case doubled
    /// By a backslash, which also escapes a backslash (keepass.info, "Import / Export").
    case backslash
  }

  var separator = UInt8(ascii: ",")
  var escape = Escape.doubled
}

/// The rows of a file of comma-separated values (RFC 4180), where lines may also end with just LF.
struct CSVRows: Sequence, IteratorProtocol {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let backslash = UInt8(ascii: "\\")
  private static let lineFeed: UInt8 = 0x0a

  private let file: UnsafeRawBufferPointer
  private let style: CSVStyle
  private var position = 0
  private var line = 1

  init(_ file: UnsafeRawBufferPointer, _ style: CSVStyle = CSVStyle()) {
    self.file = file
    self.style = style
  }

  mutating func next() -> CSVRow? {
    guard position < file.count else { return nil }
    let start = position
    let number = line
    var fields: [CSVField]? = []
    var isOpen = false
    while true {
      guard let field = field() else {
        fields = nil
        isOpen = position == file.count
        // The rest of the line can't be parsed.
        while position < file.count, file[position] != Self.lineFeed { position += 1 }
        break
      }
      fields?.append(field)
      guard position < file.count, file[position] == style.separator else { break }
      position += 1
    }
    // The line after the last one is empty.
    let last = isOpen && file[position - 1] == Self.lineFeed ? line - 1 : line
    if position < file.count {
      if file[position] == 0x0d { position += 1 }
      position += 1
      line += 1
    }
    return CSVRow(
      lines: number...Swift.max(number, last), range: start..<position, fields: fields, isOpen: isOpen)
  }

  /// The next field, up to the separator, the end of the line or the end of the file; `nil` if something else follows
  /// it.
  private mutating func field() -> CSVField? {
    let start = position
    guard position < file.count, file[position] == Self.quote else {
      while position < file.count, file[position] != style.separator, !isAtEndOfLine {
        // Some programs end a row at a lone carriage return, and programs that write one in a field quote it.
        if file[position] == Self.quote || file[position] == 0x0d { return nil }
        position += 1
      }
      return CSVField(
        raw: file.slice(start..<position), isQuoted: false, escape: style.escape)
    }
    position += 1
    while position < file.count {
      if style.escape == .backslash {
        if file[position] == Self.quote { break }
        if file[position] == Self.backslash, position + 1 < file.count { position += 1 }
      } else if file[position] == Self.quote {
        guard position + 1 < file.count, file[position + 1] == Self.quote else { break }
        position += 1
      }
      if file[position] == Self.lineFeed { line += 1 }
      position += 1
    }
    guard position < file.count else { return nil }
    let raw = file.slice(start + 1..<position)
    position += 1
    guard position == file.count || file[position] == style.separator || isAtEndOfLine else { return nil }
    return CSVField(raw: raw, isQuoted: true, escape: style.escape)
  }

  private var isAtEndOfLine: Bool {
    file[position] == Self.lineFeed
      || file[position] == 0x0d && position + 1 < file.count && file[position + 1] == Self.lineFeed
  }
}
