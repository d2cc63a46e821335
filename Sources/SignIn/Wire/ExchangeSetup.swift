package import Bytes

/// How the program with the network connects to servers, when it exchanges requests for another program.
package struct ExchangeSetup: Equatable, Sendable {
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

  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("authorities", authorities.map { ByteString($0) })
    json.member("authorities_folder", authoritiesFolder.map { ByteString($0) })
    json.member("certificate", certificate.map { ByteString($0) })
    json.member("key", key.map { ByteString($0) })
    json.member("server_name", serverName.map { ByteString($0) })
    json.member("timeout", timeout)
    json.member("connect_timeout", connectTimeout)
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "authorities": authorities = try member.text()
      case "authorities_folder": authoritiesFolder = try member.text()
      case "certificate": certificate = try member.text()
      case "key": key = try member.text()
      case "server_name": serverName = try member.text()
      case "timeout": timeout = try member.value.integer()
      case "connect_timeout": connectTimeout = try member.value.integer()
      default: break
      }
    }
    guard 1...3_600_000 ~= timeout, 1...3_600_000 ~= connectTimeout else { throw JSONReader.Malformed() }
  }
}
