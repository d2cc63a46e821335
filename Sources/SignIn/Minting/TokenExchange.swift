package import Bytes
import CredentialProtocols

/// A token exchange (RFC 8693): from the token by which a service vouches for a job, to one for a server.
package struct TokenExchange: ~Copyable, JSONMessage {
  /// Where the job's own token is, each time anew.
  package enum Source: Equatable {
    case file(String)
    case variable(String)
  }

  package var source: Source
  package var tokenEndpoint: EndpointURL
  /// The type of the job's token (section 3).
  package var subjectTokenType = "urn:ietf:params:oauth:token-type:jwt"
  /// The new token's audience (section 2.1).
  package var audience: String?
  /// The new token's scope.
  package var scope: String?
  /// The client, if the server requires one; it has no secret.
  package var clientID: String?

  package init(_ source: Source, at tokenEndpoint: EndpointURL) {
    self.source = source
    self.tokenEndpoint = tokenEndpoint
  }

  /// An exchange to be read.
  init() { self.init(.file(""), at: .unread) }

  /// The exchange as JSON, without secrets.
  package var encoded: Secret {
    var copy = copy()
    return copy.encode()
  }

  package borrowing func copy() -> TokenExchange {
    var copy = TokenExchange(source, at: tokenEndpoint)
    copy.subjectTokenType = subjectTokenType
    (copy.audience, copy.scope, copy.clientID) = (audience, scope, clientID)
    return copy
  }

  /// Reads JSON from ``encoded``.
  ///
  /// - Throws: `JSONReader.Malformed` also for an endpoint that isn't https.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    self.init()
    try read(text)
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    var file: String?
    var variable: String?
    if !members.isReading {
      switch source {
      case .file(let path): file = path
      case .variable(let name): variable = name
      }
    }
    try members.member("subject_token_file", &file)
    try members.member("subject_token_variable", &variable)
    guard let source = file.map(Source.file) ?? variable.map(Source.variable) else {
      throw JSONReader.Malformed()
    }
    self.source = source
    try members.need("token_endpoint")
    try members.member("token_endpoint", &tokenEndpoint)
    try members.member("subject_token_type", &subjectTokenType)
    try members.member("audience", &audience)
    try members.member("scope", &scope)
    try members.member("client_id", &clientID)
  }

  /// Exchanges a token.
  ///
  /// - Parameter now: the present time, in seconds since the Unix epoch.
  package borrowing func token(
    for subject: borrowing Secret, at now: Int, over transport: any Transport
  ) throws(SignInFault) -> MintedToken {
    var form = FormBody()
    form.append("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
    form.append("subject_token", subject)
    form.append("subject_token_type", subjectTokenType)
    if let audience { form.append("audience", audience) }
    if let scope { form.append("scope", scope) }
    if let clientID { form.append("client_id", clientID) }
    let tokens = try TokenReply.tokens(for: form.finish(), at: tokenEndpoint, over: transport)
    return MintedToken(token: tokens.accessToken.copy(), expiry: tokens.life.map { Int64(now) + $0 })
  }
}
