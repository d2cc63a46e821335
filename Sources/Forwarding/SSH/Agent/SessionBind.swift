package import Bytes

/// OpenSSH's message to its agent about the connection that uses it (OpenSSH's PROTOCOL.agent, section 1,
/// `session-bind@openssh.com`).
package struct SessionBind: Equatable, Sendable {
  package static let extensionName: StaticString = "session-bind@openssh.com"

  /// The largest session identifier, in bytes, that OpenSSH's agent remembers.
  package static let maximumSessionID = 128

  /// The negotiated host key: a whole certificate if the host has one.
  package let hostKey: [UInt8]
  /// The first exchange hash of the connection (RFC 4253, section 7.2), 1 to ``maximumSessionID`` bytes.
  package let sessionID: [UInt8]
  package let signature: [UInt8]
  /// Whether the agent is forwarded to that host; otherwise the client logs in there. Not signed.
  package let isForwarding: Bool

  /// Parses the bytes after the extension's name.
  ///
  /// - Throws: ``WireError``, also for bytes that follow and for a flag other than 0 and 1, which OpenSSH's agent
  ///   accepts and OpenSSH's client never sends.
  package init(parsing contents: UnsafeRawBufferPointer) throws(WireError) {
    var fields = WireReader(contents)
    hostKey = Array(try fields.string())
    sessionID = Array(try fields.string())
    signature = Array(try fields.string())
    let flag = try fields.byte()
    try fields.end()
    guard 1...Self.maximumSessionID ~= sessionID.count, flag <= 1 else { throw .value }
    isForwarding = flag == 1
  }
}
