import Bytes
import Keychain

extension ItemAttributes {
  /// The searches that together find every item that may match; `nil` for all items. The results must be filtered,
  /// because services return items with more attributes than asked for.
  static func searches(for query: ItemQuery) -> [[String: String]]? {
    switch query {
    case .all: return nil
    case .criteria(let criteria): return searches(for: criteria)
    case .genericPassword(let query): return genericSearches([:], query.service, query.account)
    case .internetPassword(let query):
      var asked: [String: String] = [:]
      ask(query.account, as: .account, in: &asked)
      if let port = InternetPassword.furtherPort(query.port, of: query.protocol) {
        ask(ByteString("\(port)"), as: .port, in: &asked)
      }
      if query.server == nil { ask(query.path, as: .path, in: &asked) }
      return internetSearches(asked, query.protocol, query.server)
        + ToolHelperItems.all.filter { $0.domain == query.securityDomain }.map(\.search)
    }
  }

  private static func searches(for criteria: ItemCriteria) -> [[String: String]]? {
    // Services compare byte for byte.
    if criteria.ignoresCase { return nil }
    var asked: [String: String] = [:]
    ask(criteria[.accessGroup].nonEmpty, as: .accessGroup, in: &asked)
    switch criteria.itemClass {
    case .genericPassword?:
      let searches = genericSearches(asked, criteria[.service].nonEmpty, criteria[.account].nonEmpty)
      return searches == [[:]] ? nil : searches
    case .internetPassword?:
      ask(criteria[.account].nonEmpty, as: .account, in: &asked)
      ask(criteria[.path].nonEmpty, as: .path, in: &asked)
      let searches = internetSearches(asked, criteria[.protocol].nonEmpty, criteria[.server].nonEmpty)
      if searches == [[:]] { return nil }
      // Items of other tools' helpers have no access group.
      guard criteria[.accessGroup].nonEmpty == nil else { return searches }
      let domain = criteria[.securityDomain]
      return searches
        + ToolHelperItems.all.filter { domain == nil || $0.domain == domain }.map(\.search)
    case let itemClass?: asked[Name.itemClass] = itemClass.rawValue
    case nil: break
    }
    return asked.isEmpty ? nil : [asked]
  }

  private static func genericSearches(
    _ asked: [String: String], _ service: ByteString?, _ account: ByteString?
  ) -> [[String: String]] {
    var asked = asked
    ask(service, as: .service, in: &asked)
    guard let account = account.map({ readable($0.bytes) }) else { return [asked] }
    return [Name.username, Name.account].map { asked.merging([$0: account]) { $1 } }
  }

  /// Items of this program have lower-case letters; those of other programs may have them as typed.
  private static func internetSearches(
    _ asked: [String: String], _ protocol: ByteString?, _ server: ByteString?
  ) -> [[String: String]] {
    var searches: [[String: String]] = []
    for transform in [\ByteString.lowercased, \ByteString.self] {
      var search = asked
      ask(`protocol`?[keyPath: transform], as: .protocol, in: &search)
      ask(server?[keyPath: transform], as: .server, in: &search)
      if !searches.contains(search) { searches.append(search) }
    }
    return searches
  }

  private static func ask(
    _ value: ByteString?, as attribute: Item.Attribute, in search: inout [String: String]
  ) {
    guard let value, let name = attribute.secretServiceName else { return }
    search[name] = readable((attribute == .server ? withBrackets(value) : value).bytes)
  }
}
