package import Bytes
import CredentialProtocols

/// A request that a browser takes to the server (RFC 6749 section 4.1.1), and the check of its answer.
package struct AuthorizationRequest: ~Copyable {
  package let url: String
  package let path: String
  private let state: Secret
  private let key: ProofKey
  private let redirectURI: String
  private let issuer: String?
  private let promisesIssuer: Bool

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - port: the port for the browser's return; `nil` if the registration has one of its own, or a person copies the
  ///     address.
  ///   - mode: how the server returns the code.
  ///   - person: who should sign in, as a hint for the server's page; `nil` for anyone.
  /// - Throws: ``SignInFault/noFlow`` if the server has no such endpoint.
  package init(
    _ client: borrowing ClientRegistration, port: UInt16?, mode: ClientRegistration.ResponseMode = .query,
    person: ByteString? = nil
  ) throws(SignInFault) {
    guard let endpoint = client.authorizationEndpoint, let redirect = Redirection(client.redirectURI) else {
      throw .noFlow
    }
    state = RandomText.unreserved(byteCount: 16)
    key = ProofKey()
    redirectURI = redirect.text(port: port)
    path = redirect.path
    issuer = client.issuer
    promisesIssuer = client.promisesIssuer
    var query = FormBody()
    query.append("response_type", "code")
    query.append("client_id", client.clientID)
    query.append("redirect_uri", redirectURI)
    if !client.scope.isEmpty { query.append("scope", client.scope) }
    query.append("state", state)
    query.append("code_challenge", key.challenge)
    query.append("code_challenge_method", "S256")
    if mode != .query { query.append("response_mode", mode.rawValue) }
    if let person { query.append("login_hint", "\(person)") }
    url = query.finish().withUnsafeBytes { endpoint.adding(String(decoding: $0, as: UTF8.self)) }
  }

  package enum Return: ~Copyable {
    /// A code, not yet redeemed.
    case code(Secret)
    case refusal(TokenRefusal)
    /// It doesn't belong to this request, which stays open.
    case foreign
  }

  /// Checks the parameters of the browser's return: first the state, then the issuer, then the rest.
  ///
  /// - Throws: ``SignInFault/wrongIssuer`` (RFC 9207 section 2.4).
  package borrowing func check(_ query: UnsafeRawBufferPointer) throws(SignInFault) -> Return {
    try Self.check(query, state: state, issuer: issuer, promisesIssuer: promisesIssuer)
  }

  /// Checks the parameters of the browser's return for another program's request.
  ///
  /// - Throws: ``SignInFault/wrongIssuer``, if there is an issuer.
  package static func check(
    _ query: UnsafeRawBufferPointer, state: borrowing Secret, issuer: String? = nil,
    promisesIssuer: Bool = false
  ) throws(SignInFault) -> Return {
    var parameters = ReturnedParameters()
    do throws(FormReader.Malformed) {
      try FormReader.parameters(of: query) { (name, value) throws(FormReader.Malformed) in
        try parameters.take(name, value)
      }
    } catch {
      return .foreign
    }
    return try parameters.check(state: state, issuer: issuer, promisesIssuer: promisesIssuer)
  }

  /// Redeems the code.
  package borrowing func redeem(
    _ code: borrowing Secret, by client: borrowing ClientRegistration, over transport: any Transport
  ) throws(SignInFault) -> Tokens {
    try client.redeem(code: code, verifier: key.verifier, redirectURI: redirectURI, over: transport)
  }
}

private struct ReturnedParameters: ~Copyable {
  private var code: Secret?
  private var state: Secret?
  private var issuer: String?
  private var error: String?
  private var errorDescription: String?
  private var seen: Set<ByteString> = []

  mutating func take(_ name: ByteString, _ value: consuming Secret) throws(FormReader.Malformed) {
    // RFC 6749 section 3.1: no parameter occurs twice.
    guard seen.insert(name).inserted else { throw FormReader.Malformed() }
    switch name {
    case "code": code = consume value
    case "state": state = consume value
    case "iss": issuer = Self.text(value, limit: EndpointURL.maximumSize)
    case "error": error = Self.text(value, limit: 100)
    case "error_description": errorDescription = Self.text(value, limit: 300)
    default: break
    }
  }

  private static func text(_ value: borrowing Secret, limit: Int) -> String {
    value.withUnsafeBytes { String(decoding: $0.prefix(limit), as: UTF8.self) }
  }

  consuming func check(
    state expected: borrowing Secret, issuer expectedIssuer: String?, promisesIssuer: Bool
  ) throws(SignInFault) -> AuthorizationRequest.Return {
    switch state {
    case .none: return .foreign
    case .some(let state): if !state.isEqual(to: expected) { return .foreign }
    }
    if let issuer {
      if let expectedIssuer, issuer != expectedIssuer { throw .wrongIssuer }
    } else if promisesIssuer, error == nil {
      // Some servers leave it out of errors, which reveal nothing.
      throw .wrongIssuer
    }
    if let error { return .refusal(TokenRefusal(error, errorDescription, nil, nil)) }
    guard let code, !code.isEmpty else { return .foreign }
    return .code(code)
  }
}

/// The address for the browser's return (RFC 8252 section 7.3): on this machine, over http.
package struct Redirection {
  /// `127.0.0.1`, `[::1]` or `localhost`.
  package let host: String
  /// The port, if it is registered.
  package let port: UInt16?
  package let path: String
  private let hasPath: Bool

  /// Parses a registered address; `nil` if it doesn't lead to this machine.
  package init?(_ uri: String) {
    guard let url = EndpointURL(uri), url.scheme == "http", !url.pathAndQuery.contains("?") else {
      return nil
    }
    host = url.host
    let authority = uri.dropFirst("http://".count).prefix { $0 != "/" }
    port = authority.dropFirst(url.host.count).hasPrefix(":") ? url.port : nil
    path = url.pathAndQuery
    // Older servers compare the address byte by byte, port aside.
    hasPath = authority.count < uri.count - "http://".count
  }

  package func text(port: UInt16?) -> String {
    let port = self.port ?? port
    return "http://\(host)" + (port.map { ":\($0)" } ?? "") + (hasPath ? path : "")
  }
}
