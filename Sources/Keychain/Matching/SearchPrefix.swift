import Bytes

// In the encrypted file, a search reads only the records whose keys have a prefix.

extension SortKey {
  /// The prefix shared by the keys of all items that may answer the query.
  package static func beginning(for query: ItemQuery) -> [UInt8] {
    switch query {
    case .internetPassword(let query):
      return beginning(server: query.server, protocol: query.protocol, port: query.effectivePort)
    case .genericPassword(let query):
      var text = Array("generic ".utf8)
      append(query.service, then: " ", to: &text)
      return text
    case .criteria(let criteria): return beginning(for: criteria)
    case .all:
      return []
    }
  }

  private static func beginning(for criteria: ItemCriteria) -> [UInt8] {
    if criteria.ignoresCase { return [] }
    var text: [UInt8]
    switch criteria.itemClass {
    case .internetPassword:
      text = Array("internet ".utf8)
      guard let server = criteria[.server] else { return text }
      append(server.isEmpty ? nil : server.lowercased, then: " ", to: &text)
      guard let `protocol` = criteria[.protocol] else { return text }
      append(`protocol`.lowercased, then: " ", to: &text)
      return text
    case .genericPassword:
      text = Array("generic ".utf8)
      guard let service = criteria[.service] else { return text }
      append(service, then: " ", to: &text)
      return text
    case .certificate, .key, .identity, nil:
      return criteria.itemClass?.cryptographicKind.map { Array(($0.rawValue + " ").utf8) } ?? []
    case .secretServiceItem: return beginning(of: .item)
    case .secretServiceCollection: return beginning(of: .collection)
    }
  }
}
