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
  let rows = rows.map(shownCells)
  var table = Table()
  table.fit(rows)
  return rows.reduce(into: "") { text, row in
    for line in table.lines(row, wrappedTo: width, keepingLast: isWhole(row)) { text += "\(line)\n" }
  }
}

/// Formats rows as columns, which are cut, and then broken, to fit a terminal as a ``Table`` is.
///
/// - Parameters:
///   - width: the number of the terminal's columns; `nil` for any.
///   - whole: how many columns always stay whole.
package func columns(_ rows: [[String]], cutTo width: Int?, whole: Int) -> TextForTerminal {
  let rows = rows.map(shownCells)
  var table = Table(limit: width, whole: whole)
  table.fit(rows)
  return rows.reduce(into: "") { text, row in
    for line in table.lines(row, wrappedTo: width) { text += "\(line)\n" }
  }
}

private func shownCells(_ row: [String]) -> [String] { row.map(terminalText) }

/// The column widths of a table, which grow as rows are added. Columns never become narrower, so that the first rows
/// can be shown before the rest is known.
///
/// Where a line is too long for the terminal, the last column is cut, and then columns are left out from the end. The
/// first ones stay whole, because people paste what is in them; ``lines(_:wrappedTo:keepingLast:)`` breaks between them.
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

  /// A row as lines that fit a terminal. Cells at the end for which there is no room are below the row. The last one
  /// that stays is broken at spaces, below itself. If the first of two columns is very wide, the other is below it in
  /// each row; of more columns, one for whose widest cell there is no room is below in each row, the heading too.
  ///
  /// - Parameters:
  ///   - width: the number of the terminal's columns; `nil` leaves the row on a line.
  ///   - keepsLast: whether the last cell is never broken, because it is pasted.
  package func lines(
    _ row: [String], wrappedTo width: Int?, keepingLast keepsLast: Bool = false
  ) -> [String] {
    var cells = Array(row.prefix(fitting ?? row.count))
    while cells.last?.isEmpty == true { cells.removeLast() }
    guard let width, cells.count > 1 else { return [line(cells)] }
    let last = cells.count - 1
    let lower = width - Self.indentation
    func start(_ column: Int) -> Int { displayWidth(line(cells.prefix(column) + ["x"])) - 1 }
    func parts(_ column: Int, _ room: Int) -> [String] {
      keepsLast && column == last ? [cells[column]] : wrapped(cells[column], to: room)
    }
    func fits(_ column: Int, _ room: Int) -> Bool {
      parts(column, room).allSatisfy { displayWidth($0) <= room }
    }
    let isTooWide = displayWidth(line(cells)) > width
    var beside = cells.count
    if widths.count == 2 {
      if widths[0] > Self.widest || isTooWide && width - start(1) < Self.leastWrapped { beside = 1 }
    } else {
      while beside > 1 {
        let room = width - start(beside - 1)
        if room >= Self.leastWrapped || shown[beside - 1] <= room { break }
        beside -= 1
      }
    }
    // A word that is too long beside the others may have room below.
    if beside > last, isTooWide, !keepsLast, !fits(last, width - start(last)), fits(last, lower) {
      beside = last
    }
    var lines = brokenAtEnd(Array(cells.prefix(beside)), width, parts)
    let rest = (beside..<cells.count).filter { !cells[$0].isEmpty }
    let joined = rest.map { cells[$0] }.joined(separator: Self.spaces(Self.gap))
    let below =
      rest.count > 1 && displayWidth(joined) <= lower ? [joined] : rest.flatMap { parts($0, lower) }
    lines += below.map { Self.spaces(Self.indentation) + $0 }
    return lines
  }

  /// Cells beside each other, the last of which is broken below itself if there are several, and too wide. None for
  /// empty ones: such a row goes on with the one above.
  ///
  /// - Parameter parts: breaks the cell of a column to fit a width.
  private func brokenAtEnd(
    _ cells: [String], _ width: Int, _ parts: (_ column: Int, _ room: Int) -> [String]
  ) -> [String] {
    if cells.allSatisfy(\.isEmpty) { return [] }
    let whole = line(cells)
    guard displayWidth(whole) > width, cells.count > 1 else { return [whole] }
    let others = Array(cells.dropLast())
    let start = displayWidth(line(others + ["x"])) - 1
    let broken = parts(cells.count - 1, width - start)
    return [line(others + [broken[0]])] + broken.dropFirst().map { Self.spaces(start) + $0 }
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
