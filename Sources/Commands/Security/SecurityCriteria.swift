import Keychain
import SecurityCodes

/// The description of an item by the options of a command.
struct SecurityCriteria {
  let isInternetPassword: Bool
  var account: ByteString?
  var server: ByteString?
  var service: ByteString?
  var securityDomain: ByteString?
  var path: ByteString?
  var port: UInt16?
  var `protocol`: FourCharacterCode?
  var authenticationType: FourCharacterCode?
  var label: ByteString?
  var comment: ByteString?
  var kind: ByteString?
  var creator: FourCharacterCode?
  var type: FourCharacterCode?
  /// A generic password's own attribute.
  var generic: ByteString?

  /// - Throws: ``SecurityFailure`` for an invalid value.
  init(_ options: SecurityOptions, isInternetPassword: Bool) throws(SecurityFailure) {
    self.isInternetPassword = isInternetPassword
    account = options.value("a")
    if isInternetPassword {
      server = options.value("s")
      securityDomain = options.value("d")
      path = options.value("p").map(\.withoutSlashesAround)
      port = try options.port()
      `protocol` = try options.code("r")
      authenticationType = try options.code("t")
    } else {
      service = options.value("s")
      generic = options.value("G")
    }
    label = options.value("l")
    comment = options.value("j")
    kind = options.value("D")
    creator = try options.code("c")
    type = try options.code("C")
  }

  var isEmpty: Bool {
    account == nil && server == nil && service == nil && securityDomain == nil && path == nil && port == nil
      && `protocol` == nil && authenticationType == nil && label == nil && comment == nil && kind == nil
      && creator == nil && type == nil && generic == nil
  }

  /// Whether the primary key is complete, so that nothing else is compared.
  private var hasPrimaryKey: Bool {
    isInternetPassword
      ? account != nil && server != nil && securityDomain != nil && path != nil && port != nil
        && `protocol` != nil && authenticationType != nil
      : account != nil && service != nil
  }

  /// A query for candidates, to be compared with the criteria. Querying a service by name avoids reading all other
  /// items, which is slow in a large keyring.
  var query: ItemQuery {
    guard let service, let query = try? GenericPasswordQuery(service: service) else { return .all }
    return .genericPassword(query)
  }

  func matches(_ item: Item) -> Bool {
    matchesKey(of: item) && (hasPrimaryKey || matchesNotes(of: item))
  }

  /// Absent and empty values are equal.
  func matchesKey(of item: Item) -> Bool {
    guard Self.agrees(account, item.key.account) else { return false }
    switch item.key {
    case .internetPassword(let key):
      return isInternetPassword
        && server.map { $0.isEqualIgnoringCase(key.server ?? "") } ?? true
        && Self.agrees(securityDomain, key.securityDomain) && Self.agrees(path, key.path)
        && (port == nil || port == key.effectivePort)
        && `protocol`.map { $0 == FourCharacterCode(ofProtocol: key.protocol) } ?? true
        && authenticationType.map { $0 == FourCharacterCode(ofAuthenticationType: key.authenticationType) }
          ?? true
    case .genericPassword(let key):
      return !isInternetPassword && Self.agrees(service, key.service)
    case .cryptographic, .secretService: return false
    }
  }

  private func matchesNotes(of item: Item) -> Bool {
    Self.agrees(label, item.securityLabel) && Self.agrees(comment, item.comment)
      && Self.agrees(kind, item.itemDescription) && Self.agrees(creator, item.creator)
      && Self.agrees(type, item.type) && Self.agrees(generic, item.generic)
  }

  private static func agrees(_ asked: ByteString?, _ held: ByteString?) -> Bool {
    asked.map { $0 == held ?? "" } ?? true
  }

  private static func agrees(_ asked: FourCharacterCode?, _ held: ByteString?) -> Bool {
    guard let asked else { return true }
    return held.map { FourCharacterCode(abbreviating: $0) } == asked
  }

  /// The matches. If no security domain is given, items of git and people come before those of other tools; otherwise
  /// they are in the keychain's order.
  func found(among items: [Item], _ isMeant: (Item) -> Bool) -> [Item] {
    let found = items.filter(isMeant)
    if securityDomain != nil { return found }
    return found.filter { $0.key.securityDomain == nil } + found.filter { $0.key.securityDomain != nil }
  }

  /// The item for `add`. The protocol defaults to `https`, because an item must have one; an empty account counts as
  /// none.
  func newItem() -> Item {
    if !isInternetPassword {
      return noted(on: Item(GenericPassword(service: service ?? "", account: account.nonEmpty)))
    }
    return noted(
      on: Item(
        InternetPassword(
          protocol: `protocol`.map(\.protocolName) ?? "https", server: server, port: port,
          account: account.nonEmpty,
          path: path, securityDomain: securityDomain,
          authenticationType: authenticationType.flatMap(\.authenticationTypeName))))
  }

  /// The item with the given attributes beyond the primary key. An empty text removes an attribute.
  func noted(on item: Item) -> Item {
    var item = item
    if let label { item.label = label.isEmpty ? nil : label }
    if let comment { item.comment = comment.isEmpty ? nil : comment }
    if let kind { item.itemDescription = kind.isEmpty ? nil : kind }
    if let creator { item.creator = creator.name }
    if let type { item.type = type.name }
    if let generic { item.generic = generic.isEmpty ? nil : generic }
    return item
  }
}

extension Item.Key {
  fileprivate var securityDomain: ByteString? {
    if case .internetPassword(let key) = self { key.securityDomain } else { nil }
  }
}
