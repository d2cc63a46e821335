package import Bytes
package import Keychain

package enum Permission: Equatable, Sendable {
  case allowed
  case undecided
  case refused

  func and(_ other: Permission) -> Permission {
    if self == .refused || other == .refused { return .refused }
    return self == .undecided || other == .undecided ? .undecided : .allowed
  }
}

/// A kind of access to an item.
package enum ForwardingRight: String, Hashable, Sendable {
  case use
  case change
}

/// The permissions for one request: the rules of each host on its way, and a person's latest decisions.
package struct Permissions: Equatable, Sendable {
  /// For each host on the way, its rules. All of them must allow an action, because each host could read the answer.
  package let hosts: [[ForwardingRule]]
  /// A person's permissions for this request, or for a while.
  package let grants: [Grant]
  package let mayAsk: Bool

  /// A person's decision about exactly one item.
  package struct Grant: Equatable, Sendable {
    package let key: Item.Key
    /// The access. Permission to change an item includes using it.
    package let right: ForwardingRight
    package let isAllowed: Bool

    package init(_ key: Item.Key, _ right: ForwardingRight, isAllowed: Bool) {
      self.key = key.primaryKey
      self.right = right
      self.isAllowed = isAllowed
    }
  }

  /// - Parameters:
  ///   - hosts: for each host on the way, its rules that are valid now.
  ///   - grants: a person's decisions.
  ///   - mayAsk: whether there is a person to ask.
  package init(hosts: [[ForwardingRule]], grants: [Grant] = [], mayAsk: Bool = true) {
    self.hosts = hosts.map { $0.sorted(by: ForwardingRule.decidesBefore) }
    self.grants = grants
    self.mayAsk = mayAsk
  }

  /// These permissions with further decisions, the latest last.
  package func adding(_ more: [Permissions.Grant]) -> Permissions {
    Permissions(hosts: hosts, grants: grants + more, mayAsk: mayAsk)
  }

  /// Whether these include everything in other permissions: the same rules, and all the decisions.
  package func keepsAll(of former: Permissions) -> Bool {
    hosts == former.hosts && former.grants.allSatisfy { grants.contains($0) }
  }

  package var withoutAsking: Permissions { Permissions(hosts: hosts, grants: grants, mayAsk: false) }

  /// The indices of the hosts whose rules leave an item to a person's decision.
  package func undecidedHosts(_ right: ForwardingRight, _ key: Item.Key, by tool: ByteString) -> [Int] {
    hosts.indices.filter {
      Permissions(hosts: [hosts[$0]]).permission(to: right, key, by: tool) == .undecided
    }
  }

  /// Whether an item may be used or changed.
  ///
  /// - Parameters:
  ///   - right: the kind of access.
  ///   - key: the item.
  ///   - query: the query; `nil` for a list, and for a change.
  ///   - tool: the tool, as named by the other side.
  package func permission(
    to right: ForwardingRight, _ key: Item.Key, asked query: ItemQuery? = nil, by tool: ByteString
  ) -> Permission {
    let byRules = hosts.map { Self.permission(of: $0, to: right, key, query, tool) }
      .reduce(hosts.isEmpty ? Permission.refused : .allowed) { $0.and($1) }
    guard byRules == .undecided else { return byRules }
    let primaryKey = key.primaryKey
    let decided = grants.last { grant in
      guard grant.key == primaryKey else { return false }
      return grant.isAllowed ? grant.right == right || grant.right == .change : grant.right == right
    }
    if let decided { return decided.isAllowed ? .allowed : .refused }
    return mayAsk ? .undecided : .refused
  }

  private static func permission(
    of rules: [ForwardingRule], to right: ForwardingRight, _ key: Item.Key, _ query: ItemQuery?,
    _ tool: ByteString
  ) -> Permission {
    guard let rule = rules.first(where: { $0.isAbout(tool, query, key) }) else { return .undecided }
    if rule.verdict == .deny || right == .change && !rule.mayChange { return .refused }
    return rule.verdict == .allow ? .allowed : .undecided
  }

  /// Whether a tool could get an item for this query, as far as that can be decided without the keychain. If not, the
  /// keychain isn't opened: a host without permissions can't make anybody type a passphrase.
  package func mayAnswer(_ query: ItemQuery?, by tool: ByteString) -> Bool {
    !hosts.isEmpty && hosts.allSatisfy { Self.mayAnswer($0, query, tool, mayAsk: mayAsk) }
  }

  /// Whether a person has named something in the query, by a rule or just now: only then may a host make somebody type
  /// a passphrase.
  ///
  /// - Parameter query: the query; `nil` for a list, and for a change.
  package func invites(_ query: ItemQuery?, by tool: ByteString) -> Bool {
    if !grants.isEmpty { return true }
    return !hosts.isEmpty
      && hosts.allSatisfy { rules in
        rules.contains { rule in
          rule.verdict != .deny && (rule.tool == nil || rule.tool == tool)
            && (query.map(rule.place.mayContainAnswer) ?? true)
        }
      }
  }

  private static func mayAnswer(
    _ rules: [ForwardingRule], _ query: ItemQuery?, _ tool: ByteString, mayAsk: Bool
  ) -> Bool {
    let rules = rules.filter { $0.tool == nil || $0.tool == tool }
    // A person decides about items that no rule names, but never for a list.
    if mayAsk, let query {
      let isDenied = rules.contains {
        $0.verdict == .deny && $0.tool == nil && $0.account == nil && !$0.isExact && $0.place.contains(query)
      }
      if !isDenied { return true }
    }
    return rules.contains { rule in
      guard rule.verdict == .allow || rule.verdict == .ask && mayAsk else { return false }
      return query.map(rule.place.mayContainAnswer) ?? (rule.verdict == .allow)
    }
  }
}
