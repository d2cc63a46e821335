import Keychain
import ToolCommands

/// One item in a table of items.
struct ItemRow {
  private let place: String
  private let account: String
  private let keychain: String
  /// What is so of the item here; empty if nothing is.
  let state: String
  private let changed: String
  /// Empty if it has none. A note is as long as a book, and may be confidential.
  let label: String

  /// - Parameter isShadowed: whether an earlier keychain has an item with the same key, which answers in its place.
  init(_ item: Item, isShadowed: Bool = false, inUTC: Bool = false) {
    place = terminalText(item.key.place)
    account = item.key.account.nonEmpty.map { terminalText("\($0)") } ?? "-"
    keychain = item.keychain.map { terminalText($0) } ?? "-"
    state = Self.state(of: item, isShadowed: isShadowed)
    changed = item.modificationDate.map { dateText($0, inUTC: inUTC) } ?? "-"
    label = item.label.map { terminalText("\($0)") } ?? ""
  }

  private static func state(of item: Item, isShadowed: Bool) -> String {
    var states: [String] = []
    if item.isHidden { states.append("hidden here") }
    if isShadowed { states.append("shadowed") }
    if item.isDefault { states.append("default") }
    return states.joined(separator: ", ")
  }

  fileprivate func cells(of columns: ItemColumns) -> [String] {
    // The first rows decide which columns there are; a later state stands before the label.
    let mark = columns.hasStates || state.isEmpty ? "" : "(\(state))"
    return [place, account] + (columns.hasKeychains ? [keychain] : []) + (columns.hasStates ? [state] : [])
      + [changed, [mark, label].filter { !$0.isEmpty }.joined(separator: " ")]
  }
}

/// Which columns a table of items has.
struct ItemColumns {
  fileprivate let hasKeychains: Bool
  fileprivate let hasStates: Bool
  private let hasLabels: Bool

  /// - Parameters:
  ///   - rows: the first items; a column that none of them fills has no heading, or isn't there.
  ///   - hasKeychains: whether there is a column for the keychain.
  init(of rows: [ItemRow], hasKeychains: Bool) {
    self.hasKeychains = hasKeychains
    hasStates = rows.contains { !$0.state.isEmpty }
    hasLabels = rows.contains { !$0.label.isEmpty }
  }

  var header: [String] {
    ["PLACE", "ACCOUNT"] + (hasKeychains ? ["KEYCHAIN"] : []) + (hasStates ? ["STATE"] : [])
      + ["CHANGED", hasLabels ? "LABEL" : ""]
  }

  /// How many columns stay whole on a narrow terminal.
  var whole: Int { 2 + (hasKeychains ? 1 : 0) + (hasStates ? 1 : 0) }

  func cells(_ row: ItemRow) -> [String] { row.cells(of: self) }

  /// What a table without its last columns doesn't show; `nil` if nothing.
  func missing(without leftOut: Int) -> String? {
    let named = [("CHANGED", "dates"), ("LABEL", "labels")]
    let names = named.filter { header.suffix(leftOut).contains($0.0) }.map(\.1)
    return names.isEmpty ? nil : names.joined(separator: " and ")
  }
}

extension ItemOutput {
  /// - Parameter width: the number of the terminal's columns, to which the last columns are cut; `nil` cuts nothing.
  static func table(_ items: [Item], cutTo width: Int? = nil) -> TextForTerminal {
    let rows = items.map { ItemRow($0) }
    let shown = ItemColumns(of: rows, hasKeychains: items.contains { $0.keychain != nil })
    return columns([shown.header] + rows.map(shown.cells), cutTo: width, whole: shown.whole)
  }

  /// The items that somebody is asked about: the first twenty, and how many more there are.
  static func tableForQuestion(_ items: [Item]) -> TextForTerminal {
    let shown = 20
    let width = TerminalStyle().width
    if items.count <= shown { return table(items, cutTo: width) }
    return table(Array(items.prefix(shown)), cutTo: width) + "... and \(items.count - shown) more\n"
  }
}
