import CredentialProtocols
package import Keychain

/// A login in a shared keychain that is hidden on this machine, because a server has refused it.
package struct HiddenLogin {
  private let item: Item
  private let keychain: String

  /// `nil` if the item isn't hidden.
  package init?(_ item: Item) {
    guard item.isHidden, let keychain = item.keychain else { return nil }
    self.item = item
    self.keychain = keychain
  }

  /// The best of the items; `nil` unless all of them are hidden.
  package init?(onlyAmong items: [Item]) {
    guard let first = items.first, items.allSatisfy(\.isHidden) else { return nil }
    self.init(first)
  }

  /// The words of the command that shows hidden items again: those of the item's place, or all where it has none.
  package static func revealing(_ items: [Item], in keychain: String) -> [String] {
    var words = ["llavero", "keychain", "reveal", keychain]
    if items.count == 1, case .internetPassword(let key) = items[0].key, key.securityDomain == nil,
      let url = key.url()
    {
      words.append(url)
    }
    return words
  }

  /// The words of the command that shows it again.
  package var revealing: [String] { Self.revealing([item], in: keychain) }

  /// Why nothing answers.
  package var failure: KeychainError {
    .failure(
      "the secret for \(item.name) in the keychain \(keychain) is hidden here, because a server has refused it",
      hint: "it answers again once somebody changes it, or after \(commandOf: revealing)",
      status: .nothingMatched)
  }
}
