import Forwarding
import Keychain

/// A permission for a session, given by a person.
struct Lease: Equatable, Sendable {
  let session: ForwardingSession
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

  func grants(
    in session: ForwardingSession, _ hosts: [VerifiedHost], _ tool: ByteString, now: Int
  ) -> [Permissions.Grant] {
    all.filter { $0.session == session && $0.hosts == hosts && $0.tool == tool && now < $0.end }.map(\.grant)
  }

  mutating func removeAll() { all = [] }

  mutating func removeEnded(now: Int) { all.removeAll { $0.end <= now || !$0.session.isThere } }

  mutating func removeAll(of session: ForwardingSession) { all.removeAll { $0.session == session } }
}
