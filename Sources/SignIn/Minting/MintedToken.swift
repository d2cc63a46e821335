package import Bytes

/// A token without a refresh token, made again for each use.
package struct MintedToken: ~Copyable {
  package let token: Secret
  /// When it expires, in seconds since the Unix epoch; `nil` if unknown.
  package let expiry: Int64?

  package init(token: consuming Secret, expiry: Int64?) {
    self.token = token
    self.expiry = expiry
  }
}
