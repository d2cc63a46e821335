/// A query for items.
public enum ItemQuery: Hashable, Sendable {
  /// Internet passwords that may answer for a place on a server.
  case internetPassword(InternetPasswordQuery)
  /// Generic passwords of a service.
  case genericPassword(GenericPasswordQuery)
  /// Items by any of their attributes. No protocol's request becomes this query.
  case criteria(ItemCriteria)
  /// Every item, for listing. No protocol's request becomes this query.
  case all

  /// Whether the item answers.
  public func matches(_ item: Item) -> Bool {
    switch (self, item.key) {
    case (.internetPassword(let query), .internetPassword(let key)): query.matches(key)
    case (.genericPassword(let query), .genericPassword(let key)): query.matches(key)
    case (.criteria(let criteria), _): criteria.matches(item)
    case (.all, _): true
    default: false
    }
  }

  /// The key of an item that is the best match; `nil` for a search by attributes.
  package var key: Item.Key? {
    switch self {
    case .internetPassword(let query): .internetPassword(query.key)
    case .genericPassword(let query):
      .genericPassword(GenericPassword(service: query.service, account: query.account))
    case .criteria, .all: nil
    }
  }

  /// The same query for its server's other forms, if any. A search by server looks for one form after the other.
  package var inOtherForms: [ItemQuery] {
    guard case .internetPassword(let query) = self else { return [] }
    return query.inOtherForms.map { .internetPassword($0) }
  }

  /// How the item differs from the query; empty if it answers.
  public func differences(from item: Item) -> [ItemDifference] {
    switch (self, item.key) {
    case (.internetPassword(let query), .internetPassword(let key)):
      query.differences(from: key).map { .attribute($0) }
    case (.genericPassword(let query), .genericPassword(let key)):
      query.differences(from: key).map { .attribute($0) }
    case (.criteria(let criteria), _): criteria.matches(item) ? [] : [.attributes]
    case (.all, _): []
    default: [.itemClass]
    }
  }

  /// The query for exactly the place and account of `key`, as by a program before it saves it.
  ///
  /// - Throws: ``KeychainError/queryTooBroad(_:)`` if the key names too little.
  public init(for key: Item.Key) throws(KeychainError) {
    switch key {
    case .internetPassword(let key):
      self = .internetPassword(
        try InternetPasswordQuery(
          protocol: key.protocol, server: key.server, port: key.port, account: key.account, path: key.path,
          securityDomain: key.securityDomain))
    case .genericPassword(let key):
      self = .genericPassword(try GenericPasswordQuery(service: key.service, account: key.account))
    case .cryptographic, .secretService:
      self = .criteria(ItemCriteria(key))
    }
  }
}

/// A difference that keeps an item from answering a query.
public enum ItemDifference: Hashable, Sendable {
  /// It has another class.
  case itemClass
  /// It has another value of this attribute. A path differs that is neither the requested one nor a parent of it.
  case attribute(Item.Attribute)
  /// Some of its attributes differ from the requested ones.
  case attributes
}

/// A query for internet passwords that answer for a place on a server.
///
/// The rules are the same for every keychain. Protocol and server are equal, ignoring case, and `https` never answers
/// `http`. A name with letters beyond ASCII is the same as its form `xn--…`, and an IPv6 address is the same in each
/// of its forms; an https host with a final dot in the question is the one without. The protocol's own port is the
/// same as none. A given account is equal byte for byte. A given path equals the item's, or begins with it in whole
/// segments, or the item has none; a repository is the same with and without `.git` at its end. A given security
/// domain is the item's, or the item has none; without one, only items without one answer.
public struct InternetPasswordQuery: Hashable, Sendable {
  /// The place, and the account or none for any.
  package private(set) var key: InternetPassword
  /// The URL scheme.
  public var `protocol`: ByteString { key.protocol }
  /// The host name or address; `nil` asks for items without a host, and needs a path.
  public var server: ByteString? { key.server }
  /// The TCP port; `nil` means the protocol's own.
  public var port: UInt16? { key.port }
  /// The user name; `nil` accepts any, an empty one only an empty one.
  public var account: ByteString? { key.account }
  /// The path on the server; `nil` accepts any and prefers items without a path.
  public var path: ByteString? { key.path }
  /// The tool that asks; `nil` for git and people.
  public var securityDomain: ByteString? { key.securityDomain }

  /// Creates a query. Empty values other than the account's count as absent.
  ///
  /// - Throws: ``KeychainError/queryTooBroad(_:)`` without a protocol, or with neither server nor path: a blank
  ///   pattern matched every host in CVE-2020-11008.
  public init(
    protocol: ByteString?, server: ByteString?, port: UInt16? = nil, account: ByteString? = nil,
    path: ByteString? = nil, securityDomain: ByteString? = nil
  ) throws(KeychainError) {
    guard let `protocol` = `protocol`.nonEmpty else { throw .queryTooBroad(.noProtocol) }
    guard server.nonEmpty != nil || path.nonEmpty != nil else { throw .queryTooBroad(.noServer) }
    key = InternetPassword(
      protocol: `protocol`, server: server, port: port, account: account, path: path,
      securityDomain: securityDomain)
  }

  /// The port, or else the protocol's own.
  public var effectivePort: UInt16? { key.effectivePort }

  /// The same query for the server's other forms; none for nearly all servers.
  var inOtherForms: [InternetPasswordQuery] {
    guard let server else { return [] }
    return HostForms.others(askedFor: server, `protocol`).map { form in
      var query = self
      query.key.server = form
      return query
    }
  }
}

/// A query for generic passwords of a service.
public struct GenericPasswordQuery: Hashable, Sendable {
  /// The service, equal byte for byte.
  public let service: ByteString
  /// The user name; `nil` accepts any, an empty one only an empty one.
  public let account: ByteString?

  /// Creates a query.
  ///
  /// - Throws: ``KeychainError/queryTooBroad(_:)`` if the service is empty.
  public init(service: ByteString, account: ByteString? = nil) throws(KeychainError) {
    guard !service.isEmpty else { throw .queryTooBroad(.noService) }
    self.service = service
    self.account = account
  }
}

extension ItemQuery {
  /// The query to ask if nothing answers this one, for a token whose account answers for every name in a URL; `nil` if
  /// there is none.
  ///
  /// - Parameter nameForAll: returns that account of a place.
  package func underNameForAll(_ nameForAll: (InternetPassword) -> ByteString?) -> ItemQuery? {
    guard case .internetPassword(let asked) = self, asked.account != nil else { return nil }
    var key = asked.key
    guard let name = nameForAll(key), name != key.account else { return nil }
    key.account = name
    return try? ItemQuery(for: .internetPassword(key))
  }
}
