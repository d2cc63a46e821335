import Bytes
import Properties

@testable import SignIn

/// The properties of any bytes as what a server or a browser sends. The first byte says as what.
enum SignInRepliesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let kind = input.first else { return }
    let body = input.part(1, input.count - 1)
    let type = kind & 8 == 0 ? "application/json" : "application/x-www-form-urlencoded"
    let status = kind & 16 == 0 ? 200 : 400
    func reply() -> HTTPReply { HTTPReply(status: status, mediaType: type, body: Secret(copying: body)) }
    switch kind & 7 {
    case 0: try checkTokens(reply())
    case 1: try checkCodes(reply())
    case 2: try checkMetadata(reply())
    case 3: try checkReturn(body)
    case 4: try checkEndpoint(body)
    case 5: try checkWork(body)
    case 6: try checkOutcome(body)
    default: try checkRequest(body)
    }
  }

  private static func isVisible(_ secret: borrowing Secret) -> Bool {
    secret.withUnsafeBytes { !$0.isEmpty && $0.allSatisfy { 0x20...0x7e ~= $0 } }
  }

  private static func checkTokens(_ reply: borrowing HTTPReply) throws(PropertyFailure) {
    let parsed: TokenReply
    do throws(ReplyFault) { parsed = try TokenReply.parse(reply) } catch { return }
    switch consume parsed {
    case .tokens(let tokens):
      try require(reply.status == 200, "no tokens come with an error")
      try require(isVisible(tokens.accessToken), "a token is one line")
      switch tokens.refreshToken {
      case .some(let token): try require(isVisible(token), "a refresh token is one line")
      case .none: break
      }
      try require((tokens.life ?? 1) > 0, "a life is positive")
    case .refusal(let refusal): try require(refusal.code.utf8.count <= 400, "a refusal is short")
    }
  }

  private static func checkCodes(_ reply: borrowing HTTPReply) throws(PropertyFailure) {
    let parsed: DeviceReply.Outcome
    do throws(ReplyFault) { parsed = try DeviceReply.parse(reply) } catch { return }
    switch consume parsed {
    case .codes(let codes):
      try require(isVisible(codes.deviceCode), "a device code is one line")
      try require(codes.userCode.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "a person's code can be shown")
      try require(1...300 ~= codes.interval && 1...86_400 ~= codes.life, "times are bounded")
      try require(
        codes.verification.scheme == "https" || EndpointURL.isLoopback(codes.verification.host),
        "addresses are safe")
    case .refusal: break
    }
  }

  private static func checkMetadata(_ reply: borrowing HTTPReply) throws(PropertyFailure) {
    guard let issuer = EndpointURL("https://a.example") else { return }
    guard let metadata = try? ServerMetadata(reply, of: issuer) else { return }
    try require(
      ["https://a.example", "https://a.example/"].contains(metadata.issuer), "the issuer is the one asked")
    try require(metadata.tokenEndpoint != nil, "there is a token endpoint")
  }

  private static func checkReturn(_ query: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let token = EndpointURL("https://a.example/t") else { return }
    var client = ClientRegistration(clientID: "id", tokenEndpoint: token)
    client.authorizationEndpoint = EndpointURL("https://a.example/a")
    guard let request = try? AuthorizationRequest(client, port: 1) else {
      throw PropertyFailure("a question can be made")
    }
    // Nobody can guess the state.
    guard let returned = try? request.check(query) else { return }
    switch consume returned {
    case .foreign: break
    default: throw PropertyFailure("what has no right state is foreign")
    }
  }

  private static func checkEndpoint(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let url = EndpointURL(String(decoding: text, as: UTF8.self)) else { return }
    try require(url.scheme == "https" || EndpointURL.isLoopback(url.host), "it is safe")
    try require(EndpointURL(url.text) == url, "it has one form")
    try require(url.text.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "it can be shown")
    guard let relative = url.at("/x") else { throw PropertyFailure("a path on it can be named") }
    try require(relative.hasSameOrigin(as: url), "a path stays on its server")
  }

  private static func checkWork(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard var work = try? SignInWork(parsing: text) else { return }
    let encoded = work.encode()
    let again = encoded.withUnsafeBytes { (bytes) -> Bool in
      guard var read = try? SignInWork(parsing: bytes) else { return false }
      return read.encode().isEqual(to: encoded)
    }
    try require(again, "work comes back as it was written")
  }

  private static func checkOutcome(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let outcome = try? SignInOutcome(parsing: text) else { return }
    let encoded = outcome.encoded
    let again = encoded.withUnsafeBytes { (bytes) -> Bool in
      guard let read = try? SignInOutcome(parsing: bytes) else { return false }
      return read.encoded.isEqual(to: encoded)
    }
    try require(again, "an outcome comes back as it was written")
  }

  private static func checkRequest(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    for isForm in [false, true] {
      switch ReturnRequest.parse(text, hosts: ["127.0.0.1:1"], isForm: isForm) {
      case .incomplete: try require(text.count <= 2 * ReturnRequest.maximumSize, "a long request is refused")
      case .refused(let status): try require(400...431 ~= status, "it is the client's fault")
      case .request(let request):
        try require(request.path.hasPrefix("/"), "a path begins with a slash")
        if isForm {
          try require(request.parameters.count < text.count, "a form was sent")
        } else {
          try require(request.parameters.allSatisfy { 0x21...0x7e ~= $0 }, "a query is visible")
        }
      }
    }
  }
}
