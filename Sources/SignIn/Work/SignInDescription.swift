package import Bytes

/// The effect of signing in to a place.
package struct SignInDescription: Equatable {
  package var way: SignInMethod.Way
  package var service: String?
  /// The server that would issue the token: its host, and its port unless that is the default.
  package var server: String
  /// The name that the token would be kept for, if not the requested one.
  package var account: ByteString?
  /// The path that it would be kept at; `nil` for the whole server.
  package var path: ByteString?
  /// The setting or variable that names the client; `nil` for the service's own client, or that of an earlier sign-in.
  package var setting: String?
  /// The setting or variable that forbids asking anybody.
  package var forbidden: String?

  package init(_ way: SignInMethod.Way, at server: String) {
    self.way = way
    self.server = server
  }

  package func write(to json: inout JSONWriter) {
    json.member("way", ByteString(way.rawValue))
    json.member("service", service.map { ByteString($0) })
    json.member("server", ByteString(server))
    json.member("account", account)
    json.member("path", path)
    json.member("setting", setting.map { ByteString($0) })
    json.member("forbiddenBy", forbidden.map { ByteString($0) })
  }

  /// Reads JSON from ``write(to:)``.
  package init(json text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var way: SignInMethod.Way?
    var server: String?
    var service: String?
    var account: ByteString?
    var path: ByteString?
    var setting: String?
    var forbidden: String?
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "way": way = SignInMethod.Way(rawValue: try member.text())
      case "service": service = try member.text()
      case "server": server = try member.text()
      case "account": account = try member.bytes()
      case "path": path = try member.bytes()
      case "setting": setting = try member.text()
      case "forbiddenBy": forbidden = try member.text()
      default: break
      }
    }
    guard let way, let server else { throw JSONReader.Malformed() }
    self.init(way, at: server)
    self.service = service
    self.account = account
    self.path = path
    self.setting = setting
    self.forbidden = forbidden
  }
}
