import Keychain
import KeychainChoice
import OpenBao

/// Which items of a keychain come into another one, and whether something stays that somebody would miss there.
final class MigratedItems {
  private let filter: ItemFilter
  /// Whether only those come that 'llavero list' shows.
  private let areListed: Bool
  private let target: ListedKeychain
  /// Whether the login for the server stays, by which the keychain is reached.
  private(set) var leavesLogin = false
  /// Whether tokens stay that are got from an exchange or an app.
  private(set) var leavesMinted = false

  init(_ filter: ItemFilter, areListed: Bool, into target: ListedKeychain) {
    self.filter = filter
    self.areListed = areListed
    self.target = target
  }

  /// Whether the person has chosen the item.
  func isMeant(_ item: Item) -> Bool {
    filter.matches(item) && (!areListed || item.key.itemClass.isPassword)
  }

  /// Whether a chosen item comes: a server keeps neither its own login nor what tokens are made with.
  func comes(_ item: Item) -> Bool {
    if !isMeant(item) { return false }
    guard target.kind.isOnServer else { return true }
    // A client goes along with the token that it got.
    if item.key.isRenewalSetting || item.isMinted {
      leavesMinted = leavesMinted || item.isMinted
      return false
    }
    guard case .internetPassword(let key) = item.key, key.securityDomain == OpenBaoKeychain.loginDomain
    else { return true }
    leavesLogin = true
    return false
  }
}
