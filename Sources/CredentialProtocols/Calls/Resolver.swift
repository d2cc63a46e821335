public import Keychain

/// Finds, keeps and forgets for every tool but git, which has rules of its own.
///
/// A tool's items for a host are internet passwords with the tool's name as security domain, those without one
/// generic passwords of the service `TOOL:KEY`; where the tool has stored nothing for a host, what serves git there
/// serves it as well, if it may.
public struct Resolver {
  private let keychain: any KeychainStore
  private let now: Timestamp
  /// The tool's name, which is its items' security domain.
  private let tool: ByteString
  private let services: Services
  private let onQuery: ((AnswerExplanation) -> Void)?

  /// A resolver for a tool's call.
  ///
  /// - Throws: ``ProtocolError`` if the keychain can't be opened.
  public init(_ call: any ToolCall, services: Services = .own) throws(ProtocolError) {
    tool = ByteString(call.tool)
    self.services = services
    keychain = try call.keychain()
    now = call.now
    onQuery = call.onQuery
  }

  /// Under which service a tool's generic passwords are kept.
  public enum Services: Sendable {
    /// `TOOL:NAME`: the names mean something to that tool alone.
    case own
    /// NAME: other programs, too, have items under these very names.
    case everybodys
  }

  /// Whose items answer.
  public enum Sharing: Sendable {
    /// The tool's own, and if it has none there, those that git, other programs and people have.
    case withOthers
    /// The tool's own alone: its secrets are of another kind, or go elsewhere than to the host of the URL.
    case none
  }

  /// The best item for a place, with its secret.
  ///
  /// - Parameters:
  ///   - account: the account that the tool asks for, if it asks for one.
  ///   - isUsable: whether the tool can use such an item; others are passed over.
  public func answer(
    at place: Place, account: ByteString? = nil, sharing: Sharing = .withOthers,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(ProtocolError) -> Answer? {
    let own = try answer(to: try place.query(account: account, for: tool)) { item, credential in
      (sharing == .withOthers || item.securityDomain == tool) && isUsable(item, credential)
    }
    guard own == nil, sharing == .withOthers, place.protocol == "https", place.port == nil else { return own }
    // What GitHub's own program has stored for its host.
    return try answer(
      to: try query(service: ByteString("gh:".utf8 + place.server.bytes), account), where: isUsable)
  }

  /// The best item for what has no host, with its secret: one of the tool's own service, else of the service NAME.
  ///
  /// - Throws: ``ProtocolError`` also if the name is empty.
  public func answer(
    toService name: ByteString, account: ByteString? = nil, sharing: Sharing = .withOthers,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(ProtocolError) -> Answer? {
    let own = try answer(to: try query(service: own(name), account), where: isUsable)
    guard own == nil, sharing == .withOthers, services == .own else { return own }
    return try answer(to: try query(service: name, account), where: isUsable)
  }

  /// The best item for a query as it stands, with its secret.
  public func answer(
    to query: ItemQuery, where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(ProtocolError) -> Answer? {
    try throwingProtocolError { () throws(KeychainError) in
      if let onQuery { onQuery(try keychain.explain(query, at: now, where: isUsable)) }
      return try keychain.answer(to: query, at: now, where: isUsable)
    }
  }

  private func query(service: ByteString, _ account: ByteString? = nil) throws(ProtocolError) -> ItemQuery {
    try throwingProtocolError(.genericPassword(try GenericPasswordQuery(service: service, account: account)))
  }

  /// The best item for a place that git or a person would get, with its secret: of no tool.
  public func answer(
    toPersonAt place: Place, account: ByteString? = nil,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(ProtocolError) -> Answer? {
    try answer(to: try place.query(account: account, for: nil), where: isUsable)
  }

  /// The best item of the service of that very name, with its secret.
  public func answer(
    toPersonForService name: ByteString, account: ByteString? = nil
  ) throws(ProtocolError) -> Answer? {
    try answer(to: try query(service: name, account)) { $1.authenticationScheme == nil }
  }

  /// The item of no tool that is alone for a server, with its secret, for programs that don't say which port they mean;
  /// `nil` if there is none or more than one, on whatever ports and paths.
  public func onlyAnswer(
    at scheme: ByteString, _ server: ByteString, account: ByteString? = nil
  ) throws(ProtocolError) -> Answer? {
    try throwingProtocolError(
      keychain.reading { () throws(KeychainError) -> Answer? in
        var only: Item?
        for item in try keychain.items(matching: .all) {
          guard case .internetPassword(let key) = item.key, key.securityDomain == nil,
            key.protocol.isEqualIgnoringCase(scheme), key.server?.isEqualIgnoringCase(server) == true,
            account == nil || key.account == account,
            let credential = try keychain.credentialIfPresent(of: item), !credential.isExpired(at: now),
            credential.authenticationScheme == nil
          else { continue }
          if only != nil { return nil }
          only = item
        }
        guard let only, let credential = try keychain.credentialIfPresent(of: only) else { return nil }
        return Answer(item: only, credential: credential)
      })
  }

  /// The service of the tool's own generic passwords.
  private func own(_ name: ByteString) -> ByteString {
    // An empty name stays empty, and is refused.
    name.isEmpty || services == .everybodys ? name : ByteString(tool.bytes + [UInt8(ascii: ":")] + name.bytes)
  }

  /// Every item of the tool, without secrets, in the keychain's order.
  public func items() throws(ProtocolError) -> [Item] {
    let all = try throwingProtocolError(keychain.items(matching: .all))
    let prefix = tool.bytes + [UInt8(ascii: ":")]
    return all.filter { item in
      switch item.key {
      case .internetPassword(let key): key.securityDomain == tool
      case .genericPassword(let key): key.service.bytes.starts(with: prefix)
      case .cryptographic: false
      }
    }
  }

  /// Keeps a credential for a place as the tool's only one there, whatever account an earlier one had, unless
  /// `replacing` says that the place may have several accounts.
  public func keep(
    _ credential: borrowing Credential, at place: Place, account: ByteString?, label: ByteString? = nil,
    replacing: Replacing = .allAccounts
  ) throws(ProtocolError) {
    var item = Item(place.key(account: account, for: tool))
    item.label = label
    let query = try place.query(for: tool)
    try keep(item, credential, among: query, replacing)
  }

  /// Keeps a credential for what has no host, under the tool's own service.
  ///
  /// - Parameter creator: the program whose item it is to be in the eyes of others.
  public func keep(
    _ credential: borrowing Credential, service name: ByteString, account: ByteString?,
    label: ByteString? = nil, creator: ByteString? = nil, replacing: Replacing = .thisAccount
  ) throws(ProtocolError) {
    var item = Item(GenericPassword(service: own(name), account: account))
    item.label = label
    item.creator = creator
    try keep(item, credential, among: try query(service: own(name)), replacing)
  }

  /// Which earlier items a new one replaces.
  public enum Replacing: Sendable {
    /// Those of the same account.
    case thisAccount
    /// Those of every account at the same place.
    case allAccounts
  }

  /// Forgets the tool's own items at a place, of every account if none is given. Returns how many went.
  @discardableResult
  public func forget(at place: Place, account: ByteString? = nil) throws(ProtocolError) -> Int {
    let key = place.key(account: account, for: tool)
    return try forget(try place.query(account: account, for: tool)) {
      $0.isSamePlace(as: .internetPassword(key))
    }
  }

  /// Forgets the items of the tool's own service, of every account if none is given. Returns how many went.
  @discardableResult
  public func forget(service name: ByteString, account: ByteString? = nil) throws(ProtocolError) -> Int {
    try forget(try query(service: own(name), account)) { _ in true }
  }

  private func forget(_ query: ItemQuery, _ isMeant: (Item.Key) -> Bool) throws(ProtocolError) -> Int {
    try throwingProtocolError { () throws(KeychainError) -> Int in
      func found() throws(KeychainError) -> [Item] {
        try keychain.find(query).filter { isMeant($0.key) }
      }
      // Without the lock first: mostly there is nothing.
      if try found().isEmpty { return 0 }
      return try keychain.exclusively { () throws(KeychainError) -> Int in try keychain.delete(try found()) }
    }
  }

  private func keep(
    _ item: Item, _ credential: borrowing Credential, among query: ItemQuery, _ replacing: Replacing
  ) throws(ProtocolError) {
    try throwingProtocolError { () throws(KeychainError) in
      try item.validate(with: credential)
      func others() throws(KeychainError) -> [Item] {
        try keychain.items(matching: query).filter { $0.key.isSamePlace(as: item.key) }
      }
      func isThere(_ found: [Item]) throws(KeychainError) -> Bool {
        guard let twin = found.first(where: { $0.key.primaryKey == item.key.primaryKey }),
          replacing == .thisAccount || found.count == 1,
          let present = try keychain.credentialIfPresent(of: twin)
        else { return false }
        return present.expiry == credential.expiry && present.hasSameSecret(as: credential)
          && present.hasSameRefreshToken(as: credential)
      }
      if try keychain.reading({ () throws(KeychainError) in try isThere(try others()) }) { return }
      try keychain.exclusively { () throws(KeychainError) in
        let found = try others()
        let twin = found.first { $0.key.primaryKey == item.key.primaryKey }
        if let twin {
          try keychain.update(twin, credential)
        } else {
          try keychain.add(item, credential)
        }
        if replacing == .allAccounts {
          let superseded = found.filter { $0.reference != twin?.reference }
          if !superseded.isEmpty { try keychain.delete(superseded) }
        }
      }
    }
  }
}

extension Item {
  /// The tool whose item it is; `nil` for git's and people's, and for generic passwords.
  var securityDomain: ByteString? {
    guard case .internetPassword(let key) = key else { return nil }
    return key.securityDomain
  }
}

extension Item.Key {
  /// Whether both are of the same place and tool, whatever their accounts are.
  fileprivate func isSamePlace(as other: Item.Key) -> Bool {
    switch (self, other) {
    case (.internetPassword(var mine), .internetPassword(var others)):
      mine.account = nil
      others.account = nil
      mine.authenticationType = nil
      others.authenticationType = nil
      return mine.primaryKey == others.primaryKey
    case (.genericPassword(let mine), .genericPassword(let others)): return mine.service == others.service
    default: return false
    }
  }
}
