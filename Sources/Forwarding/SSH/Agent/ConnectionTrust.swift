import Bytes

/// The hosts behind a connection to the forwarding socket, as far as its binds tell.
///
/// OpenSSH binds a connection before it passes on a byte of the other side, so the first bind is honest. All later
/// bytes may be another host's, which can bind as any host that it reaches: each bind can only take something away.
package struct ConnectionTrust {
  /// Why a connection isn't trusted.
  package enum Doubt: String, Error, Hashable, Sendable {
    case unbound
    /// A bind was invalid, or had a wrong signature.
    case badBind
    /// A bind repeated the session of an earlier bind, with another key.
    case otherKey
    case tooManyBinds
    /// A bind came after the one that ends the chain.
    case bindAfterEnd
    /// The connection logs in somewhere; it isn't forwarded.
    case login
    /// The connected program isn't one that binds before it passes anything on.
    case otherProgram
  }

  private struct Hop {
    let key: HostKey
    let sessionID: [UInt8]
  }

  private var hops: [Hop] = []
  private var hasEnded = false
  private var doubt: Doubt?

  /// Whether a bind has said that the connection is forwarded. It stays so, whatever comes later.
  package private(set) var isForwarded = false

  /// The largest number of binds, that of OpenSSH's agent (`AGENT_MAX_SESSION_IDS`).
  package static let maximumBinds = 16

  package init() {}

  /// The keys of the hosts on the way, the nearest first.
  ///
  /// - Throws: ``Doubt`` if the connection isn't trusted.
  package func hosts() throws(Doubt) -> [HostKey] {
    if let doubt { throw doubt }
    if hops.isEmpty { throw .unbound }
    if hasEnded { throw .login }
    return hops.map(\.key)
  }

  /// Takes a bind.
  ///
  /// - Parameter contents: the bytes after the extension's name.
  /// - Returns: whether it was valid. If not, the connection is no longer trusted.
  package mutating func take(
    _ contents: UnsafeRawBufferPointer, _ cryptography: some HostCryptography
  ) -> Bool {
    guard let bind = try? SessionBind(parsing: contents) else { return condemn(.badBind) }
    if bind.isForwarding { isForwarded = true }
    if hops.count >= Self.maximumBinds { return condemn(.tooManyBinds) }
    guard let key = bind.verifiedHostKey(cryptography) else { return condemn(.badBind) }
    if let former = hops.first(where: { $0.sessionID == bind.sessionID }) {
      if former.key.encoded != key.encoded { return condemn(.otherKey) }
      // The flag isn't signed, so only its restriction counts.
      if !bind.isForwarding { hasEnded = true }
      return true
    }
    if hasEnded { return condemn(.bindAfterEnd) }
    hops.append(Hop(key: key, sessionID: bind.sessionID))
    hasEnded = !bind.isForwarding
    return true
  }

  /// Stops trusting the connection, because the first bind need not be the program's own.
  package mutating func distrust() { doubt = doubt ?? .otherProgram }

  private mutating func condemn(_ reason: Doubt) -> Bool {
    doubt = doubt ?? reason
    return false
  }
}
