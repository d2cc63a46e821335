package import Bytes

/// The account of a Kubernetes service account's token, according to the token. The signature isn't verified here: this
/// distinguishes accounts, and grants nothing.
package enum ServiceAccount {
  /// The constant part of an account's tokens, of which there is a new one each hour: the issuer, the audiences, and
  /// the account's name and identifier. Any other text stands for itself.
  ///
  /// The claims are those of Kubernetes' bound tokens, and the identifier of its older ones:
  /// https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/
  package static func bearer(of token: borrowing Secret) -> Secret {
    var bearer = Secret()
    var isNamed = false
    guard let claims = decodedClaims(of: token) else { return token.copy() }
    do throws(JSONReader.Malformed) {
      try claims.withUnsafeBytes { (claims) throws(JSONReader.Malformed) in
        try JSONReader.members(of: claims) { (name, value) throws(JSONReader.Malformed) in
          if name == "kubernetes.io", value.kind == .object {
            try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
              if name == "serviceaccount" { append(name, value, to: &bearer) }
            }
          } else if name == "iss" || name == "aud" || name == "sub" || name == identifier {
            append(name, value, to: &bearer)
            if name == "sub", value.kind == .string { isNamed = true }
          }
        }
      }
    } catch {
      return token.copy()
    }
    if !isNamed { return token.copy() }
    return bearer
  }

  /// The claim of older tokens with the identifier.
  private static let identifier: StaticString = "kubernetes.io/serviceaccount/service-account.uid"

  private static func append(_ name: UnsafeRawBufferPointer, _ value: JSONValue, to bearer: inout Secret) {
    bearer.append(name)
    bearer.append(value.raw)
    bearer.append(0x0a)
  }

  /// The middle of the three parts of a JWT (RFC 7519), decoded; `nil` if there is none.
  private static func decodedClaims(of token: borrowing Secret) -> Secret? {
    token.withUnsafeBytes { (token) -> Secret? in
      guard let first = token.firstIndex(of: UInt8(ascii: ".")),
        let last = token.lastIndex(of: UInt8(ascii: ".")), first + 1 < last
      else { return nil }
      return Base64URL.decode(token.part(first + 1, last - first - 1))
    }
  }
}
