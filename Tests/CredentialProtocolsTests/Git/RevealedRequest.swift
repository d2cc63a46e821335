import CredentialProtocols
import Keychain
import TestSupport

/// A request whose parts are not secret, so that it can be compared and shown.
struct RevealedRequest: Hashable {
  var capabilities: GitRequest.Capabilities = []
  var `protocol`: ByteString?
  var server: ByteString?
  var port: UInt16?
  var path: ByteString?
  var username: ByteString?
  var password: ByteString?
  var expiry: Int64?
  var refreshToken: ByteString?
  var authtype: ByteString?
  var credential: ByteString?
  var isEphemeral = false
  var answered: ByteString?
  var continued: Int64?
}

extension RevealedRequest {
  /// Parses a request.
  init(parsing text: [UInt8]) throws(KeychainError) {
    let request = try makeRequest(text)
    capabilities = request.capabilities
    `protocol` = request.protocol
    server = request.host?.server
    port = request.host?.port
    path = request.path
    username = request.username
    password = revealed(request.password)
    expiry = request.passwordExpiry
    refreshToken = revealed(request.refreshToken)
    authtype = request.authenticationScheme
    credential = revealed(request.credential)
    isEphemeral = request.isEphemeral
    answered = request.state?.item.bytes
    continued = request.state?.continued?.milliseconds
  }

  init(_ lines: String...) throws(KeychainError) {
    try self.init(parsing: joined(lines))
  }
}

func joined(_ lines: [String]) -> [UInt8] {
  lines.flatMap { Array($0.utf8) + [0x0a] }
}

func makeRequest(_ text: [UInt8]) throws(KeychainError) -> GitRequest {
  try Secret(copying: ByteString(text)).withUnsafeBytes { (bytes) throws(KeychainError) in
    try GitRequest(parsing: bytes)
  }
}

private func revealed(_ secret: borrowing Secret?) -> ByteString? {
  switch secret {
  case .none: nil
  case .some(let secret): ByteString(secret.revealed)
  }
}
