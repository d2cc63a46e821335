import Keychain

/// What a helper says to git.
enum GitReply {
  /// The lines of an answer, what depends on a capability only if it was announced.
  ///
  /// - Throws: ``ProtocolError/unspeakableAnswer(key:)`` if a value holds LF, CR or NUL, or makes a line longer
  ///   than git reads: an item that was put in by other means must not speak as several lines (CVE-2020-5260).
  static func encode(
    _ answer: borrowing Answer, for capabilities: GitRequest.Capabilities
  ) throws(ProtocolError) -> Secret {
    var reply = Secret(capacity: 512)
    if capabilities.contains(.authtype) { reply.append("capability[]=authtype\n") }
    if capabilities.contains(.state) { reply.append("capability[]=state\n") }
    if let account = answer.item.key.account {
      try append("username", Secret(copying: account), to: &reply)
    }
    if let scheme = answer.credential.authenticationScheme {
      try append("authtype", Secret(copying: scheme), to: &reply)
      try append("credential", answer.credential.secret, to: &reply)
    } else {
      try append("password", answer.credential.secret, to: &reply)
    }
    if let expiry = answer.credential.expiry {
      reply.append("password_expiry_utc=")
      reply.append(contentsOf: ByteString(String(expiry)))
      reply.append("\n")
    }
    switch answer.credential.refreshToken {
    case .some(let token): try append("oauth_refresh_token", token, to: &reply)
    case .none: break
    }
    if capabilities.contains(.state), let reference = answer.item.reference {
      reply.append("state[]=")
      reply.append(GitRequest.statePrefix)
      reply.append(contentsOf: reference.bytes)
      reply.append("\n")
    }
    return reply
  }

  private static func append(
    _ key: StaticString, _ value: borrowing Secret, to reply: inout Secret
  ) throws(ProtocolError) {
    let isSpeakable = value.withUnsafeBytes { bytes in
      key.utf8CodeUnitCount + 1 + bytes.count + 1 <= RequestLines.longestLine
        && !bytes.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 })
    }
    guard isSpeakable else { throw .unspeakableAnswer(key: key.description) }
    reply.append(key)
    reply.append("=")
    reply.append(value)
    reply.append("\n")
  }
}
