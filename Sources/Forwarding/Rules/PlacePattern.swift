import Bytes
package import Keychain

/// The places that a rule covers.
package enum PlacePattern: Equatable, Sendable {
  /// `*`: every place, and every item.
  case everywhere
  /// A place on a server, as a URL. In the server, `*` stands for any text.
  case internet(protocol: ByteString, server: ByteString, port: UInt16?, path: ByteString?)
  /// `service:NAME`: generic passwords. In the name, `*` stands for any text, and `?` for one byte.
  case service(ByteString)

  /// How specific a pattern is: of two that cover an item, the more specific one decides.
  package var specificity: [Int] {
    switch self {
    case .everywhere: [0, 0, 0]
    case .internet(_, let server, _, let path):
      [Self.isPattern(server) ? 1 : 2, server.bytes.count, path?.bytes.count ?? 0]
    case .service(let name): [Self.isPattern(name) ? 1 : 2, name.bytes.count, 0]
    }
  }

  /// Whether any part of it is a wildcard.
  package var hasWildcards: Bool {
    switch self {
    case .everywhere: true
    case .internet(_, let server, _, _): Self.isPattern(server)
    case .service(let name): Self.isPattern(name)
    }
  }

  private static func isPattern(_ text: ByteString) -> Bool {
    text.bytes.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
  }

  package func contains(_ key: Item.Key) -> Bool {
    switch (self, key) {
    case (.everywhere, _): true
    case (.internet, .internetPassword(let key)): contains(key)
    case (.service(let pattern), .genericPassword(let key)):
      WildcardPattern.matches(pattern.bytes, key.service.bytes)
    default: false
    }
  }

  package func contains(_ query: ItemQuery) -> Bool { query.key.map(contains) ?? (self == .everywhere) }

  /// Whether it names exactly this item's place.
  package func isExactly(_ key: Item.Key) -> Bool {
    switch (self, key) {
    case (.internet(_, _, _, let path), .internetPassword(let other)): contains(key) && other.path == path
    default: contains(key)
    }
  }

  /// Whether a person who names this place could mean the item, although it is written differently: with another form
  /// of the host, or dot segments in the path. A forbidden item must not be available by such a detour.
  package func mayBeMeant(by key: Item.Key) -> Bool {
    guard case .internet(let `protocol`, let server, let port, let path) = self,
      case .internetPassword(let other) = key, let otherServer = other.server,
      other.isReached(by: `protocol`, at: port),
      WildcardPattern.matches(
        HostForms.forPatterns(server).bytes, HostForms.forPatterns(otherServer).bytes)
        || HostForms.areSame(server, otherServer)
    else { return false }
    guard let path, let otherPath = other.path else { return path == nil }
    return path.isWholeSegmentPrefix(of: otherPath) || otherPath.hasDotSegment
  }

  private func contains(_ key: InternetPassword) -> Bool {
    guard case .internet(let `protocol`, let server, let port, let path) = self,
      key.isReached(by: `protocol`, at: port), let other = key.server,
      WildcardPattern.matches(server.lowercased.bytes, other.lowercased.bytes)
    else { return false }
    return path.map { path in key.path.map(path.isWholeSegmentPrefix(of:)) ?? false } ?? true
  }

  /// Whether some covered item could match the query. If not, nobody needs to open the keychain for it.
  package func mayContainAnswer(to query: ItemQuery) -> Bool {
    if contains(query) { return true }
    // A query without a path, or with one above the places', finds their items, too.
    guard case .internet(let `protocol`, let server, let port, let path?) = self,
      case .internetPassword(let asked) = query
    else { return false }
    let whole = PlacePattern.internet(protocol: `protocol`, server: server, port: port, path: nil)
    guard whole.contains(query), let askedPath = asked.path else { return whole.contains(query) }
    return askedPath.isWholeSegmentPrefix(of: path)
  }
}
