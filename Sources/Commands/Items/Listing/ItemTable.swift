import Keychain
import ToolCommands

extension ItemOutput {
  /// - Parameter hasKeychains: whether the table has a column for the keychain.
  static func header(hasKeychains: Bool) -> [String] {
    ["PLACE", "ACCOUNT"] + (hasKeychains ? ["KEYCHAIN"] : []) + ["CHANGED", ""]
  }

  static func table(_ items: [Item]) -> TextForTerminal {
    let hasKeychains = items.contains { $0.keychain != nil }
    return columns([header(hasKeychains: hasKeychains)] + items.map { row($0, hasKeychains: hasKeychains) })
  }

  /// The items that somebody is asked about: the first twenty, and how many more there are.
  static func tableForQuestion(_ items: [Item]) -> TextForTerminal {
    let shown = 20
    if items.count <= shown { return table(items) }
    return table(Array(items.prefix(shown))) + "... and \(items.count - shown) more\n"
  }

  /// - Parameter isShadowed: whether an earlier keychain has an item with the same key, which answers in its place.
  static func row(_ item: Item, hasKeychains: Bool, isShadowed: Bool = false) -> [String] {
    let place = [item.key.place, item.key.account.map { "\($0)" } ?? "-"]
    let keychain = hasKeychains ? [item.keychain ?? "-"] : []
    return (place + keychain + [changed(item), remark(on: item, isShadowed: isShadowed)]).map(terminalText)
  }

  private static func changed(_ item: Item) -> String {
    guard let date = item.modificationDate else { return "-" }
    return dateText(date)
  }

  private static func remark(on item: Item, isShadowed: Bool) -> String {
    let noted = [item.label, item.comment].compactMap { $0 }.map { "\($0)" }.joined(separator: ": ")
    var remarks: [String] = []
    if item.isHidden { remarks.append("hidden here") }
    if isShadowed { remarks.append("an earlier keychain answers") }
    if item.isDefault { remarks.append("default") }
    return (remarks + (noted.isEmpty ? [] : [noted])).joined(separator: "; ")
  }
}
