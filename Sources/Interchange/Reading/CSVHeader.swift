import Bytes

/// The names of the columns of a file of comma-separated values, and their separator: commas, or semicolons or tabs in
/// a file from a spreadsheet.
struct CSVHeader {
  /// The names, without surrounding white space.
  let names: [ByteString]
  let style: CSVStyle
  let rows: CSVRows

  private static let separators = Array(",;\t".utf8)

  /// - Returns: `nil` if the first row is invalid.
  init?(_ text: UnsafeRawBufferPointer, escape: CSVStyle.Escape = .doubled) {
    // A first line that tells a spreadsheet the separator.
    var lines = FileLines(text)
    let told = lines.next().flatMap { line in
      let bytes = line.text.prefix(8).filter { $0 != UInt8(ascii: "\"") }
      return bytes.count == 5 && bytes.starts(with: "sep=".utf8) ? bytes.last : nil
    }
    var best: CSVHeader?
    for separator in told.map({ (separator: UInt8) in [separator] }) ?? Self.separators {
      let style = CSVStyle(separator: separator, escape: escape)
      var rows = CSVRows(text, style)
      if told != nil { _ = rows.next() }
      var row = rows.next()
      // Copying and pasting adds empty lines.
      while let empty = row, empty.isBlank { row = rows.next() }
      guard let fields = row?.fields, fields.count > best?.names.count ?? 0 else { continue }
      best = CSVHeader(fields.map { $0.text.trimmed }, style, rows)
    }
    guard let best else { return nil }
    self = best
  }

  private init(_ names: [ByteString], _ style: CSVStyle, _ rows: CSVRows) {
    self.names = names
    self.style = style
    self.rows = rows
  }
}
