import Bytes
import EncryptedFile
import Keychain
import ToolCommands

/// A deleted item or replaced secret that can be brought back.
struct Retired {
  /// The item, as it was.
  let item: Item
  /// When it went out of use.
  let retired: Timestamp
  let reason: RetirementReason
  /// Brings it back, perhaps in place of the present secret, and returns the item.
  let bringBack: (_ replacing: Bool) throws(KeychainError) -> Item
}

/// The output of `llavero undelete --list`.
struct RetiredListing {
  /// The latest first.
  let items: [Retired]
  /// Whether the items have numbers for `--entry`, which count within one place.
  let isNumbered: Bool
  /// Whether several keychains are listed, so that each is named.
  let hasKeychains: Bool

  /// - Parameter width: the number of the terminal's columns; `nil` for any. Nothing but the seconds is left out: the
  ///   moment alone tells the entries of one place apart. It is below the row if there is no room beside it.
  func table(inUTC: Bool, fittedTo width: Int? = TerminalStyle().width) -> TextForTerminal {
    let whole = rows(seconds: true, inUTC: inUTC)
    guard let width else { return columns(whole) }
    for rows in [whole, rows(seconds: false, inUTC: inUTC)] {
      let text = columns(rows)
      if text.shown.split(separator: "\n").allSatisfy({ displayWidth(String($0)) <= width }) { return text }
    }
    return columns(whole, wrappedTo: width)
  }

  private func rows(seconds: Bool, inUTC: Bool) -> [[String]] {
    var titles = ["PLACE", "ACCOUNT", "WHAT", "WHEN"]
    if hasKeychains { titles.insert("KEYCHAIN", at: 2) }
    if isNumbered { titles.insert("ENTRY", at: 0) }
    let rows = items.enumerated().map { position, retired in
      let item = retired.item
      var row = [
        item.key.secretServiceItem == nil ? item.key.place : "\(item.nameForSearch)",
        item.key.account.nonEmpty.map { "\($0)" } ?? "-", retired.reason.rawValue,
        dateText(retired.retired, seconds: seconds, inUTC: inUTC),
      ]
      if hasKeychains { row.insert(item.keychain ?? "-", at: 2) }
      if isNumbered { row.insert("\(position + 1)", at: 0) }
      return row
    }
    return [titles] + rows
  }

  var report: [JSONObject] {
    items.enumerated().map { position, retired in
      var item = retired.item
      item.isHidden = false
      return [
        "entry": isNumbered ? position + 1 : nil, "reason": retired.reason.rawValue,
        "retired": retired.retired,
      ] + item.report
    }
  }
}
