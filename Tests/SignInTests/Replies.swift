import Bytes
import Testing

@testable import SignIn

/// A reply with this body.
func reply(
  _ body: String, status: Int = 200, mediaType: String = "application/json", retryAfter: Int? = nil
) -> HTTPReply {
  HTTPReply(status: status, mediaType: mediaType, retryAfter: retryAfter, body: Secret(body))
}

/// The text of a secret.
func text(_ secret: borrowing Secret?) -> String? {
  switch secret {
  case .none: nil
  case .some(let secret): secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// The text of a secret that is there.
func shown(_ secret: borrowing Secret) -> String {
  secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// Replies that come one after the other, and the requests for them.
final class ScriptedTransport: Transport {
  enum Step {
    case reply(status: Int, String)
    case fault(TransportFault)
  }

  private var steps: [Step]
  private(set) var requests: [String] = []
  private(set) var authorizations: [String?] = []

  init(_ steps: [Step]) {
    self.steps = steps
  }

  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    requests.append("\(request.url.text) \(text(request.body) ?? "")")
    authorizations.append(text(request.basicAuthorization))
    guard !steps.isEmpty else { throw .unreachable("nothing is left") }
    switch steps.removeFirst() {
    case .reply(let status, let body): return SignInTests.reply(body, status: status)
    case .fault(let fault): throw fault
    }
  }
}

/// A client of a server that has everything.
func client(_ change: (inout ClientRegistration) -> Void = { _ in }) throws -> ClientRegistration {
  var client = ClientRegistration(
    clientID: "a b", tokenEndpoint: try #require(EndpointURL("https://git.example/token")))
  client.authorizationEndpoint = EndpointURL("https://git.example/authorize")
  client.deviceEndpoint = EndpointURL("https://git.example/device")
  change(&client)
  return client
}
