package import Bytes

/// llavero's registration as a client of an authorization server, and the server's endpoints.
///
/// The keychain keeps it beside the tokens, so that a refresh token only ever goes to the endpoint from the time of the
/// sign-in. The names are those of RFC 7591 section 2 and RFC 8414 section 2.
package struct ClientRegistration: ~Copyable, JSONMessage {
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

  /// A registration to be read.
  init() { self.init(clientID: "", tokenEndpoint: .unread) }

  package borrowing func copy() -> ClientRegistration {
    var copy = ClientRegistration(clientID: clientID, tokenEndpoint: tokenEndpoint)
    copy.clientSecret = clientSecret.lend { $0.copy() }
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
    var copy = copy()
    return copy.encode()
  }

  /// Reads JSON from ``encoded``.
  ///
  /// - Throws: `JSONReader.Malformed` also for an endpoint that isn't https.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    self.init()
    try read(text)
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("client_id", "token_endpoint")
    try members.member("client_id", &clientID)
    try members.member("client_secret", &clientSecret)
    if members.isReading || clientSecret != nil {
      try members.word("token_endpoint_auth_method", &authentication)
    }
    try members.member("authorization_endpoint", &authorizationEndpoint)
    try members.member("token_endpoint", &tokenEndpoint)
    try members.member("device_authorization_endpoint", &deviceEndpoint)
    try members.member("revocation_endpoint", &revocationEndpoint)
    try members.member("issuer", &issuer)
    try members.mark("authorization_response_iss_parameter_supported", &promisesIssuer)
    try members.member("redirect_uri", &redirectURI)
    try members.word("response_mode", &responseMode, usually: .query)
    try members.member("scope", &scope)
    try members.member("username", &userName)
    try members.mark("username_for_all", &ignoresNamesInURLs)
  }
}
