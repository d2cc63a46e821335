package import Bytes
import Keychain
package import SSH

/// Who asks, as a rule names it.
package enum ForwardedHost: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// A host by its name in `known_hosts`.
  case name(HostName)
  /// A host by the fingerprint of its key, `SHA256:…`.
  case key(ByteString)
  /// Whoever uses the socket of this name, such as a container.
  case socket(ByteString)

  /// As it stands in a rule.
  package var description: String {
    switch self {
    case .name(let name): name.description
    case .key(let fingerprint): fingerprint.description
    case .socket(let name): "socket:\(name)"
    }
  }

  /// Orders by what stands in rules.
  package static func < (left: ForwardedHost, right: ForwardedHost) -> Bool {
    left.description < right.description
  }
}

/// A line of the rule file: what a host may have.
package struct ForwardingRule: Equatable, Sendable {
  /// What a rule decides.
  package enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// The host gets it, and nobody is asked.
    case allow
    /// A person is asked each time.
    case ask
    /// The host doesn't get it, and nobody is asked.
    case deny
  }

  /// What it decides.
  package var verdict: Verdict
  /// The host.
  package var host: ForwardedHost
  /// The places.
  package var place: PlacePattern
  /// The tool, as the other side names it; `nil` for all.
  package var tool: ByteString?
  /// The account; `nil` for all.
  package var account: ByteString?
  /// Whether it is about one item alone: that of exactly this place and account, or without an account.
  package var isExact: Bool
  /// Whether the host may also store and erase. Never with `deny`.
  package var mayChange: Bool
  /// The first moment at which the rule no longer counts.
  package var end: Timestamp?

  /// Makes a rule.
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

  /// Whether the rule counts at that time.
  package func counts(at now: Timestamp) -> Bool { end.map { now < $0 } ?? true }

  /// Whether the rule is about what a tool asks for.
  ///
  /// - Parameters:
  ///   - tool: the tool, as the other side names it.
  ///   - query: what is asked for; `nil` for a list, and for a change.
  ///   - key: the item.
  func isAbout(_ tool: ByteString, _ query: ItemQuery?, _ key: Item.Key) -> Bool {
    if let wanted = self.tool, wanted != tool { return false }
    if isExact { return (key.account ?? "") == (account ?? "") && place.isExactly(key) }
    if let account, key.account != account { return false }
    if place.contains(key) || query.map(place.contains) ?? false { return true }
    return verdict == .deny && place.mayBeMeant(by: key)
  }

  /// The order in which rules decide: the one that says most about the place, then the account, then the tool; of
  /// those that say as much, the strictest.
  static func decidesBefore(_ left: ForwardingRule, _ right: ForwardingRule) -> Bool {
    let (a, b) = (left.rank, right.rank)
    return a == b ? left.verdict.strictness > right.verdict.strictness : b.lexicographicallyPrecedes(a)
  }

  private var rank: [Int] {
    place.specificity + [isExact ? 1 : 0, account == nil ? 0 : 1, tool == nil ? 0 : 1]
  }
}

extension ForwardingRule.Verdict {
  /// The greater, the less it permits.
  var strictness: Int {
    switch self {
    case .allow: 0
    case .ask: 1
    case .deny: 2
    }
  }
}
