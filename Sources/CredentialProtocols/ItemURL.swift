import Bytes
package import Keychain

extension InternetPassword {
  /// The URL that the item is found by; `nil` if it has no server. Bytes that a URL can't have are escaped (RFC 3986
  /// section 2.1).
  ///
  /// - Parameter account: whether the account stands before the host.
  package func url(withAccount account: Bool = false) -> String? {
    guard let hostAndPort else { return nil }
    var url = `protocol`.isEmpty ? "" : "\(`protocol`)://"
    if account, let account = self.account { url += PercentEncoding.text(account, keeping: "+") + "@" }
    return url + hostAndPort + pathOfURL
  }

  /// The host and port as in a URL, such as `[::1]:8443`; `nil` if there is no server. The protocol's default port is
  /// left out.
  package var hostAndPort: String? {
    guard let server else { return nil }
    let host =
      server.bytes.contains(UInt8(ascii: ":")) ? "[\(server)]" : PercentEncoding.text(server, keeping: "+")
    guard let port, port != Self.defaultPort(of: `protocol`) else { return host }
    return "\(host):\(port)"
  }

  /// The path as in a URL, with a slash before it; empty if there is none.
  package var pathOfURL: String {
    path.map { "/" + PercentEncoding.text($0, keeping: "/+") } ?? ""
  }
}
