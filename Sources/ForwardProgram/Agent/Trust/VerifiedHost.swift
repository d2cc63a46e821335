import Forwarding

/// A host on the way, as named by rules and the log.
struct VerifiedHost: Hashable, Sendable {
  let host: ForwardedHost
  /// The fingerprint of its key; `nil` for a socket.
  let fingerprint: String?

  init(_ host: ForwardedHost, fingerprint: String?) {
    self.host = host
    self.fingerprint = fingerprint
  }
}
