import Keychain
import ToolCommands

extension ItemOutput {
  /// - Parameter hasKeychains: whether the table has a column for the keychain.
  static func header(hasKeychains: Bool, of rows: [[String]]) -> [String] {
    let hasLabels = rows.contains { $0.last?.isEmpty == false }
    return ["PLACE", "ACCOUNT"] + (hasKeychains ? ["KEYCHAIN"] : []) + ["CHANGED", hasLabels ? "LABEL" : ""]
  }

  static func table(_ items: [Item]) -> TextForTerminal {
    let hasKeychains = items.contains { $0.keychain != nil }
    let rows = items.map { row($0, hasKeychains: hasKeychains) }
    return columns([header(hasKeychains: hasKeychains, of: rows)] + rows)
  }

  /// The items that somebody is asked about: the first twenty, and how many more there are.
  static func tableForQuestion(_ items: [Item]) -> TextForTerminal {
    let shown = 20
    if items.count <= shown { return table(items) }
    return table(Array(items.prefix(shown))) + "... and \(items.count - shown) more\n"
  }

  /// - Parameter isShadowed: whether an earlier keychain has an item with the same key, which answers in its place.
  static func row(_ item: Item, hasKeychains: Bool, isShadowed: Bool = false, inUTC: Bool = false)
    -> [String]
  {
    let place = [item.key.place, item.key.account.map { "\($0)" } ?? "-"]
    let keychain = hasKeychains ? [item.keychain ?? "-"] : []
    let changed = item.modificationDate.map { dateText($0, inUTC: inUTC) } ?? "-"
    return (place + keychain + [changed, remark(on: item, isShadowed: isShadowed)]).map(terminalText)
  }

  private static func remark(on item: Item, isShadowed: Bool) -> String {
    let noted = [item.label, item.comment].compactMap { $0 }.map { "\($0)" }.joined(separator: ": ")
    var remarks: [String] = []
    if item.isHidden { remarks.append("hidden here") }
    if isShadowed { remarks.append("an earlier keychain answers") }
    if item.isDefault { remarks.append("default") }
    let state = remarks.isEmpty ? "" : "(\(remarks.joined(separator: ", ")))"
    return [state, noted].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
