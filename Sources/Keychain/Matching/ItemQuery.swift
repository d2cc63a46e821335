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

  /// Whether the item answers.
  public func matches(_ item: InternetPassword) -> Bool {
    // Without the array of rules: every answer takes this path.
    !(differs(in: .protocol, from: item) || differs(in: .server, from: item) || differs(in: .port, from: item)
      || differs(in: .path, from: item) || differs(in: .account, from: item)
      || differs(in: .securityDomain, from: item))
  }

  /// How the item differs from the query; empty if it answers.
  public func differences(from item: InternetPassword) -> [Item.Attribute] {
    Self.rules.filter { differs(in: $0, from: item) }
  }

  /// The same query for the server's other forms; none for nearly all servers.
  var inOtherForms: [InternetPasswordQuery] {
    guard let server else { return [] }
    return HostForms.others(askedFor: server, `protocol`).map { form in
      var query = self
      query.key.server = form
      return query
    }
  }

  private static let rules: [Item.Attribute] = [.protocol, .server, .port, .path, .account, .securityDomain]

  @inline(__always)
  private func differs(in attribute: Item.Attribute, from item: InternetPassword) -> Bool {
    switch attribute {
    case .protocol: return !item.protocol.isEqualIgnoringCase(`protocol`)
    case .server:
      guard let server, let itemServer = item.server else { return (server == nil) != (item.server == nil) }
      return !server.isEqualIgnoringCase(itemServer)
        && !HostForms.answers(itemServer, askedFor: server, `protocol`)
    case .port: return item.effectivePort != effectivePort
    case .path:
      // Without a server only the path distinguishes items, so it has to be equal.
      if server == nil { return item.path != path }
      guard let path, let itemPath = item.path else { return false }
      return itemPath.lengthOfAnswer(to: path) == nil
    case .account: return account != nil && item.account != account
    case .securityDomain: return item.securityDomain != nil && item.securityDomain != securityDomain
    default: return false
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

  /// Whether the item answers.
  public func matches(_ item: GenericPassword) -> Bool {
    item.service == service && (account == nil || item.account == account)
  }

  /// How the item differs from the query; empty if it answers.
  public func differences(from item: GenericPassword) -> [Item.Attribute] {
    if matches(item) { return [] }
    return item.service == service ? [.account] : [.service]
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

extension ByteString {
  /// Whether `path` is this path or below it: `acme` and `acme/` contain `acme/app.git`, but not `acmeister`.
  package func isWholeSegmentPrefix(of path: ByteString) -> Bool {
    let slash = UInt8(ascii: "/")
    let prefix = bytes.last == slash ? bytes.dropLast() : bytes[...]
    guard path.bytes.starts(with: prefix) else { return false }
    let rest = path.bytes[prefix.count...]
    return rest.allSatisfy { $0 == slash } || rest.first == slash && !path.hasDotSegment
  }

  /// How much of `path` an item's path stands for, if it answers: the whole path, one above it, or the same repository
  /// with or without `.git` at its end, as git servers take both. A larger number answers better.
  package func lengthOfAnswer(to path: ByteString) -> Int? {
    if isWholeSegmentPrefix(of: path) { return 2 * bytes.count + 1 }
    let suffix = Array(".git".utf8)
    let name = bytes.prefix(bytes.count - bytes.reversed().prefix { $0 == UInt8(ascii: "/") }.count)
    guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
      if name.isEmpty { return nil }
      // git-lfs asks below it: acme/app.git/info/lfs.
      let repository = ByteString(name + suffix)
      return repository.isWholeSegmentPrefix(of: path) ? 2 * repository.bytes.count : nil
    }
    let rest = name.dropLast(suffix.count)
    // A path below the name without `.git` is another repository.
    guard rest.last != UInt8(ascii: "/"), path.bytes.starts(with: rest),
      path.bytes.dropFirst(rest.count).allSatisfy({ $0 == UInt8(ascii: "/") })
    else { return nil }
    return 2 * rest.count
  }

  /// Whether both paths are the same repository or folder.
  package func isSamePlace(as other: ByteString) -> Bool {
    lengthOfAnswer(to: other) != nil && other.lengthOfAnswer(to: self) != nil
  }

  /// Whether a segment is `.` or `..`, also percent-encoded. Once a client or a server resolves them, such segments
  /// lead out of the path's first folder (RFC 3986 section 5.2.4).
  package var hasDotSegment: Bool {
    var segment: [UInt8] = []
    var index = 0
    func isDots() -> Bool { segment == [0x2e] || segment == [0x2e, 0x2e] }
    while index < bytes.count {
      var byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "2") {
        switch bytes[index + 2] | 0x20 {
        case UInt8(ascii: "e"): (byte, index) = (UInt8(ascii: "."), index + 2)
        case UInt8(ascii: "f"): (byte, index) = (UInt8(ascii: "/"), index + 2)
        default: break
        }
      }
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
        if isDots() { return true }
        segment = []
      } else {
        segment.append(byte)
      }
      index += 1
    }
    return isDots()
  }
}
