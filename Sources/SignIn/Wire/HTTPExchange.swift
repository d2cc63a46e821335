package import Bytes

/// A request over http, as the flows make it.
package struct HTTPRequest: ~Copyable {
  /// Where it goes.
  package let url: EndpointURL
  /// The user name and the password of a Basic Authorization header, which may be secret; `nil` for none.
  package var basicAuthorization: Secret?
  /// The token of a Bearer Authorization header.
  package var bearerToken: Secret?
  /// The body of a POST, in ``mediaType``; `nil` for a GET.
  package let body: Secret?
  /// The media type of the body.
  package var mediaType: StaticString = "application/x-www-form-urlencoded"

  /// A GET.
  package init(get url: EndpointURL) {
    self.url = url
    body = nil
  }

  /// A POST.
  package init(post body: consuming Secret, to url: EndpointURL) {
    self.url = url
    self.body = consume body
  }
}

/// A reply, whatever its status.
package struct HTTPReply: ~Copyable {
  /// The largest body, in bytes. A larger one is an error.
  package static let maximumBody = 65_536

  /// The status code.
  package let status: Int
  /// The media type in lowercase, without parameters; empty if there is none.
  package let mediaType: String
  /// `Retry-After`, in seconds from now; `nil` if there is none.
  package let retryAfter: Int?
  /// By how many seconds the server's clock is ahead of this machine's, by its `Date`; `nil` if it has none.
  package let clockDifference: Int?
  /// The body.
  package let body: Secret

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
package enum TransportFault: Error, Hashable {
  /// The server, or the proxy, can't be reached; the reason follows "because".
  case unreachable(String)
  /// The proxy demands a login.
  case proxyAuthentication
  /// The connection isn't safe, as with a certificate that nobody vouches for.
  case unsafeConnection(String)
  /// The reply is larger than ``HTTPReply/maximumBody``.
  case tooLarge
  /// There was no whole reply in time.
  case tooSlow(milliseconds: Int)
  /// The person, or a signal, has ended it.
  case cancelled
}

/// Sends requests. The flows know no network.
package protocol Transport: AnyObject {
  /// Sends a request and returns the reply. It follows no redirect.
  ///
  /// - Throws: ``TransportFault``.
  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply
}
