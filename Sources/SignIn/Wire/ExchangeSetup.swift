package import Bytes

/// How the program with the network connects to servers, when it exchanges requests for another program.
package struct ExchangeSetup: Equatable, Sendable, JSONMessage {
  /// The file with the authorities' certificates to trust, in place of the system's; `nil` for those.
  package var authorities: String?
  package var authoritiesFolder: String?
  /// The file with the client certificate; `nil` for none.
  package var certificate: String?
  package var key: String?
  /// The name required in the servers' certificates; `nil` for that in the address.
  package var serverName: String?
  /// The longest time for an exchange, in milliseconds.
  package var timeout = 30_000
  /// The longest time for connecting, in milliseconds.
  package var connectTimeout = 10_000

  package init() {}

  /// Reads JSON from ``encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    try read(text)
    guard 1...3_600_000 ~= timeout, 1...3_600_000 ~= connectTimeout else { throw JSONReader.Malformed() }
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.member("authorities", &authorities)
    try members.member("authorities_folder", &authoritiesFolder)
    try members.member("certificate", &certificate)
    try members.member("key", &key)
    try members.member("server_name", &serverName)
    try members.member("timeout", &timeout)
    try members.member("connect_timeout", &connectTimeout)
  }
}
