package import Bytes

/// The login of a proxy on the way to a service.
package struct ProxyLogin: ~Copyable, JSONMessage {
  /// The proxy's ``ProxyAddress/url``.
  package private(set) var proxy: String
  package private(set) var account: ByteString
  package private(set) var password: Secret

  package init(_ proxy: String, account: ByteString, password: consuming Secret) {
    self.proxy = proxy
    self.account = account
    self.password = password
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("proxy", "account", "password")
    try members.member("proxy", &proxy)
    try members.member("account", &account)
    try members.member("password", &password)
  }
}
