package import Bytes
import Keychain

/// The sender, as named in a rule.
package enum ForwardedHost: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// A host by its name in `known_hosts`.
  case name(HostName)
  /// A host by the fingerprint of its key, `SHA256:…`.
  case key(ByteString)
  /// All users of the socket with this name, such as a container.
  case socket(ByteString)

  package var description: String {
    switch self {
    case .name(let name): name.description
    case .key(let fingerprint): fingerprint.description
    case .socket(let name): "socket:\(name)"
    }
  }

  package static func < (left: ForwardedHost, right: ForwardedHost) -> Bool {
    left.description < right.description
  }
}

/// A line of the rule file: a host's permission.
package struct ForwardingRule: Equatable, Sendable {
  package enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// The host gets it without a question.
    case allow
    /// A person is asked each time.
    case ask
    /// The host doesn't get it, without a question.
    case deny
  }

  package var verdict: Verdict
  package var host: ForwardedHost
  package var place: PlacePattern
  /// The tool, as named by the other side; `nil` for all.
  package var tool: ByteString?
  /// The account; `nil` for all.
  package var account: ByteString?
  /// Whether it covers only one item: that of exactly this place and account, or without an account.
  package var isExact: Bool
  /// Whether the host may also store and erase. Never with `deny`.
  package var mayChange: Bool
  /// When the rule expires.
  package var end: Timestamp?

  package init(
    _ verdict: Verdict, _ host: ForwardedHost, _ place: PlacePattern, tool: ByteString? = nil,
    account: ByteString? = nil, isExact: Bool = false, mayChange: Bool = false, end: Timestamp? = nil
  ) {
    self.verdict = verdict
    self.host = host
    self.place = place
    self.tool = tool
    self.account = account
    self.isExact = isExact
    self.mayChange = mayChange
    self.end = end
  }

  package func counts(at now: Timestamp) -> Bool { end.map { now < $0 } ?? true }

  /// Whether the rule applies to an item.
  ///
  /// - Parameters:
  ///   - tool: the tool, as named by the other side.
  ///   - query: the query; `nil` for a list, and for a change.
  ///   - key: the item.
  func isAbout(_ tool: ByteString, _ query: ItemQuery?, _ key: Item.Key) -> Bool {
    if let wanted = self.tool, wanted != tool { return false }
    if isExact { return (key.account ?? "") == (account ?? "") && place.isExactly(key) }
    if let account, key.account != account { return false }
    if place.contains(key) || query.map(place.contains) ?? false { return true }
    return verdict == .deny && place.mayBeMeant(by: key)
  }

  /// The order in which rules decide: the most specific place first, then account, then tool; of equally specific
  /// rules, the strictest.
  static func decidesBefore(_ left: ForwardingRule, _ right: ForwardingRule) -> Bool {
    let (a, b) = (left.rank, right.rank)
    return a == b ? left.verdict.strictness > right.verdict.strictness : b.lexicographicallyPrecedes(a)
  }

  private var rank: [Int] {
    place.specificity + [isExact ? 1 : 0, account == nil ? 0 : 1, tool == nil ? 0 : 1]
  }
}

extension ForwardingRule.Verdict {
  /// Greater for less permissive.
  var strictness: Int {
    switch self {
    case .allow: 0
    case .ask: 1
    case .deny: 2
    }
  }
}
