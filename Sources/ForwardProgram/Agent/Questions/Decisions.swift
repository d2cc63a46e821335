import Bytes
import Forwarding
import Keychain

enum Decision: String, CaseIterable, Hashable, Sendable {
  /// Yes, for this connection, and a minute.
  case once
  /// Yes, for everything from there, until it ends, the keychain is locked, or eight hours are over.
  case session
  /// Yes, as a rule.
  case always
  /// No, as a rule.
  case never
  /// Not now.
  case no
}

/// The decisions for one connection. A tool makes one for each of its calls, which may be several requests.
struct OnceDecisions {
  private var decisions: [(hosts: [VerifiedHost], tool: ByteString, grant: Permissions.Grant, end: Int)] = []

  private static let time = 60_000
  private static let maximum = 16

  mutating func add(_ grant: Permissions.Grant, _ hosts: [VerifiedHost], _ tool: ByteString, now: Int) {
    if decisions.count >= Self.maximum { decisions.removeFirst() }
    decisions.append((hosts, tool, grant, now + Self.time))
  }

  /// A connection can get another host on its way, and name another tool.
  func grants(_ hosts: [VerifiedHost], _ tool: ByteString, now: Int) -> [Permissions.Grant] {
    decisions.filter { $0.hosts == hosts && $0.tool == tool && now < $0.end }.map(\.grant)
  }

  mutating func removeAll() { decisions = [] }
}
