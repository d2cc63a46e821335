import Bytes
import CredentialProtocols
import Interchange
import Keychain
import ToolCommands

/// A place to log in as named on the command line: a URL, or the name of a service without one.
struct NamedPlace {
  var url: String?
  var service: String?
  var account: String?
  var domain: String?
  var authenticationType: String?
  /// The keychain's own name for an item, in place of all others.
  var reference: String?

  /// - Throws: ``KeychainError`` if the URL is invalid, or contradicts `--account`.
  func key() throws(KeychainError) -> Item.Key {
    if let service {
      return .genericPassword(
        GenericPassword(service: ByteString(service), account: account.map { ByteString($0) }))
    }
    // Without a scheme it is a page's //HOST/PATH (RFC 3986 section 4.2).
    let (given, tool) = parts
    if let tool, let domain, tool != domain {
      throw .failure("the place and --domain name different tools", status: .usage)
    }
    let text = Secret(given.hasPrefix("//") ? String(given.dropFirst(2)) : given)
    let place = try text.withUnsafeBytes { (bytes) throws(KeychainError) in
      try CredentialURL(parsing: bytes, assuming: "https")
    }
    switch place.password {
    case .none: break
    case .some:
      throw Self.passwordInURL
    }
    guard let host = HostAndPort(parsing: place.host) else { throw badHost }
    let named = account.map { ByteString($0) }
    if let named, let inURL = place.account, named != inURL {
      throw .failure("the URL and --account name different accounts", status: .usage)
    }
    return .internetPassword(
      InternetPassword(
        protocol: place.protocol, server: host.server, port: host.port, account: named ?? place.account,
        path: host.server.isEmpty ? place.path.map(FilePath.meant) : place.path,
        securityDomain: (domain ?? tool).map { ByteString($0) },
        authenticationType: authenticationType.map { ByteString($0) }))
  }

  /// The URL, and the tool behind it, as lists print a place: `https://example.com for docker`.
  var parts: (url: String, tool: String?) {
    let given = url ?? ""
    guard let mark = given.rangeOfPart(Item.Key.purposeMark), !given[..<mark.lowerBound].contains(" ")
    else {
      return (given, nil)
    }
    return (String(given[..<mark.lowerBound]), String(given[mark.upperBound...]))
  }

  /// The failure if the host is invalid. It recognises ssh's addresses of repositories, which are no URLs.
  private var badHost: KeychainError {
    let failure = KeychainError.request(.unusableURL(.badHost))
    let parts = (url ?? "").split(separator: ":", maxSplits: 1)
    guard parts.count == 2, !parts[1].hasPrefix("//"), let host = parts[0].split(separator: "@").last,
      !parts[0].contains("/"), parts[1].contains("/")
    else { return failure }
    return KeychainError(
      failure.message,
      hint: "that is an address for ssh; its https form is \(prose: "https://\(host)/\(parts[1])")",
      status: failure.status)
  }

  static let passwordInURL = KeychainError(
    "the URL has a password in it, which every process can read by now",
    hint: "change that password, and give the new one on standard input", status: .usage)

  /// Whether the text was meant as a name: an address has no spaces.
  var isName: Bool { url.map { $0.hasPart(" ") && !$0.hasPart("://") } ?? false }

  /// Whether the text alone is a word that no address of a server looks like.
  private var isBareWord: Bool {
    account == nil && domain == nil
      && url.map { !$0.hasPart("://") && !$0.hasPrefix("//") && !ByteString($0).isAddressOfServer } ?? false
  }

  func query() throws(KeychainError) -> ItemQuery {
    let key = try key()
    return try ItemQuery(for: key)
  }

  /// The service behind an address that is no server's, such as a database's, if nothing has this place: imports keep
  /// such an address with the item.
  ///
  /// - Returns: the place itself if no item has the address.
  /// - Throws: ``KeychainError`` if items of several services have it.
  func meant(in keychain: any KeychainStore) throws(KeychainError) -> NamedPlace {
    let query = try query()
    guard let address = url.map({ ByteString($0) }), domain == nil, !address.isAddressOfServer,
      try keychain.find(query).isEmpty
    else { return self }
    var criteria = ItemCriteria()
    criteria.itemClass = .genericPassword
    criteria.omitsLocked = true
    var services: [String] = []
    for item in try keychain.items(matching: .criteria(criteria)) {
      guard case .genericPassword(let key) = item.key,
        item.addresses.contains(address) || key.service == address, item.key.isOf(account: account)
      else { continue }
      if !services.contains("\(key.service)") { services.append("\(key.service)") }
    }
    guard let service = services.first else { return self }
    if services.count > 1 {
      throw .failure(
        "\(services.count) services have this address: \(services.sorted().joined(separator: ", "))",
        hint: "name one with '--service'", status: .usage)
    }
    return NamedPlace(service: service, account: account)
  }

  /// Exact matches: with the same path and domain, and with any account and authentication type if none is named. As
  /// with `list`, an empty account also names items without one.
  func items(in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    let found = try itemsOfAccount(in: keychain)
    guard found.isEmpty, account == "" else { return found }
    var rest = self
    rest.account = nil
    return try rest.itemsOfAccount(in: keychain).filter { $0.key.account == nil }
  }

  private func itemsOfAccount(in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    let query = try query()
    let found = try keychain.find(query)
    let key = try key()
    let exact = found.filter { names($0.key, asked: key) }
    return exact.isEmpty ? found.filter { names($0.key, asked: key, exactly: false) } : exact
  }

  /// Whether this item is an exact match. It must answer the place's query.
  func names(_ item: Item) throws(KeychainError) -> Bool { names(item.key, asked: try key()) }

  /// - Parameter exactly: whether host and path must be written in the same way, not just mean the same.
  private func names(_ key: Item.Key, asked: Item.Key, exactly: Bool = true) -> Bool {
    guard case .internetPassword(let asked) = asked, case .internetPassword(let held) = key else {
      return true
    }
    let isThere =
      held.path == asked.path
      || !exactly && (held.path.flatMap { path in asked.path.map(path.isSamePlace) } ?? false)
    if exactly, held.server?.lowercased != asked.server?.lowercased { return false }
    return isThere && held.securityDomain == asked.securityDomain
      && (authenticationType == nil || held.authenticationType == asked.authenticationType)
  }

  /// The single exact match.
  ///
  /// - Throws: ``KeychainError`` if there is none, or more than one.
  func item(in keychain: any KeychainStore) throws(KeychainError) -> Item {
    let found = try items(in: keychain).withoutShadowed
    guard let first = found.first else { throw try nothingMatches(in: keychain) }
    if found.count > 1 { throw Self.several(found) }
    return first
  }

  /// How to name one of several items with the same key.
  static let byReference: Hint = "name one with --reference, as 'llavero list --json' shows it"

  /// The failure if several items match where one is expected.
  static func several(_ found: [Item]) -> KeychainError {
    let accounts = Set(found.map(\.key.account))
    let option: Hint =
      accounts.count == 1
      ? "name one with --authentication-type"
      : accounts.contains(nil)
        ? "name one with --account; --account '' is the one without" : "name one with --account"
    return .failure(
      "\(found.count) items match: \(found.namesApart.joined(separator: ", "))",
      hint: found.haveTwins ? byReference : option, status: .usage)
  }

  /// The failure if several items have the key of one that is to be stored over them.
  static func severalToUpdate(_ found: [Item]) -> KeychainError {
    .failure(
      "\(found.count) items match: \(found.namesApart.joined(separator: ", ")); nothing was changed",
      hint: "'llavero update' takes one with --reference, as 'llavero list --json' shows it", status: .usage)
  }

  /// The failure if the keychain has no such item. First warns of repositories that couldn't be asked for it.
  ///
  /// - Parameter isWanted: whether it was asked for, so that whoever needs it may store it.
  /// - Throws: ``KeychainError`` if a part of the keychain that may have it couldn't be used.
  func nothingMatches(
    in keychain: any KeychainStore, isWanted: Bool = false
  ) throws(KeychainError) -> KeychainError {
    try keychain.refusePassingOver()
    let name = Item(try key()).name
    let shared = SharedSources(of: keychain)
    shared.tellUnasked()
    var hint: Hint =
      !shared.isEmpty
      ? "\(.seeList); 'llavero sync' gets what others have just stored"
      : .seeList
    if let service, isWanted {
      let words = ["llavero", "add", "--service", service] + (account.map { ["--account", $0] } ?? [])
      hint = "\(hint), or store it with \(commandOf: words)"
    }
    if let others = try others(in: keychain) { hint = others }
    if let tool = try toolWithLogin(in: keychain) {
      var words = ["llavero", "get", url ?? "", "--domain", "\(tool)"]
      if let account { words += ["--account", account] }
      hint = "there is one for \(prose: tool): \(commandOf: words)"
    }
    return .failure(
      isName || isBareWord
        ? "nothing is called '\(url ?? name)'" : "the keychain has nothing for \(name)",
      hint: hint, status: .nothingMatched)
  }

  /// What else the keychain has: other accounts of this place, or a name for which it is probably a typing error.
  private func others(in keychain: any KeychainStore) throws(KeychainError) -> Hint? {
    // All of a server's items are too much to ask for.
    guard let text = url ?? service, SharedSources(of: keychain).isEmpty else { return nil }
    let key = try key()
    let place = key.place
    var criteria = ItemCriteria()
    criteria.omitsLocked = true
    let items = (try? keychain.items(matching: .criteria(criteria))) ?? []
    let there = items.filter { $0.key.place == place }
    if there.withoutShadowed.haveTwins { return Self.byReference }
    let accounts = Set(there.map { $0.key.account.map { "\($0)" } ?? "'' (none)" }).sorted()
    if !accounts.isEmpty {
      let names = accounts.joined(separator: ", ")
      return accounts.count == 1
        ? "for that place there is the account \(prose: names)"
        : "for that place there are the accounts \(prose: names)"
    }
    if case .internetPassword(let asked) = key, let other = ItemToImport(for: asked, among: items) {
      return other.hint
    }
    // What is no login has only a label.
    let isLabel = url != nil && account == nil && domain == nil
    let named = isLabel ? items : items.filter(\.key.itemClass.isPassword)
    let similar = names(among: named, on: key).filter { $0 != text }
    if let closest = similar.closest(to: text) { return "did you mean \(prose: closest)?" }
    if text.hasPart("://"), !similar.isEmpty {
      let places = Set(similar).sorted()
      return "on that host there \(prose: places.count == 1 ? "is" : "are") \(prose: places.fewInSentence)"
    }
    let parts = text.isEmpty || text.hasPart("://") ? [] : named.filter { $0.isTaken(byPart: text) }
    if parts.count > 1 {
      let all = parts.namesApart.sorted().fewInSentence
      return "part of a name counts only on a terminal; in full there are \(prose: all)"
    }
    guard parts.count == 1 else { return nil }
    let name = parts[0].key.itemClass.isPassword ? parts[0].key.nameInTable : parts[0].name
    // On a terminal a part does, unless somebody has asked for whole names.
    if (0...2).allSatisfy({ StandardStreams.isTerminal($0) }) { return "in full it is \(prose: name)" }
    return "part of a name counts only on a terminal; in full it is \(prose: name)"
  }

  /// The names for which a text may be a typing error. A URL's host is meant as it is.
  private func names(among items: [Item], on key: Item.Key) -> [String] {
    guard url?.hasPart("://") == true else {
      return items.compactMap { item in item[.server].map { "\($0)" } } + items.flatMap(\.namesTaken)
    }
    guard case .internetPassword(let asked) = key, let server = asked.server else { return [] }
    return items.filter { item in
      if case .internetPassword(let key) = item.key { key.isOn(server) } else { false }
    }.map(\.key.place)
  }

  /// A tool with its own login at this place; `nil` if there is none, or that can't be found out.
  private func toolWithLogin(in keychain: any KeychainStore) throws(KeychainError) -> ByteString? {
    guard case .internetPassword(let asked) = try query() else { return nil }
    var criteria = ItemCriteria()
    criteria.itemClass = .internetPassword
    criteria[.protocol] = asked.protocol
    criteria[.server] = asked.server
    criteria.omitsLocked = true
    for item in (try? keychain.items(matching: .criteria(criteria))) ?? [] {
      guard case .internetPassword(let key) = item.key else { continue }
      if asked.differences(from: key) == [.securityDomain] { return key.securityDomain }
    }
    return nil
  }
}

extension Item {
  /// The names by which 'llavero get' takes it: of what is no login, only the label.
  fileprivate var namesTaken: [String] {
    if key.itemClass.isPassword { return names }
    return key.itemClass == .secretServiceItem ? label.nonEmpty.map { ["\($0)"] } ?? [] : []
  }

  /// Whether one of these has the part, in capitals or small letters.
  func isTaken(byPart part: String) -> Bool {
    let part = part.lowercased()
    return namesTaken.contains { $0.lowercased().hasPart(part) }
  }
}
