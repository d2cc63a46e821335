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

extension HTTPRequest: JSONMessage {
  package borrowing func encoded() -> Secret {
    var copy = HTTPRequest(method, url)
    copy.body = body.lend { $0.copy() }
    copy.headers = headers
    copy.secretHeader = secretHeader.lend { $0.copy() }
    copy.maximumReply = maximumReply
    copy.timeout = timeout
    return copy.encode()
  }

  /// Reads JSON from ``encoded()``. A body is assumed to be JSON.
  ///
  /// - Throws: `JSONReader.Malformed`, also for an address that must not receive secrets.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    self.init(.get, .unread)
    mediaType = "application/json"
    try read(text)
    guard 0...ExchangeFrame.maximumSize / 8 ~= maximumReply, timeout ?? 1 > 0, body == nil || method == .post
    else { throw JSONReader.Malformed() }
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("method", "url")
    try members.word("method", &method)
    try members.member("url", &url, ofAnyLength: true)
    try members.texts("headers", &headers)
    try members.member("secret_header", &secretHeader)
    try members.member("body", &body)
    try members.member("maximum_reply", &maximumReply)
    try members.member("timeout", &timeout)
  }
}

extension HTTPReply: JSONMessage {
  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("status")
    try members.member("status", &status)
    try members.member("media_type", &mediaType)
    try members.member("retry_after", &retryAfter)
    try members.member("clock_difference", &clockDifference)
    try members.member("location", &location)
    try members.member("index", &index)
    try members.member("body", &body)
  }
}

extension TransportFault {
  package var encoded: Secret {
    var message = Message()
    switch self {
    case .unreachable(let reason): message.unreachable = reason
    case .proxyAuthentication: message.isProxyAuthentication = true
    case .unsafeConnection(let reason): message.unsafe = reason
    case .tooLarge: message.isTooLarge = true
    case .tooSlow(let milliseconds): message.tooSlow = milliseconds
    case .cancelled: message.isCancelled = true
    }
    return message.encode()
  }

  /// `nil` for the JSON of a reply.
  fileprivate init?(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var message = Message()
    try message.read(text)
    if let reason = message.unreachable {
      self = .unreachable(reason)
    } else if let reason = message.unsafe {
      self = .unsafeConnection(reason)
    } else if let milliseconds = message.tooSlow {
      self = .tooSlow(milliseconds: milliseconds)
    } else if message.isProxyAuthentication {
      self = .proxyAuthentication
    } else if message.isTooLarge {
      self = .tooLarge
    } else if message.isCancelled {
      self = .cancelled
    } else {
      return nil
    }
  }

  private struct Message: JSONMessage {
    var unreachable: String?
    var unsafe: String?
    var tooSlow: Int?
    var isProxyAuthentication = false
    var isTooLarge = false
    var isCancelled = false

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("unreachable", &unreachable)
      try members.member("unsafe", &unsafe)
      try members.member("too_slow", &tooSlow)
      try members.mark("proxy_authentication", &isProxyAuthentication)
      try members.mark("too_large", &isTooLarge)
      try members.mark("cancelled", &isCancelled)
    }
  }
}

package enum ExchangeOutcome: ~Copyable {
  case reply(HTTPReply)
  case fault(TransportFault)

  /// Reads the JSON of either.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    if let fault = try TransportFault(parsing: text) {
      self = .fault(fault)
    } else {
      var reply = HTTPReply(status: 0, mediaType: "", body: Secret())
      try reply.read(text)
      self = .reply(reply)
    }
  }
}
