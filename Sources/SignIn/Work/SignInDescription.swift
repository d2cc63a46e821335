package import Bytes

/// The effect of signing in to a place.
package struct SignInDescription: Equatable, JSONMessage {
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

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("way", "server")
    try members.word("way", &way)
    try members.member("service", &service)
    try members.member("server", &server)
    try members.member("account", &account)
    try members.member("path", &path)
    try members.member("setting", &setting)
    try members.member("forbiddenBy", &forbidden)
  }
}
