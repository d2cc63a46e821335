package import Bytes

/// The requests to a token endpoint.
extension ClientRegistration {
  /// Asks for new tokens with a refresh token (RFC 6749 section 6).
  package borrowing func refresh(
    _ token: borrowing Secret, over transport: any Transport
  ) throws(SignInFault) -> Tokens {
    var form = FormBody()
    form.append("grant_type", "refresh_token")
    form.append("refresh_token", token)
    return try tokens(for: form, over: transport)
  }

  /// Asks for tokens with the browser's code (section 4.1.3).
  borrowing func redeem(
    code: borrowing Secret, verifier: borrowing Secret, redirectURI: String, over transport: any Transport
  ) throws(SignInFault) -> Tokens {
    var form = FormBody()
    form.append("grant_type", "authorization_code")
    form.append("code", code)
    form.append("redirect_uri", redirectURI)
    form.append("code_verifier", verifier)
    return try tokens(for: form, over: transport)
  }

  /// Asks for tokens with a device code, once (RFC 8628 section 3.4).
  borrowing func redeem(deviceCode: borrowing Secret, over transport: any Transport) throws(SignInFault)
    -> Tokens
  {
    var form = FormBody()
    form.append("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
    form.append("device_code", deviceCode)
    return try tokens(for: form, over: transport)
  }

  /// Tells the server to forget a token (RFC 7009 section 2.1). Its reply is the same if it doesn't know the token
  /// (section 2.2).
  ///
  /// - Throws: ``SignInFault``; ``SignInFault/noFlow`` if the server doesn't offer it.
  package borrowing func revoke(
    _ token: borrowing Secret, isRefreshToken: Bool, over transport: any Transport
  ) throws(SignInFault) {
    guard let revocationEndpoint else { throw .noFlow }
    var form = FormBody()
    form.append("token", token)
    form.append("token_type_hint", isRefreshToken ? "refresh_token" : "access_token")
    let reply = try exchange(form, with: revocationEndpoint, over: transport)
    if reply.status == 200 { return }
    if let refusal = TokenRefusal(status: reply.status, reply.retryAfter) { throw .refused(refusal) }
    throw .reply(.unexpectedStatus(reply.status))
  }

  private borrowing func tokens(
    for form: consuming FormBody, over transport: any Transport
  ) throws(SignInFault) -> Tokens {
    try TokenReply.tokens(in: try exchange(form, with: tokenEndpoint, over: transport))
  }

  /// Sends a form with the client's authentication, in one way only: a code works only once, so trying another way
  /// would be useless.
  borrowing func exchange(
    _ form: consuming FormBody, with endpoint: EndpointURL, over transport: any Transport
  ) throws(SignInFault) -> HTTPReply {
    var form = form
    var authorization: Secret?
    switch clientSecret {
    case .some(let secret) where authentication == .header:
      // Encoded before they are joined (RFC 6749 section 2.3.1).
      var pair = Secret(capacity: 256)
      PercentEncoding.append(Secret(clientID), to: &pair)
      pair.append(":")
      PercentEncoding.append(secret, to: &pair)
      authorization = consume pair
    case .some(let secret):
      form.append("client_id", clientID)
      form.append("client_secret", secret)
    case .none: form.append("client_id", clientID)
    }
    var request = HTTPRequest(post: form.finish(), to: endpoint)
    request.basicAuthorization = authorization
    return try request.reply(over: transport)
  }
}

extension TokenReply {
  /// The tokens for a form of a client without authentication.
  static func tokens(
    for form: consuming Secret, at endpoint: EndpointURL, over transport: any Transport
  ) throws(SignInFault) -> Tokens {
    try tokens(in: try HTTPRequest(post: form, to: endpoint).reply(over: transport))
  }

  /// The tokens in a reply.
  fileprivate static func tokens(in reply: borrowing HTTPReply) throws(SignInFault) -> Tokens {
    let parsed: TokenReply
    do throws(ReplyFault) {
      parsed = try parse(reply)
    } catch {
      throw .reply(error)
    }
    switch consume parsed {
    case .tokens(let tokens): return tokens
    case .refusal(let refusal): throw .refused(refusal)
    }
  }
}

extension HTTPRequest {
  fileprivate borrowing func reply(over transport: any Transport) throws(SignInFault) -> HTTPReply {
    do throws(TransportFault) {
      return try transport.exchange(self)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error)
    }
  }
}
