public import Keychain

/// The items of another program in the desktop's Secret Service.
public struct DesktopItems: Sendable {
  /// Whose they are.
  public let name: String
  /// Whether programs find them in the Secret Service as they are, so that there is nothing to be done where that is the
  /// keychain.
  public let areForEverybody: Bool
  /// What such an item is here; `nil` if it is none of them.
  public let converted: @Sendable (Item) -> Item?

  /// Those of git's own helper `libsecret`, and whatever else of a server is there for everybody.
  public static let gitLibsecret = DesktopItems(name: "git-libsecret", areForEverybody: true) { item in
    guard case .internetPassword(let key) = item.key, key.securityDomain == nil else { return nil }
    return item
  }

  /// Git Credential Manager's: generic passwords of the service `NAMESPACE:URL`, `git` being the usual namespace
  /// (its manual, `credential.namespace`).
  public static let gcm = DesktopItems(name: "gcm", areForEverybody: false) { item in
    guard case .genericPassword(let key) = item.key, let colon = key.service.bytes.firstIndex(of: 0x3a),
      let place = GCMService.place(ofURL: ByteString(Array(key.service.bytes[(colon + 1)...])))
    else { return nil }
    return item.moved(to: place, account: key.account)
  }

  /// GitHub's program's: generic passwords of the service `gh:HOST`. One without an account is the one in use, which is
  /// there once more under its account.
  public static let gh = DesktopItems(name: "gh", areForEverybody: false) { item in
    guard case .genericPassword(let key) = item.key, key.service.bytes.starts(with: "gh:".utf8),
      let account = key.account.nonEmpty
    else { return nil }
    let host = ByteString(Array(key.service.bytes.dropFirst(3)))
    return item.moved(
      to: InternetPassword(protocol: "https", server: host.lowercased), account: account)
  }

  /// Those of docker-credential-secretservice.
  public static let docker = DesktopItems(name: "docker", areForEverybody: true) { ofTool("docker", $0) }

  /// Those of cargo:libsecret.
  public static let cargo = DesktopItems(name: "cargo", areForEverybody: true) { ofTool("cargo", $0) }

  /// Python's keyring's, and whatever else has a service and a user name.
  public static let keyring = DesktopItems(name: "keyring", areForEverybody: true) { item in
    guard case .genericPassword(let key) = item.key, key.account != nil else { return nil }
    return gcm.converted(item) == nil && gh.converted(item) == nil ? item : nil
  }

  private static func ofTool(_ tool: ByteString, _ item: Item) -> Item? {
    guard case .internetPassword(let key) = item.key, key.securityDomain == tool else { return nil }
    return item
  }
}

extension Item {
  /// The same secret's item as an internet password, without what its program noted for itself.
  fileprivate func moved(to place: InternetPassword, account: ByteString?) -> Item {
    var item = self
    var key = place
    key.account = account.nonEmpty
    item.key = .internetPassword(key)
    item.label = nil
    item.creator = nil
    item.reference = nil
    return item
  }
}
