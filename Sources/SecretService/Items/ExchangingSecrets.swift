import Bytes
import Keychain

/// Secrets on their way to and from the service.
extension SecretServiceKeychain {
  /// How often a new session is opened if the keys of both sides differ: one in 100 does with KWallet before 6.25.
  private static let sessionLimit = 5

  /// The session, opened at its first use.
  func openSession() throws(KeychainError) -> ServiceSession { try reporting(currentSession()) }

  private func currentSession() throws(BusFailure) -> ServiceSession {
    if let session { return session }
    let opened: ServiceSession
    if !settings.isEncrypted {
      opened = try ServiceSession(plain: try service.bus.call(ServiceSession.openingPlain(service)))
    } else if let openingSession {
      self.openingSession = nil
      opened = try ServiceSession(openingSession)
    } else {
      opened = try ServiceSession(try ServiceSession.beginEncrypted(on: service.bus, owner: service.owner))
    }
    session = opened
    return opened
  }

  private func forgetSession() {
    session = nil
    openingSession = nil
  }

  /// Runs calls that carry a secret. If both sides have different keys, they are repeated in a new session.
  ///
  /// In the key exchange, libsecret leaves out leading zeros of its public key, and KWallet before 6.25 those of the
  /// shared secret.
  func exchanging<Result: ~Copyable>(
    _ body: (ServiceSession) throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result {
    for _ in 1..<Self.sessionLimit {
      do throws(BusFailure) {
        return try body(try currentSession())
      } catch {
        if !settings.isEncrypted || !error.isAboutSession { throw error }
        forgetSession()
      }
    }
    return try body(try currentSession())
  }

  /// Whether a secret decrypted with the wrong key may look valid: for one key in 256, the padding looks right.
  private var mayConfuseKeys: Bool { settings.isEncrypted && service.product == .kWallet }

  struct ReceivedSecret: ~Copyable {
    let body: Secret
    /// The content type according to the service.
    let contentType: String
  }

  private func received(_ path: String) throws(BusFailure) -> ReceivedSecret {
    try exchanging { (session) throws(BusFailure) in
      let reply = try service.bus.call(
        service.call("GetSecret", of: Interface.item, at: path, Argument.path(session.path)))
      return ReceivedSecret(body: try session.open(reply), contentType: try session.contentType(reply))
    }
  }

  /// The secret of an unlocked item.
  ///
  /// - Throws: ``BusFailure``; for an empty secret from KWallet because the item is locked, the failure that stands for
  ///   a locked item.
  func secret(at path: String) throws(BusFailure) -> ReceivedSecret {
    var secret = try received(path)
    for _ in 1..<Self.sessionLimit where !secret.body.withUnsafeBytes(isValidUTF8) && mayConfuseKeys {
      forgetSession()
      let again = try received(path)
      // No two wrong keys give the same result.
      if again.body.isEqual(to: secret.body) { break }
      secret = again
    }
    if secret.body.isEmpty, try service.items(at: [path]).first?.isLocked ?? true {
      throw BusFailure(call: "GetSecret", .refused(name: BusFailure.isLocked, detail: "its secret is empty"))
    }
    return secret
  }

  /// Replaces an item's secret.
  ///
  /// - Parameter contentType: the content type, if a program has set one.
  func set(
    _ body: borrowing Secret, at path: String, as contentType: String? = nil
  ) throws(BusFailure) {
    try send(body, to: path, as: contentType)
    try confirm(body, at: path, as: contentType)
  }

  private func send(
    _ body: borrowing Secret, to path: String, as contentType: String?
  ) throws(BusFailure) {
    let body = body.copy()
    try exchanging { (session) throws(BusFailure) in
      _ = try service.bus.call(
        service.call(
          "SetSecret", of: Interface.item, at: path, session.seal(body, as: contentType)))
    }
  }

  /// Makes sure that the service has understood a secret.
  private func confirm(
    _ body: borrowing Secret, at path: String, as contentType: String?
  ) throws(BusFailure) {
    if !mayConfuseKeys { return }
    for _ in 0..<Self.sessionLimit {
      if try received(path).body.isEqual(to: body) { return }
      forgetSession()
      try send(body, to: path, as: contentType)
    }
    throw BusFailure(
      call: "SetSecret", .refused(name: "", detail: "it keeps another secret than it was given"))
  }

  /// Makes an item. Returns its path, or the path of the prompt that makes it.
  func create(
    label: String, _ attributes: LookupAttributes, _ body: borrowing Secret, as contentType: String?,
    in collection: String
  ) throws(BusFailure) -> (made: String, prompt: String) {
    let body = body.copy()
    let result = try exchanging { (session) throws(BusFailure) -> (made: String, prompt: String) in
      let present = mayConfuseKeys ? try items(of: collection) : nil
      do throws(BusFailure) {
        // `replace` would match a subset of the attributes, and remove an item with another path or port.
        return try service.made(
          by: service.call(
            "CreateItem", of: Interface.collection, at: collection,
            Argument.properties([
              (Interface.item + ".Label", Argument.text(label)),
              (Interface.item + ".Attributes", Argument.attributes(attributes)),
            ]), session.seal(body, as: contentType), Argument.bool(false)))
      } catch {
        if error.isAboutSession, let present { try removeEmpty(attributes, in: collection, besides: present) }
        throw error
      }
    }
    if result.made != ObjectPath.none { try confirm(body, at: result.made, as: contentType) }
    return result
  }

  func items(of collection: String) throws(BusFailure) -> [String] {
    try service.property("Items", of: Interface.collection, at: collection).paths(of: "property Items")
  }

  /// Removes the item that KWallet makes before it finds that it can't decrypt the secret.
  private func removeEmpty(
    _ attributes: LookupAttributes, in collection: String, besides present: [String]
  ) throws(BusFailure) {
    let added = try items(of: collection).filter { !present.contains($0) }
    for item in try service.items(at: added) where item.lookup.includes(attributes) {
      guard try received(item.path).body.isEmpty else { continue }
      _ = try service.bus.call(service.call("Delete", of: Interface.item, at: item.path))
    }
  }
}
