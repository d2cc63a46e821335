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

struct Lease: Equatable, Sendable {
  let session: Session
  let hosts: [VerifiedHost]
  /// The tool, as named by the other side.
  let tool: ByteString
  /// The item, and the permitted access.
  let grant: Permissions.Grant
  /// The end, in milliseconds since boot.
  let end: Int

  static let maximumTime = 8 * 3_600_000
}

struct Leases {
  private(set) var all: [Lease] = []

  private static let maximum = 1000

  mutating func add(_ lease: Lease, now: Int) {
    all.removeAll { $0.end <= now }
    if all.count >= Self.maximum { all.removeFirst() }
    all.append(lease)
  }

  func grants(in session: Session, _ hosts: [VerifiedHost], _ tool: ByteString, now: Int) -> [Permissions
    .Grant]
  {
    all.filter { $0.session == session && $0.hosts == hosts && $0.tool == tool && now < $0.end }.map(\.grant)
  }

  mutating func removeAll() { all = [] }

  mutating func removeEnded(now: Int) { all.removeAll { $0.end <= now || !$0.session.isThere } }

  mutating func removeAll(of session: Session) { all.removeAll { $0.session == session } }
}
