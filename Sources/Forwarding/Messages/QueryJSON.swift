import Bytes
import Keychain

// The queries of tools as JSON: the members are an item's, and a missing one may have any value.

extension JSONWriter {
  /// Writes a query as the member `query`. Only those for internet and generic passwords are ever sent: for others a
  /// list is requested.
  mutating func member(query: ItemQuery) {
    beginObject("query")
    switch query {
    case .internetPassword(let query):
      member("class", "internet" as ByteString)
      member("protocol", query.protocol)
      member("server", query.server)
      member("port", query.port)
      member("account", query.account)
      member("path", query.path)
      member("securityDomain", query.securityDomain)
    case .genericPassword(let query):
      member("class", "generic" as ByteString)
      member("service", query.service)
      member("account", query.account)
    case .criteria, .all: break
    }
    endObject()
  }
}

extension ItemQuery {
  init(json value: JSONValue) throws(JSONReader.Malformed) {
    guard value.kind == .object else { throw JSONReader.Malformed() }
    // The members are those of an item's attributes; only the path and the account mean more.
    var attributes = ItemAttributes()
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      _ = try attributes.take(name, value)
    }
    let item = try attributes.item()
    do throws(KeychainError) {
      switch item.key {
      case .internetPassword(let key):
        self = .internetPassword(
          try InternetPasswordQuery(
            protocol: key.protocol, server: key.server, port: key.port, account: key.account, path: key.path,
            securityDomain: key.securityDomain))
      case .genericPassword(let key):
        self = .genericPassword(try GenericPasswordQuery(service: key.service, account: key.account))
      case .cryptographic, .secretService: throw KeychainError.itemNotFound
      }
    } catch {
      throw JSONReader.Malformed()
    }
  }
}
