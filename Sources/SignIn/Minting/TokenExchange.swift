package import Bytes
import CredentialProtocols

/// A token exchange (RFC 8693): from the token by which a service vouches for a job, to one for a server.
package struct TokenExchange: ~Copyable {
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

  /// The exchange as JSON, without secrets.
  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    write(to: &json)
    json.endObject()
    return json.finish()
  }

  package borrowing func write(to json: inout JSONWriter) {
    switch source {
    case .file(let path): json.member("subject_token_file", ByteString(path))
    case .variable(let name): json.member("subject_token_variable", ByteString(name))
    }
    json.member("token_endpoint", ByteString(tokenEndpoint.text))
    json.member("subject_token_type", ByteString(subjectTokenType))
    json.member("audience", audience.map { ByteString($0) })
    json.member("scope", scope.map { ByteString($0) })
    json.member("client_id", clientID.map { ByteString($0) })
  }

  /// Reads JSON from ``encoded``.
  ///
  /// - Throws: `JSONReader.Malformed` also for an endpoint that isn't https.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var texts: [String: String] = [:]
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      let name = "\(member.name)"
      if Self.names.contains(name) { texts[name] = try member.text() }
    }
    let source =
      texts["subject_token_file"].map { Source.file($0) }
      ?? texts["subject_token_variable"].map { Source.variable($0) }
    guard let source, let endpoint = texts["token_endpoint"].flatMap({ EndpointURL($0) }) else {
      throw JSONReader.Malformed()
    }
    self.init(source, at: endpoint)
    subjectTokenType = texts["subject_token_type"] ?? subjectTokenType
    audience = texts["audience"]
    scope = texts["scope"]
    clientID = texts["client_id"]
  }

  private static let names: Set = [
    "subject_token_file", "subject_token_variable", "token_endpoint", "subject_token_type", "audience",
    "scope",
    "client_id",
  ]

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
