package import Bytes

/// A GitHub App, which gets tokens for the organisations and people that have installed it.
package struct GitHubApp: ~Copyable, JSONMessage {
  /// The app's identifier, or its client identifier.
  package private(set) var identifier: String
  package private(set) var key: Secret

  package init(identifier: String, key: consuming Secret) {
    self.identifier = identifier
    self.key = key
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("id", "key")
    try members.member("id", &identifier)
    try members.member("key", &key)
  }
}

/// Signs the tokens that prove an app's identity.
package protocol TokenSigner {
  /// The RSA signature of a text with SHA-256; `nil` if the key can't be used.
  func signature(of text: borrowing Secret, with key: borrowing Secret) -> [UInt8]?
}

/// Why an installation gets no token.
package enum GitHubAppFault: Error {
  /// The key isn't an RSA key in PEM, or is encrypted.
  case unusableKey
  /// The place has no owner who could have installed it.
  case noOwner
  /// GitHub doesn't know the app, or the clock is wrong (status 401).
  case notAccepted
  /// The app isn't installed there (404).
  case notInstalled(String)
  case transport(TransportFault)
  case reply(ReplyFault)
  case status(Int)
}

extension GitHubApp {
  /// Gets a token for the installation of a place's owner.
  ///
  /// - Parameters:
  ///   - place: an owner, or one of its repositories, to which the token is then limited.
  ///   - now: the present time, in seconds since the Unix epoch.
  package borrowing func token(
    for place: SignInPlace, at now: Int, signing signer: some TokenSigner, over transport: any Transport
  ) throws(GitHubAppFault) -> MintedToken {
    let names = place.path.split(separator: "/").map(String.init)
    guard let owner = names.first, let interface = Self.interface(of: place.server) else { throw .noOwner }
    let repository = names.count > 1 ? names[1].removingSuffix(".git") : nil
    let assertion = try assertion(at: now, by: signer)
    let installation = try installation(of: owner, repository, interface, assertion, transport)
    guard let url = interface.appending("/app/installations/\(installation)/access_tokens") else {
      throw .noOwner
    }
    var json = JSONWriter()
    json.beginObject()
    if let repository {
      json.beginArray("repositories")
      json.element(ByteString(repository))
      json.endArray()
    }
    json.endObject()
    var request = HTTPRequest(post: json.finish(), to: url)
    request.mediaType = "application/json"
    request.bearerToken = assertion.copy()
    let reply = try exchange(request, over: transport)
    guard reply.status == 201 else { throw Self.fault(reply.status, owner) }
    return try Self.token(in: reply)
  }

  /// The URL of GitHub's API: a separate host for github.com and its data residencies, else a path.
  private static func interface(of server: EndpointURL) -> EndpointURL? {
    if server.host == "github.com" || server.host.hasSuffix(".ghe.com") {
      return EndpointURL("https://api." + server.host)
    }
    return server.at("/api/v3")
  }

  /// The proof of the app's identity: a JSON Web Token of nine minutes, which begins a minute ago to allow for
  /// different clocks.
  private borrowing func assertion(at now: Int, by signer: some TokenSigner) throws(GitHubAppFault) -> Secret
  {
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iat", now - 60)
    claims.member("exp", now + 540)
    claims.member("iss", ByteString(identifier))
    claims.endObject()
    var text = Secret(Base64URL.text(of: Secret(#"{"alg":"RS256","typ":"JWT"}"#)))
    text.append(".")
    text.append(Secret(Base64URL.text(of: claims.finish())))
    guard let signature = signer.signature(of: text, with: key) else { throw .unusableKey }
    text.append(".")
    text.append(Secret(signature.withUnsafeBytes { Base64URL.text($0) }))
    return text
  }

  private borrowing func installation(
    of owner: String, _ repository: String?, _ interface: EndpointURL, _ assertion: borrowing Secret,
    _ transport: any Transport
  ) throws(GitHubAppFault) -> Int64 {
    // Organisations and people have different paths.
    let paths =
      repository.map { ["/repos/\(owner)/\($0)/installation"] }
      ?? ["/orgs/\(owner)/installation", "/users/\(owner)/installation"]
    for path in paths {
      guard let url = interface.appending(path) else { throw .noOwner }
      var request = HTTPRequest(get: url)
      request.bearerToken = assertion.copy()
      let reply = try exchange(request, over: transport)
      if reply.status == 404 { continue }
      guard reply.status == 200 else { throw Self.fault(reply.status, owner) }
      return try Self.number("id", in: reply)
    }
    throw .notInstalled(owner)
  }

  private borrowing func exchange(
    _ request: borrowing HTTPRequest, over transport: any Transport
  ) throws(GitHubAppFault) -> HTTPReply {
    do throws(TransportFault) {
      return try transport.exchange(request)
    } catch {
      throw .transport(error)
    }
  }

  private static func fault(_ status: Int, _ owner: String) -> GitHubAppFault {
    switch status {
    case 401: .notAccepted
    case 404: .notInstalled(owner)
    default: .status(status)
    }
  }

  private static func number(_ name: ByteString, in reply: borrowing HTTPReply) throws(GitHubAppFault)
    -> Int64
  {
    var number: Int64?
    do throws(ReplyFault) {
      try ReplyReader.members(of: reply) { (member, value) throws(ReplyFault) in
        if member == name { number = value.integer }
      }
    } catch {
      throw .reply(error)
    }
    guard let number, number > 0 else { throw .reply(.unusable("\(name)")) }
    return number
  }

  private static func token(in reply: borrowing HTTPReply) throws(GitHubAppFault) -> MintedToken {
    var token: Secret?
    var expiry: Timestamp?
    do throws(ReplyFault) {
      try ReplyReader.members(of: reply) { (name, value) throws(ReplyFault) in
        if name == "token" { token = value.secret() }
        if name == "expires_at" { expiry = value.text(limit: 40).flatMap { Timestamp(rfc3339: $0.utf8) } }
      }
    } catch {
      throw .reply(error)
    }
    guard let token, !token.isEmpty, token.withUnsafeBytes({ $0.allSatisfy { 0x21...0x7e ~= $0 } }) else {
      throw .reply(.unusable("token"))
    }
    guard let expiry else { throw .reply(.unusable("expires_at")) }
    return MintedToken(token: token, expiry: expiry.seconds)
  }
}

extension EndpointURL {
  fileprivate func appending(_ path: String) -> EndpointURL? {
    at((pathAndQuery == "/" ? "" : pathAndQuery) + path)
  }
}

extension String {
  fileprivate func removingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
