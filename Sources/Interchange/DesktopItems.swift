public import Keychain

/// Another program's items in the desktop's Secret Service.
public struct DesktopItems: Sendable {
  /// The name of the program.
  public let name: String
  /// Whether programs find the items in the Secret Service as they are, so that a Secret Service keychain needs no
  /// conversion.
  public let areForEverybody: Bool
  /// Converts an item; `nil` if it isn't one of the program's.
  public let converted: @Sendable (Item) -> Item?
  /// Whether the first item is a copy of the second, if it has the same secret, which the program has made besides.
  public private(set) var isCopy: @Sendable (_ other: Item, _ item: Item) -> Bool = { _, _ in false }
  /// The command that logs the program in again if it is logged out without its items; empty if it isn't.
  public private(set) var loginCommand: [String] = []

  /// The items of git's own helper `libsecret`, and other items of servers that belong to no tool.
  public static let gitLibsecret = DesktopItems(name: "git-libsecret", areForEverybody: true) { item in
    guard case .internetPassword(let key) = item.key, key.securityDomain == nil else { return nil }
    return item
  }

  /// The items of Git Credential Manager: generic passwords of the service `NAMESPACE:URL`, with `git` as the usual
  /// namespace (its manual, `credential.namespace`).
  public static let gcm = DesktopItems(name: "gcm", areForEverybody: false) { item in
    guard case .genericPassword(let key) = item.key, let colon = key.service.bytes.firstIndex(of: 0x3a)
    else { return nil }
    let url = ByteString(Array(key.service.bytes[(colon + 1)...]))
    if GCMService.isOfRefreshToken(url) { return nil }
    return GCMService.login(at: url, account: key.account).map { item.moved(to: $0) }
  }

  /// The items of GitHub's program: generic passwords of the service `gh:HOST`. One without an account is the active
  /// one, which is also stored under its account.
  public static let gh = DesktopItems(
    name: "gh", areForEverybody: false,
    converted: { item in
      guard case .genericPassword(let key) = item.key, key.service.bytes.starts(with: "gh:".utf8),
        let account = key.account.nonEmpty
      else { return nil }
      let host = ByteString(Array(key.service.bytes.dropFirst(3)))
      return item.moved(to: InternetPassword(protocol: "https", server: host.lowercased, account: account))
    },
    isCopy: { other, item in
      guard case .genericPassword(let copy) = other.key, case .genericPassword(let key) = item.key else {
        return false
      }
      return copy.service == key.service && copy.account.nonEmpty == nil && key.account.nonEmpty != nil
    },
    loginCommand: ["gh", "auth", "login"])

  /// The items of docker-credential-secretservice.
  public static let docker = DesktopItems(name: "docker", areForEverybody: true) { ofTool("docker", $0) }

  /// The items of cargo:libsecret.
  public static let cargo = DesktopItems(name: "cargo", areForEverybody: true) { ofTool("cargo", $0) }

  /// The items of Python's keyring, and any others with a service and a user name.
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
  /// The item of the same secret as an internet password, without the program's private notes.
  fileprivate func moved(to key: InternetPassword) -> Item {
    var item = self
    item.key = .internetPassword(key)
    item.label = nil
    item.creator = nil
    item.reference = nil
    return item
  }
}
