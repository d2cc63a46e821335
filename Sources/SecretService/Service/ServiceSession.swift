import Bytes
import CSecret

/// A session with the service, which determines how secrets are transferred over the bus.
final class ServiceSession {
  private(set) var path = ""
  /// libsecret's object with the key of an encrypted session.
  private let encrypting: UnsafeMutablePointer<CSecret.SecretService>?

  /// An encrypted session that is being opened.
  final class Opening {
    fileprivate let owner: String
    fileprivate let service: UnsafeMutablePointer<CSecret.SecretService>
    fileprivate let outcome = AsyncOutcome()
    fileprivate let bus: SessionBus

    fileprivate init(
      _ service: UnsafeMutablePointer<CSecret.SecretService>, of owner: String, _ bus: SessionBus
    ) {
      self.service = service
      self.owner = owner
      self.bus = bus
    }

    deinit { csecret_unref(service) }
  }

  /// The class of libsecret's objects, which threads must not register at the same time.
  private static let serviceClass = csecret_register_service()

  /// Does the first part of ``beginEncrypted(on:owner:)`` in advance.
  static func prepare() { _ = serviceClass }

  /// Begins to open an encrypted session: a Diffie-Hellman exchange, then AES (Secret Service API, "Transfer of
  /// Secrets"). This side's half of the exchange is computed before this function returns.
  ///
  /// Must not be the first message to the service; see ``Service/init(on:patience:meanwhile:)``.
  static func beginEncrypted(on bus: SessionBus, owner: String) throws(BusFailure) -> Opening {
    var error: UnsafeMutablePointer<GError>?
    let service = bus.withConnection {
      csecret_service_new(serviceClass, $0, owner, Int32(bus.timeout), &error)
    }
    guard let service else { throw bus.failure(error, call: "OpenSession", to: owner) }
    let opening = Opening(service, of: owner, bus)
    bus.context.calling {
      secret_service_ensure_session(service, nil, AsyncOutcome.callback, opening.outcome.data)
    }
    return opening
  }

  init(_ opening: Opening) throws(BusFailure) {
    let service = opening.service
    g_object_ref(service)
    encrypting = service
    opening.bus.context.run { opening.outcome.isDone }
    var error: UnsafeMutablePointer<GError>?
    guard secret_service_ensure_session_finish(service, opening.outcome.result, &error) != 0,
      let path = secret_service_get_session_dbus_path(service)
    else {
      let failure = opening.bus.failure(error, call: "OpenSession", to: opening.owner)
      // Reported like this by `csecret_check_opening`.
      guard case .refused("org.freedesktop.DBus.Error.InvalidSignature", let detail) = failure.reason else {
        throw failure
      }
      throw BusFailure(call: "OpenSession", .malformed(detail: "OpenSession is \(detail)"))
    }
    self.path = String(cString: path)
    // libsecret falls back to plain by itself if the service doesn't support encryption.
    let algorithms = secret_service_get_session_algorithms(service).map { String(cString: $0) }
    if algorithms == "plain" {
      throw BusFailure(
        call: "OpenSession",
        .refused(name: "org.freedesktop.DBus.Error.NotSupported", detail: "it knows no encrypted session"))
    }
  }

  /// A call that opens a session without encryption.
  static func openingPlain(_ service: Service) -> SessionBus.Call {
    service.call("OpenSession", Argument.text("plain"), Argument.variant(Argument.text("")))
  }

  init(plain reply: Variant) throws(BusFailure) {
    encrypting = nil
    path = try reply.checked(as: "(vo)", of: "OpenSession")[1].text
  }

  deinit {
    if let encrypting { csecret_unref(encrypting) }
  }

  /// The bytes of a secret from the bus.
  ///
  /// - Parameter reply: the answer of `GetSecret`.
  /// - Throws: ``BusFailure`` if it can't be understood.
  func open(_ reply: Variant) throws(BusFailure) -> Secret {
    let what = "GetSecret"
    let value = try reply.checked(as: "((oayays))", of: what)[0]
    guard let encrypting else { return value[2].withBytes { Secret(copying: $0) } }
    guard let secret = secret_service_decode_dbus_secret(encrypting, value.pointer) else {
      throw BusFailure(call: what, .undecipherable)
    }
    // libsecret wipes its copy when the last reference is released.
    defer { secret_value_unref(UnsafeMutableRawPointer(secret)) }
    var count: gsize = 0
    let bytes = secret_value_get(secret, &count)
    return Secret(copying: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// The stated content type of a secret from the bus.
  func contentType(_ reply: Variant) throws(BusFailure) -> String {
    try reply.checked(as: "((oayays))", of: "GetSecret")[0][3].text
  }

  /// A secret for the bus, of the type `(oayays)`; a floating reference.
  ///
  /// - Parameter contentType: the content type, if a program has set one.
  func seal(_ secret: borrowing Secret, as contentType: String? = nil) -> OpaquePointer {
    let contentType = contentType ?? Self.contentType(of: secret)
    return secret.withUnsafeBytes { bytes in
      guard let encrypting else {
        return Argument.secret(in: path, UnsafeRawBufferPointer(start: nil, count: 0), bytes, contentType)
      }
      guard
        let value = secret_value_new(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), gssize(bytes.count), contentType)
      else { preconditionFailure("no secret value") }
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      return secret_service_encode_dbus_secret(encrypting, value)
    }
  }

  /// KeePassXC treats `text/plain` as text: it replaces anything that is not UTF-8, and anything in braces. KWallet
  /// removes a byte order mark.
  static func contentType(of secret: borrowing Secret) -> String {
    secret.withUnsafeBytes { bytes in
      isValidUTF8(bytes) && !bytes.contains(UInt8(ascii: "{")) && !bytes.starts(with: [0xef, 0xbb, 0xbf])
        ? "text/plain" : "application/octet-stream"
    }
  }
}
