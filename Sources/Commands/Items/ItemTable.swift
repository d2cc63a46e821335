import Keychain
import Terminals

extension ItemOutput {
  /// The first line of a table of items.
  static let header = ["PLACE", "ACCOUNT", "CHANGED", ""]

  /// Items as a table for people.
  static func table(_ items: [Item]) -> TextForTerminal { columns([header] + items.map(row)) }

  /// An item as a line of a table for people.
  static func row(_ item: Item) -> [String] {
    [item.key.place, item.key.account.map { "\($0)" } ?? "-", changed(item), remark(on: item)].map(
      terminalText)
  }

  private static func changed(_ item: Item) -> String {
    guard let date = item.modificationDate else { return "-" }
    return dateText(date)
  }

  private static func remark(on item: Item) -> String {
    let noted = [item.label, item.comment].compactMap { $0 }.map { "\($0)" }.joined(separator: ": ")
    if !item.isDefault { return noted }
    return noted.isEmpty ? "default" : "default; " + noted
  }
}
