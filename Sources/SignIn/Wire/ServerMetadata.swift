import Bytes

/// An authorization server's metadata (RFC 8414 section 2; OpenID Connect Discovery 1.0 section 3).
package struct ServerMetadata: Equatable {
  package private(set) var issuer = ""
  package private(set) var authorizationEndpoint: EndpointURL?
  package private(set) var tokenEndpoint: EndpointURL?
  package private(set) var deviceEndpoint: EndpointURL?
  package private(set) var revocationEndpoint: EndpointURL?
  /// Whether each of the browser's returns names the issuer (RFC 9207 section 3).
  package private(set) var promisesIssuer = false
  package private(set) var scopes: [String] = []

  private init() {}

  /// Where an issuer's metadata may be, in the order to try. They must name the same issuer.
  package static func places(of issuer: EndpointURL) -> [EndpointURL] {
    let path = issuer.pathAndQuery == "/" ? "" : issuer.pathAndQuery
    // RFC 8414 section 3.1 puts the well-known part before the path, OpenID behind it.
    let places = [
      "/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration",
    ]
    return places.compactMap { issuer.at($0) }
  }

  /// Reads a reply.
  ///
  /// - Parameter issuer: the issuer of the metadata.
  /// - Throws: ``ReplyFault``: also for another issuer (RFC 8414 section 3.3), or an endpoint that isn't https.
  package init(_ reply: borrowing HTTPReply, of issuer: EndpointURL) throws(ReplyFault) {
    self.init()
    guard reply.status == 200 else { throw .unexpectedStatus(reply.status) }
    var seen: Set<ByteString> = []
    var members = self
    try ReplyReader.members(of: reply) { (name, value) throws(ReplyFault) in
      guard seen.insert(name).inserted else { throw .repeated("\(name)".prefix(60).description) }
      try members.take(name, value)
    }
    self = members
    // With or without a trailing slash: both are written for an issuer without a path.
    let expected = issuer.pathAndQuery == "/" ? [issuer.origin, issuer.origin + "/"] : [issuer.text]
    guard expected.contains(self.issuer) else { throw .unusable("issuer") }
    guard tokenEndpoint != nil else { throw .unusable("token_endpoint") }
  }

  private mutating func take(_ name: ByteString, _ value: borrowing ReplyValue) throws(ReplyFault) {
    switch name {
    case "issuer": issuer = value.text(limit: EndpointURL.maximumSize) ?? ""
    case "authorization_endpoint": authorizationEndpoint = try Self.endpoint(value, name)
    case "token_endpoint": tokenEndpoint = try Self.endpoint(value, name)
    case "device_authorization_endpoint": deviceEndpoint = try Self.endpoint(value, name)
    case "revocation_endpoint": revocationEndpoint = try Self.endpoint(value, name)
    case "authorization_response_iss_parameter_supported": promisesIssuer = value.isTrue
    case "scopes_supported": scopes = value.texts(limit: 100) ?? []
    default: break
    }
  }

  private static func endpoint(_ value: borrowing ReplyValue, _ name: ByteString) throws(ReplyFault)
    -> EndpointURL
  {
    guard let url = value.text(limit: EndpointURL.maximumSize + 1).flatMap({ EndpointURL($0) }) else {
      throw .unusable("\(name)")
    }
    return url
  }
}
