import Bytes
import Forwarding
import Keychain

/// What a person answers.
enum Decision: String, CaseIterable, Hashable, Sendable {
  /// For this connection, and a minute.
  case once
  /// For all that comes from there, until it ends, the keychain is locked, or eight hours are over.
  case session
  /// From now on: it becomes a rule.
  case always
  /// Not now, and not later: it becomes a rule.
  case never
  /// Not now.
  case no
}

/// What was decided for one connection. A tool makes one for each of its calls, which may be several requests.
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

/// What a person has allowed for a session.
struct Lease: Equatable, Sendable {
  /// The session.
  let session: Session
  /// The hosts on the way.
  let hosts: [VerifiedHost]
  /// The tool, as the other side names it.
  let tool: ByteString
  /// The item, and what may be done with it.
  let grant: Permissions.Grant
  /// The end, in milliseconds since boot.
  let end: Int

  /// The longest time, in milliseconds.
  static let maximumTime = 8 * 3_600_000
}

/// The leases that count.
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

  /// Removes those that count for nobody any more.
  mutating func removeEnded(now: Int) { all.removeAll { $0.end <= now || !$0.session.isThere } }

  mutating func removeAll(of session: Session) { all.removeAll { $0.session == session } }
}
