package import Bytes

/// llavero's registration as a client of an authorization server, and the server's endpoints.
///
/// The keychain keeps it beside the tokens, so that a refresh token only ever goes to the endpoint from the time of the
/// sign-in. The names are those of RFC 7591 section 2 and RFC 8414 section 2.
package struct ClientRegistration: ~Copyable {
  /// How to send the client's secret (RFC 7591 section 2, `token_endpoint_auth_method`).
  package enum Authentication: String {
    /// In a Basic Authorization header.
    case header = "client_secret_basic"
    case body = "client_secret_post"
  }

  /// How the browser returns a code (OAuth 2.0 Multiple Response Type Encoding Practices section 2.1, and OAuth 2.0
  /// Form Post Response Mode).
  package enum ResponseMode: String {
    /// In the address's query, the default.
    case query
    /// In the address's fragment, which a browser shows but doesn't send.
    case fragment
    case formPost = "form_post"
  }

  package var clientID: String
  package var clientSecret: Secret?
  package var authentication = Authentication.header
  package var authorizationEndpoint: EndpointURL?
  package var tokenEndpoint: EndpointURL
  package var deviceEndpoint: EndpointURL?
  package var revocationEndpoint: EndpointURL?
  /// The issuer, for checking the browser's return (RFC 9207); `nil` if unknown.
  package var issuer: String?
  /// Whether the server's metadata promise the issuer in each of the browser's returns.
  package var promisesIssuer = false
  /// The address for the browser's return: on loopback, with or without a port.
  package var redirectURI = "http://127.0.0.1"
  package var responseMode = ResponseMode.query
  /// The scopes to ask for, separated by spaces; empty for the server's own choice.
  package var scope = ""
  /// The user name for a token if the person names none.
  package var userName = usualUserName
  /// Whether a token answers under that name, whatever the name in the URL.
  package var ignoresNamesInURLs = false

  /// The user name for a token if nothing names another one.
  static let usualUserName = "oauth2"

  package init(clientID: String, tokenEndpoint: EndpointURL) {
    self.clientID = clientID
    self.tokenEndpoint = tokenEndpoint
  }

  package borrowing func copy() -> ClientRegistration {
    var copy = ClientRegistration(clientID: clientID, tokenEndpoint: tokenEndpoint)
    switch clientSecret {
    case .some(let secret): copy.clientSecret = secret.copy()
    case .none: break
    }
    copy.authentication = authentication
    copy.authorizationEndpoint = authorizationEndpoint
    copy.deviceEndpoint = deviceEndpoint
    copy.revocationEndpoint = revocationEndpoint
    copy.issuer = issuer
    copy.promisesIssuer = promisesIssuer
    copy.redirectURI = redirectURI
    copy.responseMode = responseMode
    copy.scope = scope
    copy.userName = userName
    copy.ignoresNamesInURLs = ignoresNamesInURLs
    return copy
  }

  /// The registration as JSON, which may contain a secret.
  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    write(to: &json)
    json.endObject()
    return json.finish()
  }

  package borrowing func write(to json: inout JSONWriter) {
    json.member("client_id", ByteString(clientID))
    switch clientSecret {
    case .some(let secret):
      json.member("client_secret", secret)
      json.member("token_endpoint_auth_method", ByteString(authentication.rawValue))
    case .none: break
    }
    json.member("authorization_endpoint", authorizationEndpoint.map { ByteString($0.text) })
    json.member("token_endpoint", ByteString(tokenEndpoint.text))
    json.member("device_authorization_endpoint", deviceEndpoint.map { ByteString($0.text) })
    json.member("revocation_endpoint", revocationEndpoint.map { ByteString($0.text) })
    json.member("issuer", issuer.map { ByteString($0) })
    if promisesIssuer { json.member("authorization_response_iss_parameter_supported", true) }
    json.member("redirect_uri", ByteString(redirectURI))
    if responseMode != .query { json.member("response_mode", ByteString(responseMode.rawValue)) }
    json.member("scope", ByteString(scope))
    json.member("username", ByteString(userName))
    if ignoresNamesInURLs { json.member("username_for_all", true) }
  }

  /// Reads JSON from ``encoded``.
  ///
  /// - Throws: `JSONReader.Malformed` also for an endpoint that isn't https.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var clientID: String?
    var token: EndpointURL?
    var secret: Secret?
    var authentication = Authentication.header
    var endpoints: [String: EndpointURL] = [:]
    var texts: [String: String] = [:]
    var promisesIssuer = false
    var responseMode = ResponseMode.query
    var ignoresNamesInURLs = false
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "client_id": clientID = try member.text()
      case "client_secret": secret = try member.secret()
      case "token_endpoint_auth_method":
        guard let method = Authentication(rawValue: try member.text()) else {
          throw JSONReader.Malformed()
        }
        authentication = method
      case "token_endpoint": token = try Self.endpoint(member)
      case let name
      where ["authorization_endpoint", "device_authorization_endpoint", "revocation_endpoint"].contains(name):
        endpoints["\(name)"] = try Self.endpoint(member)
      case let name where ["issuer", "redirect_uri", "scope", "username"].contains(name):
        texts["\(name)"] = try member.text()
      case "response_mode":
        guard let mode = ResponseMode(rawValue: try member.text()) else { throw JSONReader.Malformed() }
        responseMode = mode
      case "authorization_response_iss_parameter_supported": promisesIssuer = try member.value.bool()
      case "username_for_all": ignoresNamesInURLs = try member.value.bool()
      default: break
      }
    }
    guard let clientID, let token else { throw JSONReader.Malformed() }
    self.init(clientID: clientID, tokenEndpoint: token)
    clientSecret = secret
    self.authentication = authentication
    authorizationEndpoint = endpoints["authorization_endpoint"]
    deviceEndpoint = endpoints["device_authorization_endpoint"]
    revocationEndpoint = endpoints["revocation_endpoint"]
    issuer = texts["issuer"]
    self.promisesIssuer = promisesIssuer
    redirectURI = texts["redirect_uri"] ?? redirectURI
    self.responseMode = responseMode
    scope = texts["scope"] ?? scope
    userName = texts["username"] ?? userName
    self.ignoresNamesInURLs = ignoresNamesInURLs
  }

  private static func endpoint(_ member: WrittenMember) throws(JSONReader.Malformed) -> EndpointURL {
    guard let url = EndpointURL(try member.text()) else { throw JSONReader.Malformed() }
    return url
  }
}
