import Keychain

/// Formats rows as columns, each as wide as its longest cell, two spaces apart. Shows invisible characters in cells.
package func columns(_ rows: [[String]]) -> TextForTerminal {
  columns(rows, cutTo: nil, whole: 0)
}

/// Formats rows as columns, whose last one is broken at spaces to fit a terminal.
///
/// - Parameters:
///   - width: the number of the terminal's columns; `nil` leaves each row on a line.
///   - isWhole: whether a row stays on a line anyway, because its last cell is pasted.
package func columns(
  _ rows: [[String]], wrappedTo width: Int?, keeping isWhole: ([String]) -> Bool = { _ in false }
) -> TextForTerminal {
  guard let width else { return columns(rows) }
  let rows = rows.map(shownCells)
  var table = Table()
  table.fit(rows)
  var text: TextForTerminal = ""
  for row in rows {
    for line in table.lines(row, wrappedTo: width, keepingLast: isWhole(row)) { text += "\(line)\n" }
  }
  return text
}

/// Formats rows as columns, which are cut to fit a terminal as a ``Table`` is.
///
/// - Parameters:
///   - width: the number of the terminal's columns; `nil` for any.
///   - whole: how many columns always stay whole.
package func columns(_ rows: [[String]], cutTo width: Int?, whole: Int) -> TextForTerminal {
  let rows = rows.map(shownCells)
  var table = Table(limit: width, whole: whole)
  table.fit(rows)
  return rows.reduce(into: "") { $0 += "\(table.line($1))\n" }
}

private func shownCells(_ row: [String]) -> [String] { row.map(terminalText) }

/// The column widths of a table, which grow as rows are added. Columns never become narrower, so that the first rows
/// can be shown before the rest is known.
///
/// Where a line is too long for the terminal, the last column is cut, and then columns are left out from the end. The
/// first ones stay whole, because people paste what is in them.
package struct Table {
  /// The maximum width of a line in terminal columns; `nil` for any.
  private let limit: Int?
  /// How many columns always stay whole.
  private let whole: Int
  private var widths: [Int] = []
  private var shown: [Int] = []
  /// How many columns there are room for, once the first rows have shown that.
  private var fitting: Int?

  /// The last column isn't cut below this many terminal columns.
  private static let least = 8
  private static let gap = 2

  package init(limit: Int? = nil, whole: Int = 0) {
    self.limit = limit
    self.whole = whole
  }

  /// How many of the last columns are left out, because there is no room for them.
  package var leftOut: Int { fitting.map { widths.count - $0 } ?? 0 }

  /// Widens the columns to fit the rows, and cuts the last one, or leaves columns out, to fit the limit.
  package mutating func fit(_ rows: [[String]]) {
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], displayWidth(cell))
      }
    }
    shown = widths
    guard let limit else { return }
    let last = widths.count - 1
    var count = fitting ?? widths.count
    while true {
      let used = widths.prefix(count).filter { $0 > 0 }
      let excess = used.reduce(0, +) + Self.gap * max(0, used.count - 1) - limit
      if excess <= 0 || count <= whole { break }
      if count > last, fitting != nil || widths[last] - excess >= Self.least {
        shown[last] = max(Self.least, widths[last] - excess)
        break
      }
      if fitting != nil { break }
      count -= 1
    }
    fitting = count
  }

  /// A row whose last cell is broken at spaces: below itself, or if there it would be too narrow, below the whole row.
  /// If the first of two columns is very wide, the last cell of each row is below it.
  ///
  /// - Parameter keepsLast: whether the last cell is never broken, because it is pasted.
  package func lines(
    _ cells: [String], wrappedTo width: Int, keepingLast keepsLast: Bool = false
  ) -> [String] {
    let whole = line(cells)
    let isStacked = widths.count == 2 && widths[0] > Self.widest
    guard isStacked || displayWidth(whole) > width, cells.count > 1, let last = cells.last, !last.isEmpty
    else { return [whole] }
    let others = Array(cells.dropLast())
    let start = displayWidth(line(others + ["x"])) - 1
    if !isStacked, width - start >= Self.leastWrapped {
      if keepsLast { return [whole] }
      let parts = wrapped(last, to: width - start)
      return [line(others + [parts[0]])] + parts.dropFirst().map { Self.spaces(start) + $0 }
    }
    let parts = keepsLast ? [last] : wrapped(last, to: width - Self.indentation)
    let below = parts.map { Self.spaces(Self.indentation) + $0 }
    // A row that goes on with the one above has nothing in the other columns.
    return others.allSatisfy(\.isEmpty) ? below : linesAbove(others, wrappedTo: width) + below
  }

  /// The other cells of such a row. The last of them is broken at spaces where it is too wide, below itself.
  private func linesAbove(_ cells: [String], wrappedTo width: Int) -> [String] {
    let whole = line(cells)
    let start = displayWidth(line(cells.dropLast() + ["x"])) - 1
    guard displayWidth(whole) > width, cells.count > 1, width - start >= Self.leastWrapped,
      let last = cells.last
    else { return [whole] }
    let parts = wrapped(last, to: width - start)
    return [line(cells.dropLast() + [parts[0]])] + parts.dropFirst().map { Self.spaces(start) + $0 }
  }

  /// The greatest width of the first of two columns that has the other beside it.
  private static let widest = 30
  /// The least width in which text is broken, and where it begins if there isn't as much.
  package static let leastWrapped = 24
  package static let indentation = 6

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  package func line(_ cells: [String]) -> String {
    var line: [UInt8] = []
    var missing = 0
    for (column, cell) in cells.prefix(fitting ?? cells.count).enumerated() {
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
