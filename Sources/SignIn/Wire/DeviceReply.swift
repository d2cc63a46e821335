package import Bytes

/// The reply of a device authorization endpoint (RFC 8628 section 3.2).
package struct DeviceReply: ~Copyable {
  /// The code for requesting the tokens.
  package let deviceCode: Secret
  /// The code that a person types: 1 to 64 visible ASCII characters.
  package let userCode: String
  /// Where the person types it: https.
  package let verification: EndpointURL
  /// The same with the code in it, if given.
  package let complete: EndpointURL?
  /// How many seconds the codes are valid, at most a day.
  package let life: Int
  /// How many seconds to wait between two requests, from 1 to 300.
  package let interval: Int

  package enum Outcome: ~Copyable {
    case codes(DeviceReply)
    case refusal(TokenRefusal)
  }

  /// Reads a reply.
  package static func parse(_ reply: borrowing HTTPReply) throws(ReplyFault) -> Outcome {
    var members = DeviceMembers()
    do throws(ReplyFault) {
      try ReplyReader.members(of: reply) { (name, value) throws(ReplyFault) in try members.take(name, value) }
    } catch {
      if let refusal = TokenRefusal(status: reply.status, reply.retryAfter) { return .refusal(refusal) }
      throw error
    }
    if let error = members.error {
      return .refusal(TokenRefusal(error, members.errorDescription, nil, reply.retryAfter))
    }
    if let refusal = TokenRefusal(status: reply.status, reply.retryAfter) { return .refusal(refusal) }
    guard reply.status == 200 else { throw .unexpectedStatus(reply.status) }
    return .codes(try members.finish())
  }
}

private struct DeviceMembers: ~Copyable {
  private var deviceCode: Secret?
  private var userCode: String?
  private var verification: String?
  private var complete: String?
  private var life: Int64 = 0
  private var interval: Int64 = 5
  private(set) var error: String?
  private(set) var errorDescription: String?
  private var seen: Set<ByteString> = []

  mutating func take(_ name: ByteString, _ value: borrowing ReplyValue) throws(ReplyFault) {
    switch name {
    case "device_code", "user_code", "verification_uri", "verification_url", "expires_in", "error":
      guard seen.insert(name).inserted else { throw .repeated("\(name)") }
    default: break
    }
    switch name {
    case "device_code": deviceCode = value.secret()
    case "user_code": userCode = value.text(limit: 65)
    // Google says "url".
    case "verification_uri", "verification_url": verification = value.text(limit: EndpointURL.maximumSize + 1)
    case "verification_uri_complete", "verification_url_complete":
      complete = value.text(limit: EndpointURL.maximumSize + 1)
    case "expires_in": life = value.seconds ?? 0
    case "interval": if let seconds = value.seconds { interval = seconds }
    case "error": error = value.text(limit: 100) ?? "unknown"
    case "error_description": errorDescription = value.text(limit: 300)
    default: break
    }
  }

  consuming func finish() throws(ReplyFault) -> DeviceReply {
    guard let deviceCode, !deviceCode.isEmpty,
      deviceCode.withUnsafeBytes({ $0.allSatisfy { 0x20...0x7e ~= $0 } })
    else { throw .unusable("device_code") }
    guard let userCode, 1...64 ~= userCode.utf8.count, userCode.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
      throw .unusable("user_code")
    }
    guard let address = verification.flatMap({ EndpointURL($0) }) else { throw .unusable("verification_uri") }
    guard life > 0 else { throw .unusable("expires_in") }
    return DeviceReply(
      deviceCode: deviceCode, userCode: userCode, verification: address,
      complete: complete.flatMap { EndpointURL($0) }, life: Int(min(life, 86_400)),
      interval: Int(min(max(interval, 1), 300)))
  }
}
