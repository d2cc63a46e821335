package import Bytes

/// The login of a proxy on the way to a service.
package struct ProxyLogin: ~Copyable {
  /// The proxy's ``ProxyAddress/url``.
  package let proxy: String
  package let account: ByteString
  package let password: Secret

  package init(_ proxy: String, account: ByteString, password: consuming Secret) {
    self.proxy = proxy
    self.account = account
    self.password = password
  }

  package borrowing func write(to json: inout JSONWriter) {
    json.member("proxy", ByteString(proxy))
    json.member("account", account)
    json.member("password", password)
  }

  /// Reads JSON from ``write(to:)``.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var proxy: String?
    var account: ByteString?
    var password: Secret?
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "proxy": proxy = try member.text()
      case "account": account = try member.bytes()
      case "password": password = try member.secret()
      default: break
      }
    }
    guard let proxy, let account, let password else { throw JSONReader.Malformed() }
    self.init(proxy, account: account, password: password)
  }
}
