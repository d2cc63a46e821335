import Bytes
import Keychain

/// The replies of a helper to git.
enum GitReply {
  /// The lines of an answer, with those of a capability only if it was announced.
  ///
  /// - Parameter mayContinue: whether git should ask again if the server refuses the answer.
  /// - Throws: ``RequestFault/unspeakableAnswer(key:)`` if a value contains LF, CR or NUL, or makes a line longer than
  ///   git reads. An item added in another way must not turn into several lines (CVE-2020-5260).
  static func encode(
    _ answer: borrowing Answer, for capabilities: GitRequest.Capabilities, mayContinue: Bool
  ) throws(KeychainError) -> Secret {
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
    if let expiry = answer.credential.expiry { appendExpiry(expiry, to: &reply) }
    switch answer.credential.refreshToken {
    case .some(let token): try append("oauth_refresh_token", token, to: &reply)
    case .none: break
    }
    if capabilities.contains(.state), let state = GitState(of: answer.item, continues: mayContinue) {
      reply.append("state[]=")
      reply.append(contentsOf: state.text)
      reply.append("\n")
      if state.continued != nil { reply.append("continue=1\n") }
    }
    return reply
  }

  /// The lines for an expired item, which never contain a password or a ready-made credential. None depends on a
  /// capability.
  ///
  /// An expiry that git would not see as past is left out: git would apply it to the password from another helper.
  ///
  /// - Throws: as ``encode(_:for:)`` does.
  static func encode(_ renewal: borrowing Renewal, at now: Timestamp) throws(KeychainError) -> Secret {
    var reply = Secret(capacity: 512)
    if let account = renewal.item.key.account {
      try append("username", Secret(copying: account), to: &reply)
    }
    if renewal.expiry > 0, renewal.expiry < now.seconds { appendExpiry(renewal.expiry, to: &reply) }
    try append("oauth_refresh_token", renewal.refreshToken, to: &reply)
    return reply
  }

  private static func appendExpiry(_ expiry: Int64, to reply: inout Secret) {
    reply.append("password_expiry_utc=")
    reply.append(contentsOf: ByteString(String(expiry)))
    reply.append("\n")
  }

  private static func append(
    _ key: StaticString, _ value: borrowing Secret, to reply: inout Secret
  ) throws(KeychainError) {
    let isSpeakable = value.withUnsafeBytes { bytes in
      key.utf8CodeUnitCount + 1 + bytes.count + 1 <= RequestLines.longestLine
        && !bytes.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 })
    }
    guard isSpeakable else { throw .request(.unspeakableAnswer(key: key.description)) }
    reply.append(key)
    reply.append("=")
    reply.append(value)
    reply.append("\n")
  }
}
