package import Bytes

// The messages between a program with a keychain and the one with the network, for exchanges. Each is JSON, after its
// length in four bytes, most significant first. A set-up comes first, then a reply for each request.

package enum ExchangeFrame {
  package static let maximumSize = 64 << 20
  package static let lengthSize = 4

  /// A message preceded by its length.
  ///
  /// - Precondition: it isn't larger than ``maximumSize``.
  package static func framed(_ message: borrowing Secret) -> Secret {
    precondition(message.count <= maximumSize, "a message within its bounds")
    var frame = Secret(capacity: lengthSize + message.count)
    frame.append(bigEndian: UInt32(message.count))
    frame.append(message)
    return frame
  }

  /// The size of the message after a length; `nil` if too large.
  package static func size(_ length: UnsafeRawBufferPointer) -> Int? {
    let size = Int(length.bigEndian(at: 0, UInt32.self))
    return size <= maximumSize ? size : nil
  }
}

extension HTTPRequest {
  package borrowing func encoded() -> Secret {
    var json = JSONWriter(capacity: 1024)
    json.beginObject()
    json.member("method", ByteString(method.rawValue))
    json.member("url", ByteString(url.text))
    json.beginArray("headers")
    for header in headers { json.element(ByteString(header)) }
    json.endArray()
    switch secretHeader {
    case .some(let header): json.member("secret_header", header)
    case .none: break
    }
    switch body {
    case .some(let body): json.member("body", body)
    case .none: break
    }
    json.member("maximum_reply", maximumReply)
    json.member("timeout", timeout)
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded()``. A body is assumed to be JSON.
  ///
  /// - Throws: `JSONReader.Malformed`, also for an address that must not receive secrets.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var method: Method?
    var url: EndpointURL?
    var headers: [String] = []
    var secretHeader: Secret?
    var body: Secret?
    var maximumReply = HTTPReply.maximumBody
    var timeout: Int?
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "method": method = Method(rawValue: try member.text())
      case "url": url = EndpointURL(ofAnyLength: try member.text())
      case "headers":
        try JSONReader.elements(of: member.value.raw) { (header) throws(JSONReader.Malformed) in
          headers.append("\(try header.string())")
        }
      case "secret_header": secretHeader = try member.secret()
      case "body": body = try member.secret()
      case "maximum_reply": maximumReply = try member.value.integer()
      case "timeout": timeout = try member.value.integer()
      default: break
      }
    }
    guard let method, let url, 0...ExchangeFrame.maximumSize / 8 ~= maximumReply, timeout ?? 1 > 0 else {
      throw JSONReader.Malformed()
    }
    switch body {
    case .some(let body):
      guard method == .post else { throw JSONReader.Malformed() }
      self.init(post: body.copy(), to: url)
    case .none: self.init(method, url)
    }
    mediaType = "application/json"
    self.headers = headers
    self.secretHeader = secretHeader
    self.maximumReply = maximumReply
    self.timeout = timeout
  }
}

extension HTTPReply {
  package borrowing func encoded() -> Secret {
    var json = JSONWriter(capacity: 2 * body.count + 256)
    json.beginObject()
    json.member("status", status)
    json.member("media_type", ByteString(mediaType))
    json.member("retry_after", retryAfter)
    json.member("clock_difference", clockDifference)
    json.member("location", location.map { ByteString($0) })
    json.member("index", index.map { ByteString($0) })
    json.member("body", body)
    json.endObject()
    return json.finish()
  }
}

extension TransportFault {
  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .unreachable(let reason): json.member("unreachable", ByteString(reason))
    case .proxyAuthentication: json.member("proxy_authentication", true)
    case .unsafeConnection(let reason): json.member("unsafe", ByteString(reason))
    case .tooLarge: json.member("too_large", true)
    case .tooSlow(let milliseconds): json.member("too_slow", milliseconds)
    case .cancelled: json.member("cancelled", true)
    }
    json.endObject()
    return json.finish()
  }
}

package enum ExchangeOutcome: ~Copyable {
  case reply(HTTPReply)
  case fault(TransportFault)

  /// Reads JSON from ``HTTPReply/encoded()`` or ``TransportFault/encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var fault: TransportFault?
    var status: Int?
    var mediaType = ""
    var retryAfter: Int?
    var clockDifference: Int?
    var location: String?
    var index: String?
    var body = Secret()
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "unreachable": fault = .unreachable(try member.text())
      case "proxy_authentication": fault = .proxyAuthentication
      case "unsafe": fault = .unsafeConnection(try member.text())
      case "too_large": fault = .tooLarge
      case "too_slow": fault = .tooSlow(milliseconds: try member.value.integer())
      case "cancelled": fault = .cancelled
      case "status": status = try member.value.integer()
      case "media_type": mediaType = try member.text()
      case "retry_after": retryAfter = try member.value.integer()
      case "clock_difference": clockDifference = try member.value.integer()
      case "location": location = try member.text()
      case "index": index = try member.text()
      case "body": body = try member.secret()
      default: break
      }
    }
    if let fault {
      self = .fault(fault)
      return
    }
    guard let status else { throw JSONReader.Malformed() }
    var reply = HTTPReply(
      status: status, mediaType: mediaType, retryAfter: retryAfter, clockDifference: clockDifference,
      body: body.copy())
    reply.location = location
    reply.index = index
    self = .reply(reply)
  }
}
