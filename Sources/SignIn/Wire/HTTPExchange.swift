package import Bytes

/// A request over http, as the flows make it.
package struct HTTPRequest: ~Copyable {
  package enum Method: String {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
    /// The keys of a folder (OpenBao, Vault).
    case list = "LIST"
    /// The keys of a folder and everything below it (OpenBao).
    case scan = "SCAN"
  }

  package internal(set) var url: EndpointURL
  package internal(set) var method: Method
  /// The user name and password of a Basic Authorization header, which may be secret; `nil` for none.
  package var basicAuthorization: Secret?
  package var bearerToken: Secret?
  /// Further headers that are not secret, as `Name: value`.
  package var headers: [String] = []
  /// A further header whose value is secret, as `Name: value`.
  package var secretHeader: Secret?
  /// The body of a POST, in ``mediaType``; `nil` for none.
  package internal(set) var body: Secret?
  /// The media type of the body.
  package var mediaType: StaticString = "application/x-www-form-urlencoded"
  /// The largest body of the reply, in bytes.
  package var maximumReply = HTTPReply.maximumBody
  /// The longest time for this exchange, in milliseconds, if shorter than usual.
  package var timeout: Int?

  package init(_ method: Method, _ url: EndpointURL) {
    self.url = url
    self.method = method
    body = nil
  }

  package init(get url: EndpointURL) { self.init(.get, url) }

  package init(post body: consuming Secret, to url: EndpointURL) {
    self.url = url
    method = .post
    self.body = consume body
  }
}

package struct HTTPReply: ~Copyable {
  /// The largest body, in bytes, unless the request allows a larger one. Exceeding it is an error.
  package static let maximumBody = 65_536

  package internal(set) var status: Int
  /// The media type in lowercase, without parameters; empty if there is none.
  package internal(set) var mediaType: String
  /// `Retry-After`, in seconds from now; `nil` if there is none.
  package internal(set) var retryAfter: Int?
  /// By how many seconds the server's clock is ahead of this machine's, from its `Date`; `nil` without one.
  package internal(set) var clockDifference: Int?
  /// `Location`: the target of a redirect; `nil` if there is none.
  package var location: String?
  /// `X-Vault-Index`: the position in the server's data; `nil` if there is none.
  package var index: String?
  package internal(set) var body: Secret

  package init(
    status: Int, mediaType: String = "application/json", retryAfter: Int? = nil, clockDifference: Int? = nil,
    body: consuming Secret
  ) {
    self.status = status
    self.mediaType = mediaType
    self.retryAfter = retryAfter
    self.clockDifference = clockDifference
    self.body = consume body
  }
}

/// Why there is no reply.
package enum TransportFault: Error, Equatable {
  /// The server or the proxy can't be reached; the reason follows "because".
  case unreachable(String)
  case proxyAuthentication
  /// The connection isn't safe, for example because of an untrusted certificate.
  case unsafeConnection(String)
  /// The reply is larger than ``HTTPRequest/maximumReply``.
  case tooLarge
  /// There was no whole reply in time.
  case tooSlow(milliseconds: Int)
  /// The person or a signal ended it.
  case cancelled
}

/// Sends requests. The flows know nothing of the network.
package protocol Transport: AnyObject {
  /// Sends a request and returns the reply, without following redirects.
  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply

  /// Checks whether a proxy on the way, if any, lets requests through to a server. Nobody should sign in for a code
  /// that can't be sent afterwards.
  func passProxy(to url: EndpointURL) throws(TransportFault)
}

extension Transport {
  package func passProxy(to url: EndpointURL) throws(TransportFault) {}
}
