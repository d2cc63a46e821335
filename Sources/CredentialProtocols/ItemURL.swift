import Bytes
package import Keychain

extension InternetPassword {
  /// The URL that finds the item; `nil` if it has no server. Other bytes are escaped (RFC 3986 section 2.1).
  ///
  /// - Parameter account: whether to put the account before the host.
  package func url(withAccount account: Bool = false) -> String? {
    guard let hostAndPort else { return nil }
    var url = `protocol`.isEmpty ? "" : "\(`protocol`)://"
    if account, let account = self.account { url += PercentEncoding.text(account, keeping: "+") + "@" }
    return url + hostAndPort + pathOfURL
  }

  /// The host and port as in a URL, such as `[::1]:8443`, without a default port; `nil` if there is no server.
  package var hostAndPort: String? {
    guard let server else { return nil }
    let host =
      server.bytes.contains(UInt8(ascii: ":")) ? "[\(server)]" : PercentEncoding.text(server, keeping: "+")
    guard let port = Self.furtherPort(port, of: `protocol`) else { return host }
    return "\(host):\(port)"
  }

  /// The path as in a URL, with a leading slash; may be empty.
  package var pathOfURL: String {
    path.map { "/" + PercentEncoding.text($0, keeping: "/+") } ?? ""
  }
}
