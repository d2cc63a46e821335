import Bytes
import Keychain
import KeychainChoice
import ToolCommands

/// The items whose secrets expire by some time, soonest first. Unlike other lists, it reads secrets, because an expiry
/// is as confidential as they are.
struct ExpiringListing {
  private struct Entry {
    let item: Item
    let expiry: Int64
    let renewsItself: Bool
  }

  private var entries: [Entry] = []

  /// Without any.
  init() {}

  /// - Parameters:
  ///   - items: the keychain's items to look at.
  ///   - limit: the latest expiry, in seconds since the Unix epoch.
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  init(of items: [Item], in keychain: OpenKeychain, by limit: Int64) throws(KeychainError) {
    let store = keychain.keychain
    var found: [Entry] = []
    for item in items {
      guard let credential = try store.credentialIfPresent(of: item), let expiry = credential.expiry,
        expiry <= limit
      else { continue }
      found.append(
        Entry(
          item: item, expiry: expiry, renewsItself: credential.hasRefreshToken || item.isMinted))
    }
    entries = found.sorted { $0.expiry < $1.expiry }
  }

  var isEmpty: Bool { entries.isEmpty }

  func table(at now: Timestamp, inUTC: Bool) -> TextForTerminal {
    columns(
      [["PLACE", "ACCOUNT", "EXPIRES", ""]]
        + entries.map { entry in
          [
            entry.item.key.place, entry.item.key.account.nonEmpty.map { "\($0)" } ?? "-",
            Self.end(entry, now, inUTC: inUTC),
            entry.renewsItself ? "renews itself" : "",
          ]
        }, wrappedTo: TerminalStyle().width)
  }

  private static func end(_ entry: Entry, _ now: Timestamp, inUTC: Bool = false) -> String {
    // A minted token's first secret expired at the beginning of time.
    if entry.expiry <= 1 { return "expired" }
    let date = dateText(Timestamp(seconds: entry.expiry), inUTC: inUTC)
    return entry.expiry <= now.seconds ? "\(date), expired" : date
  }

  /// The secrets that a person has to see to, in rows for a status; those that renew themselves are only counted.
  func summary(at now: Timestamp) -> [[String]] {
    let own = entries.filter { !$0.renewsItself }
    var texts = own.prefix(Self.summarySize).map { entry in
      let account = entry.item.key.account.map { " (\($0))" } ?? ""
      return "\(entry.item.key.place)\(account): \(Self.end(entry, now))"
    }
    if own.count > Self.summarySize { texts.append("and \(own.count - Self.summarySize) more") }
    let others = entries.count - own.count
    if others > 0 { texts.append(others == 1 ? "1 that renews itself" : "\(others) that renew themselves") }
    if texts.isEmpty { return [] }
    texts[texts.count - 1] += "; see 'llavero list --expiring \(Self.soonText)'"
    return texts.enumerated().map { [$0.offset == 0 ? "expiring" : "", $0.element] }
  }

  /// How many items a summary names.
  private static let summarySize = 3
  /// A status's "soon", in seconds and in the form of ``ExpiryText``.
  static let soon: Int64 = 14 * 86_400
  private static let soonText = "14d"

  var report: [JSONObject] {
    entries.map { $0.item.report(expiry: $0.expiry, renewsItself: $0.renewsItself) }
  }
}
