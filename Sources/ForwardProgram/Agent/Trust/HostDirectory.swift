import Bytes
import Forwarding

/// Finds the rules about hosts, which name them, by their proven keys.
///
/// A name is matched against `known_hosts` for each rule, and not the other way round, because names may be hashed
/// there.
struct HostDirectory<Cryptography: HostCryptography> {
  private let known: KnownHosts
  private let cryptography: Cryptography
  /// The known hosts' lines for each name looked up. The other side can send any number of keys, but no names.
  private var lines: [HostName: KnownHosts] = [:]

  private static var maximumNames: Int { 10_000 }

  init(_ known: KnownHosts, _ cryptography: Cryptography) {
    self.known = known
    self.cryptography = cryptography
  }

  mutating func isHost(_ host: ForwardedHost, _ key: HostKey, at now: Timestamp) -> Bool {
    switch host {
    case .socket: return false
    case .key(let fingerprint):
      return !known.isRevoked(key.plain) && !known.isRevoked(key.encoded)
        && fingerprint == ByteString(key.fingerprint(cryptography))
    case .name(let name):
      return lines(about: name).identifies(name, by: key, at: UInt64(max(0, now.seconds)), cryptography)
    }
  }

  private mutating func lines(about name: HostName) -> KnownHosts {
    if let known = lines[name] { return known }
    if lines.count >= Self.maximumNames { lines = [:] }
    let about = known.lines(about: name, cryptography)
    lines[name] = about
    return about
  }

  /// The valid rules about each host on the way.
  mutating func rules(
    _ rules: [ForwardingRule], about keys: [HostKey], at now: Timestamp
  ) -> [[ForwardingRule]] {
    var verdicts: [ForwardedHost: Bool] = [:]
    return keys.map { key in
      verdicts = [:]
      return rules.filter { rule in
        guard rule.counts(at: now) else { return false }
        if let known = verdicts[rule.host] { return known }
        let isHost = isHost(rule.host, key, at: now)
        verdicts[rule.host] = isHost
        return isHost
      }
    }
  }

  /// The host's name for rules and people: from some rules or `known_hosts`, else its fingerprint.
  ///
  /// - Parameter candidates: possible names of the host, such as those in rules and ssh's configuration.
  mutating func name(
    of key: HostKey, among candidates: [ForwardedHost], at now: Timestamp
  ) -> ForwardedHost {
    let names = candidates + known.plainNames(of: key.plain).map { .name($0) }
    for case .name(let name) in names where isHost(.name(name), key, at: now) { return .name(name) }
    return .key(ByteString(key.fingerprint(cryptography)))
  }
}
