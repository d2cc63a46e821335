package import Bytes

package struct IssuedToken: ~Copyable {
  package let value: Secret
  /// For how many seconds it is valid; 0 until somebody revokes it.
  package let lease: Int
  package let isRenewable: Bool
  /// Its holder; `nil` if the server doesn't say. See ``TokenHolder``.
  let holder: ByteString?

  private init(_ value: consuming Secret, lease: Int, isRenewable: Bool, of holder: ByteString?) {
    self.holder = holder
    self.value = value
    self.lease = lease
    self.isRenewable = isRenewable
  }

  /// Reads a reply with status 200 to a login or to `renew-self`.
  ///
  /// - Throws: `JSONReader.Malformed` without a token that fits into a header.
  package init(_ reply: borrowing ServerReply) throws(JSONReader.Malformed) {
    var value = Secret()
    var lease = 0
    var isRenewable = false
    var holder: ByteString?
    try reply.withMember("auth") { (auth) throws(JSONReader.Malformed) in
      holder = try? TokenHolder.text(of: auth)
      try JSONReader.members(of: auth) { (name, member) throws(JSONReader.Malformed) in
        if name == "client_token" {
          value = Secret()
          try member.appendString(to: &value)
        } else if name == "lease_duration" {
          lease = try member.integer()
        } else if name == "renewable" {
          isRenewable = try member.bool()
        }
      }
    }
    guard lease >= 0, lease <= 1 << 40, Self.isToken(value) else { throw JSONReader.Malformed() }
    self.init(value, lease: lease, isRenewable: isRenewable, of: holder)
  }

  /// Whether it has the form of a token: visible ASCII characters, at most 8,192 (batch tokens are long).
  package static func isToken(_ value: borrowing Secret) -> Bool {
    value.withUnsafeBytes { text in
      1...8192 ~= text.count && text.allSatisfy { 0x21...0x7e ~= $0 }
    }
  }
}
