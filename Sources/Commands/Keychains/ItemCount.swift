import Keychain
import ToolCommands

/// How many items a keychain has, in the same words wherever they are counted.
struct ItemCount {
  /// Those that are listed.
  var logins: Int
  /// Those that other programs keep in the same keyring, as far as they are told apart.
  var others = 0

  init(logins: Int, others: Int = 0) {
    (self.logins, self.others) = (logins, others)
  }

  /// What a service with one collection has; `nil` if its items can't be told apart from here.
  ///
  /// - Parameter logins: the number of those that are listed.
  init?(_ facts: DesktopKeychainFacts, logins: Int) {
    guard let all = facts.collection?.itemCount, all >= logins, !facts.hasItemsElsewhere else { return nil }
    self.init(logins: logins, others: all - logins)
  }

  var total: Int { logins + others }

  /// `12 logins and 1 item of other programs`
  var text: String {
    if others == 0 { return countText(logins, "item") }
    let ofOthers = "\(countText(others, "item")) of other programs"
    return logins == 0 ? ofOthers : "\(countText(logins, "login")) and \(ofOthers)"
  }

  /// `12 logins, 1 other`, for a column.
  var shortText: String {
    logins == 0 || others == 0 ? text : "\(countText(logins, "login")), \(countText(others, "other"))"
  }
}

extension DesktopKeychainFacts {
  /// Whether other collections than that of new items have something, or may have it.
  var hasItemsElsewhere: Bool { collections.contains { $0 != collection && $0.itemCount != 0 } }
}
