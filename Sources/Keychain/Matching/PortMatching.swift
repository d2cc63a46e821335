// Without a port, an address has its protocol's own.

extension InternetPassword {
  /// The port, or else the protocol's own.
  public var effectivePort: UInt16? { port ?? Self.defaultPort(of: `protocol`) }

  /// The port that IANA's service registry assigns to a protocol; `nil` if it isn't listed here.
  public static func defaultPort(of protocol: ByteString) -> UInt16? { known(`protocol`.lowercased)?.port }

  /// A port; `nil` if it is the protocol's own.
  package static func furtherPort(_ port: UInt16?, of protocol: ByteString) -> UInt16? {
    port == defaultPort(of: `protocol`) ? nil : port
  }

  /// Whether it is for a protocol, at this port or else at the protocol's own; for any protocol, at this port or any.
  package func isReached(by protocol: ByteString?, at port: UInt16?) -> Bool {
    guard let `protocol` else { return port == nil || effectivePort == port }
    return self.protocol.isEqualIgnoringCase(`protocol`) && isAt(port, of: `protocol`)
  }

  /// Whether it is at this port, or else at the protocol's own.
  func isAt(_ port: UInt16?, of protocol: ByteString) -> Bool {
    effectivePort == port ?? Self.defaultPort(of: `protocol`)
  }

  /// Whether it has no port, or its protocol's own, which is the same.
  package var hasOwnPort: Bool { isReached(by: `protocol`, at: nil) }

  static func known(_ protocol: ByteString) -> (name: ByteString, port: UInt16)? {
    protocols.first { $0.name == `protocol` }
  }

  /// Protocols and their ports. Items share these names; there may be very many items.
  private static let protocols: [(name: ByteString, port: UInt16)] = [
    ("https", 443), ("http", 80), ("ssh", 22), ("sftp", 22), ("ftp", 21), ("ftps", 990), ("git", 9418),
    ("smtp", 25), ("smtps", 465), ("submissions", 465), ("submission", 587), ("imap", 143), ("imaps", 993),
    ("pop3", 110), ("pop3s", 995), ("ldap", 389), ("ldaps", 636), ("svn", 3690), ("socks5", 1080),
  ]
}
