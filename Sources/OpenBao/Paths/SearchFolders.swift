import Bytes
package import Keychain

package struct SearchFolders: Equatable, Sendable {
  /// The folders, without trailing slashes; an empty one is the whole keychain.
  package let folders: [String]
  /// The most likely items' paths, for a login that may read them, but not list the folders.
  package let likely: [ItemPath]
  /// Whether the query names its items. Unreadable ones are then an error; otherwise they are left out.
  package let isNamed: Bool

  package init(_ query: ItemQuery) {
    switch query {
    case .internetPassword(let query):
      isNamed = true
      let server = PathComponent.path(of: [
        PathComponent.text(query.protocol.lowercased), PathComponent.text(query.server?.lowercased),
        PathComponent.text(query.effectivePort.map { ByteString("\($0)") }),
      ])
      let domains: [ByteString?] = query.securityDomain == nil ? [nil] : [query.securityDomain, nil]
      folders = domains.map { domain in
        let folder = server + "/" + PathComponent.text(domain)
        return query.account.map { folder + "/" + PathComponent.text($0) } ?? folder
      }
      likely = query.account == nil ? [] : Self.likely(query, domains)
    case .genericPassword(let query):
      isNamed = true
      folders = ["~generic/" + PathComponent.text(query.service)]
      likely =
        query.account == nil
        ? []
        : [try? ItemPath(.genericPassword(GenericPassword(service: query.service, account: query.account)))]
          .compactMap { $0 }
    case .criteria(let criteria):
      isNamed = false
      folders = [Self.folder(criteria)]
      likely = []
    case .all:
      isNamed = false
      folders = [""]
      likely = []
    }
  }

  /// The item for the whole server, and those for the path and its parent folders.
  private static func likely(_ query: InternetPasswordQuery, _ domains: [ByteString?]) -> [ItemPath] {
    var paths: [ByteString?] = query.server == nil ? [] : [nil]
    if let path = query.path {
      var end = 0
      while query.server != nil, let slash = path.bytes[end...].firstIndex(of: UInt8(ascii: "/")) {
        if slash > 0 { paths.insert(ByteString(Array(path.bytes[..<slash])), at: 0) }
        end = slash + 1
      }
      paths.insert(path, at: 0)
    }
    return domains.flatMap { domain in
      paths.compactMap { path in
        try? ItemPath(
          .internetPassword(
            InternetPassword(
              protocol: query.protocol, server: query.server, port: query.port, account: query.account,
              path: path, securityDomain: domain)))
      }
    }
  }

  /// The innermost folder that a search by attributes determines.
  private static func folder(_ criteria: ItemCriteria) -> String {
    if criteria.ignoresCase { return "" }
    switch criteria.itemClass {
    case .genericPassword?:
      return criteria[.service].map { "~generic/" + PathComponent.text($0) } ?? "~generic"
    case .certificate?, .key?, .identity?, .secretServiceItem?, .secretServiceCollection?:
      return criteria.itemClass.map { "~" + $0.rawValue } ?? ""
    case .internetPassword?, nil:
      guard criteria.itemClass == .internetPassword, let scheme = criteria[.protocol]?.lowercased else {
        return ""
      }
      let folder = PathComponent.text(scheme)
      // An empty server finds items without one.
      guard let server = criteria[.server]?.lowercased, !server.isEmpty else { return folder }
      return folder + "/" + PathComponent.text(server)
    }
  }
}

extension SearchFolders {
  /// The folders in which searches look for the item of a path: first the one for any account, then that of its own
  /// account, if any.
  static func folders(of path: ItemPath) -> [String] {
    let counts: [Int] =
      switch path.key {
      case .internetPassword: [4, 5]
      case .genericPassword: [2]
      case .cryptographic, .secretService: [1]
      }
    let components = path.text.split(separator: "/")
    return counts.map { components.prefix($0).joined(separator: "/") }
  }
}
