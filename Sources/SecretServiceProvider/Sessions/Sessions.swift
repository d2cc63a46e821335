import Bytes
import CSecret
import SecretService

/// How secrets are sent between the service and one program (Secret Service draft 0.2, chapter 7).
final class ServedSession: Sendable {
  let number: Int
  let owner: String
  /// `nil` for a session without encryption.
  private let cipher: SessionCipher?

  var path: String { ObjectPath.session(number) }

  init(_ number: Int, of owner: String, key: consuming Secret?) {
    self.number = number
    self.owner = owner
    cipher =
      switch consume key {
      case .some(let key): SessionCipher(key: key)
      case .none: nil
      }
  }

  /// A secret for the other side, of the type `(oayays)`.
  func seal(_ secret: borrowing Secret, _ contentType: String) -> OpaquePointer {
    guard let cipher else {
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return secret.withUnsafeBytes { Argument.secret(in: path, none, $0, contentType) }
    }
    let (iv, ciphertext) = cipher.seal(secret)
    return iv.withUnsafeBytes { iv in
      ciphertext.withUnsafeBytes { Argument.secret(in: path, iv, $0, contentType) }
    }
  }

  /// The bytes of a secret from the other side.
  ///
  /// - Throws: ``ServiceError/invalidArguments(_:)`` if it can't be decrypted.
  func open(_ parameters: TypedVariant, _ value: TypedVariant) throws(ServiceError) -> Secret {
    guard let cipher else { return value.withBytes { Secret(copying: $0) } }
    let opened = parameters.withBytes { iv in
      value.withBytes { cipher.open(iv: iv, ciphertext: $0) }
    }
    switch consume opened {
    case .some(let secret): return secret
    case .none: throw .invalidArguments("the secret can't be decrypted")
    }
  }
}

/// The sessions of all programs. Each ends with its connection.
final class Sessions {
  /// How many sessions one connection may have at once.
  static let limit = 4096

  static let plain = "plain"
  static let encrypted = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  private var sessions: [Int: ServedSession] = [:]
  private var numbers: [String: [Int]] = [:]
  private var last = 0
  /// A key pair for the next session, made while nobody waited for it.
  private var prepared: KeyPair?

  func prepare() {
    if prepared == nil { prepared = KeyPair.generate() }
  }

  func open(
    _ algorithm: String, _ input: Variant, for owner: String
  ) throws(ServiceError) -> (session: ServedSession, output: OpaquePointer) {
    guard algorithm == Self.plain || algorithm == Self.encrypted else {
      throw .notSupported("the algorithm is neither \(Self.plain) nor \(Self.encrypted)")
    }
    guard numbers[owner, default: []].count < Self.limit else {
      throw .limitsExceeded("this connection has \(Self.limit) sessions")
    }
    if algorithm == Self.plain {
      return (add(of: owner, key: nil), Argument.text(""))
    }
    guard let bytes = (try? input.checked(as: "ay", of: "input"))?.withBytes({ Array($0) }) else {
      throw .invalidArguments("a public key is an array of bytes")
    }
    let pair = prepared ?? KeyPair.generate()
    prepared = nil
    switch pair.sessionKey(with: bytes) {
    case .some(let key):
      let output = pair.publicKey.withUnsafeBytes { Argument.bytes($0) }
      return (add(of: owner, key: key), output)
    case .none: throw .invalidArguments("the public key is not usable")
    }
  }

  private func add(of owner: String, key: consuming Secret?) -> ServedSession {
    last += 1
    let session = ServedSession(last, of: owner, key: key)
    sessions[last] = session
    numbers[owner, default: []].append(last)
    return session
  }

  /// The session with a path, if it is the caller's.
  func session(at path: String, of owner: String) throws(ServiceError) -> ServedSession {
    guard let number = ObjectPath.number(path, in: ObjectPath.sessions), let session = sessions[number],
      session.owner == owner
    else { throw .noSession }
    return session
  }

  func close(_ session: ServedSession) {
    sessions[session.number] = nil
    numbers[session.owner]?.removeAll { $0 == session.number }
    if numbers[session.owner]?.isEmpty ?? false { numbers[session.owner] = nil }
  }

  /// Ends the sessions of a connection that has left the bus.
  func end(of owner: String) {
    for number in numbers.removeValue(forKey: owner) ?? [] { sessions[number] = nil }
  }
}
