import Age
import Bytes
import Keychain

final class AgentIdentity: Identity {
  private let uuid: String
  private let recipient: X25519Recipient
  private let folder: String

  init(uuid: String, _ recipient: X25519Recipient, in folder: String) {
    self.uuid = uuid
    self.recipient = recipient
    self.folder = folder
  }

  /// Unwraps the file key from the first X25519 stanza that the identity opens.
  ///
  /// - Throws: ``AgeError/identityGone`` if the agent no longer keeps this identity.
  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    for stanza in stanzas where stanza.type == X25519WrappedKey.stanzaType {
      let wrapped = try X25519WrappedKey(stanza)
      var arguments = Secret(copying: ByteString(uuid))
      // Since then, the vault may have got another key, and the agent that key.
      recipient.publicKey.withUnsafeBytes { arguments.append($0) }
      wrapped.share.withUnsafeBytes { arguments.append($0) }
      wrapped.body.withUnsafeBytes { arguments.append($0) }
      guard let reply = AgentRequest.ask(folder, .unwrap, arguments) else { throw .identityGone }
      switch reply.outcome {
      case .done:
        return try reply.result.withUnsafeBytes { (key) throws(AgeError) in try FileKey(bytes: key) }
      case .lowOrder: throw .header(.x25519LowOrder)
      case .noMatch: continue
      case .notKept, .full: throw .identityGone
      }
    }
    return nil
  }
}
