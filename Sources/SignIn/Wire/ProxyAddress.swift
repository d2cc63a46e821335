import Bytes
import CredentialProtocols

/// The address of a proxy, in the form of git's `http.proxy` and curl's variables:
/// `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]`.
package struct ProxyAddress: Hashable, Sendable {
  /// The address without a login, for libcurl.
  package let bare: String
  /// The address with its user, if any, but never with a password. Git asks its helpers for the login to it.
  package let url: String
  /// Whether it has a password of its own.
  package let hasPassword: Bool

  private let user: String
  private let schemeLength: Int

  /// The address with its own user, else with this one, which is encoded as in a URL.
  package func naming(_ account: String) -> String {
    if !user.isEmpty { return url }
    let text = bare.utf8
    let start = text.index(text.startIndex, offsetBy: schemeLength)
    return bare[..<start] + PercentEncoding.text(ByteString(account), keeping: "") + "@" + bare[start...]
  }

  /// Parses an address; `nil` without a host.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let start = text.schemeMark.map { text.utf8.distance(from: text.startIndex, to: $0.upperBound) }
    let scheme = start.map { bytes[..<$0] } ?? Array("http://".utf8)[...]
    let rest = bytes[(start ?? 0)...]
    let end = rest.firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    let authority = rest[..<(end ?? rest.endIndex)]
    // Anything before the last one may be part of a password.
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    let host = at.map { authority[($0 + 1)...] } ?? authority
    if host.isEmpty { return nil }
    let login = at.map { authority[..<$0] } ?? []
    let colon = login.firstIndex(of: UInt8(ascii: ":"))
    let user = colon.map { login[..<$0] } ?? login
    hasPassword = colon != nil
    bare = String(decoding: scheme + host, as: UTF8.self)
    self.user = String(decoding: user, as: UTF8.self)
    schemeLength = scheme.count
    url = user.isEmpty ? bare : String(decoding: scheme + user + [UInt8(ascii: "@")] + host, as: UTF8.self)
  }
}

/// A proxy's demand before it lets anything through.
package enum ProxyDemand: Hashable, Sendable {
  /// A login; none was given.
  case login(ProxyAddress)
  /// Another login than the one in its address.
  case anotherThanConfigured(ProxyAddress)
  /// Another login than the keychain's for this account.
  case anotherThanKept(ProxyAddress, account: String)
}
