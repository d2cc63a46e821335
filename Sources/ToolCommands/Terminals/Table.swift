import Keychain

/// Formats rows as columns, each as wide as its longest cell, two spaces apart. Shows invisible characters in cells.
package func columns(_ rows: [[String]]) -> TextForTerminal {
  let rows = rows.map { $0.map(terminalText) }
  var table = Table()
  table.fit(rows)
  return rows.reduce(into: "") { $0 += "\(table.line($1))\n" }
}

/// The column widths of a table, which grow as rows are added. Columns never become narrower, so that the first rows
/// can be shown before the rest is known.
package struct Table {
  /// The maximum width of a line in terminal columns; `nil` for any.
  package var limit: Int?
  private var widths: [Int] = []
  private var shown: [Int] = []

  /// No column is narrowed below this many terminal columns.
  private static let least = 8
  private static let gap = 2

  package init(limit: Int? = nil) {
    self.limit = limit
  }

  /// Widens the columns to fit the rows, then narrows the widest ones to fit the limit.
  package mutating func fit(_ rows: [[String]]) {
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], displayWidth(cell))
      }
    }
    shown = widths
    guard let limit else { return }
    func total() -> Int {
      let used = shown.filter { $0 > 0 }
      return used.reduce(0, +) + Self.gap * max(0, used.count - 1)
    }
    while total() > limit, let widest = shown.max(), widest > Self.least,
      let column = shown.lastIndex(of: widest)
    {
      shown[column] -= 1
    }
  }

  package func line(_ cells: [String]) -> String {
    var line: [UInt8] = []
    var missing = 0
    for (column, cell) in cells.enumerated() {
      var width = displayWidth(cell)
      let columnWidth = column < shown.count ? shown[column] : width
      if cell.isEmpty {
        missing += columnWidth + Self.gap
        continue
      }
      line += repeatElement(0x20, count: missing)
      if limit != nil, width > columnWidth {
        let cut = shortened(cell, to: columnWidth)
        line += cut.utf8
        width = displayWidth(cut)
      } else {
        line += cell.utf8
      }
      missing = max(0, columnWidth - width) + Self.gap
    }
    return String(decoding: line, as: UTF8.self)
  }
}
