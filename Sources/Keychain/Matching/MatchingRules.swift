// The rules by which an item answers git, another tool or a person: which protocol, host, port, path, account and tool are
// the requested ones. They are the same for every keychain.
//
// No keychain looks at all its items. What a rule lets match, these searches have to find: SearchPrefix.swift in the
// encrypted file, SearchAttributes.swift in the Secret Service, SearchFolders.swift in OpenBao, and PlacePattern.swift
// where another machine allows only some places.

extension InternetPasswordQuery {
  /// Whether the item answers.
  public func matches(_ item: InternetPassword) -> Bool {
    // Without the array of rules: every answer takes this path.
    !(differs(in: .protocol, from: item) || differs(in: .server, from: item) || differs(in: .port, from: item)
      || differs(in: .path, from: item) || differs(in: .account, from: item)
      || differs(in: .securityDomain, from: item))
  }

  /// How the item differs from the query; empty if it answers.
  public func differences(from item: InternetPassword) -> [Item.Attribute] {
    Self.rules.filter { differs(in: $0, from: item) }
  }

  private static let rules: [Item.Attribute] = [.protocol, .server, .port, .path, .account, .securityDomain]

  @inline(__always)
  private func differs(in attribute: Item.Attribute, from item: InternetPassword) -> Bool {
    switch attribute {
    case .protocol: return !item.protocol.isEqualIgnoringCase(`protocol`)
    case .server:
      guard let server, let itemServer = item.server else { return (server == nil) != (item.server == nil) }
      return !server.isEqualIgnoringCase(itemServer)
        && !HostForms.answers(itemServer, askedFor: server, `protocol`)
    case .port: return !item.isAt(port, of: `protocol`)
    case .path:
      // Without a server only the path distinguishes items, so it has to be equal.
      if server == nil { return item.path != path }
      guard let path, let itemPath = item.path else { return false }
      return itemPath.lengthOfAnswer(to: path) == nil
    case .account: return account != nil && item.account != account
    case .securityDomain: return item.securityDomain != nil && item.securityDomain != securityDomain
    default: return false
    }
  }
}

extension GenericPasswordQuery {
  /// Whether the item answers.
  public func matches(_ item: GenericPassword) -> Bool {
    item.service == service && (account == nil || item.account == account)
  }

  /// How the item differs from the query; empty if it answers.
  public func differences(from item: GenericPassword) -> [Item.Attribute] {
    if matches(item) { return [] }
    return item.service == service ? [.account] : [.service]
  }
}
