public import Keychain

/// Finds, stores and deletes items for every tool but git, which has rules of its own.
///
/// A tool's items for a host are internet passwords with the tool's name as security domain. Its items without a host
/// are generic passwords with the service `TOOL:KEY`. If a tool has no item of its own for a host, git's can answer,
/// unless sharing is off.
public struct Resolver {
  private let keychain: any KeychainStore
  private let now: Timestamp
  /// The tool's name: the security domain of its items.
  private let tool: ByteString
  private let services: Services
  private let onQuery: ((AnswerExplanation) -> Void)?
  /// The account whose items answer if there are none for the requested one.
  private let nameForAll: (InternetPassword) -> ByteString?
  private var renews = true

  /// A resolver for a tool's call.
  ///
  /// - Parameter takesAccounts: whether the tool gets the account with the secret, and uses it in place of the
  ///   requested one.
  /// - Throws: ``KeychainError`` if the keychain can't be opened.
  public init(
    _ call: any ToolCall, services: Services = .own, takesAccounts: Bool = false
  ) throws(KeychainError) {
    tool = ByteString(call.tool)
    self.services = services
    keychain = try call.keychain()
    now = call.now
    onQuery = call.onQuery
    nameForAll = { call.nameForAll(at: $0, isTakenOver: takesAccounts) }
  }

  /// The service under which a tool's generic passwords are stored.
  public enum Services: Sendable {
    /// `TOOL:NAME`: the names mean something only to this tool.
    case own
    /// `NAME`: other programs also have items under the same names.
    case everybodys
  }

  /// Whose items may answer.
  public enum Sharing: Sendable {
    /// The tool's own items, or else those of git, other programs and people.
    case withOthers
    /// Only the tool's own items: its secrets are of another kind, or go elsewhere than to the URL's host.
    case none
  }

  /// The best item for a place, with its secret.
  ///
  /// - Parameters:
  ///   - account: the requested account, if any.
  ///   - isUsable: whether the tool can use an item; others are skipped.
  public func answer(
    at place: Place, account: ByteString? = nil, sharing: Sharing = .withOthers,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> Answer? {
    let own = try answer(to: try place.query(account: account, for: tool)) { item, credential in
      (sharing == .withOthers || item[.securityDomain] == tool) && isUsable(item, credential)
    }
    guard own == nil, sharing == .withOthers, place.protocol == "https", place.port == nil else { return own }
    // GitHub's own program may have stored a login for its host.
    return try answer(
      to: try query(service: ByteString("gh:".utf8 + place.server.bytes), account), where: isUsable)
  }

  /// The best item without a host, with its secret: one of the tool's own service, else of the service `NAME`.
  ///
  /// - Throws: ``KeychainError`` also if the name is empty.
  public func answer(
    toService name: ByteString, account: ByteString? = nil, sharing: Sharing = .withOthers,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> Answer? {
    let own = try answer(to: try query(service: own(name), account), where: isUsable)
    guard own == nil, sharing == .withOthers, services == .own else { return own }
    return try answer(to: try query(service: name, account), where: isUsable)
  }

  /// The best item for a query, with its secret; if there is none, the item whose account stands for every name there.
  public func answer(
    to query: ItemQuery, where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(KeychainError) -> Answer? {
    if let answer = try exactAnswer(to: query, where: isUsable) { return answer }
    guard let other = query.underNameForAll(nameForAll) else { return nil }
    return try exactAnswer(to: other, where: isUsable)
  }

  private func exactAnswer(
    to query: ItemQuery, where isUsable: (Item, borrowing Credential) -> Bool
  ) throws(KeychainError) -> Answer? {
    if let onQuery { onQuery(try keychain.explain(query, at: now, where: isUsable)) }
    if !renews {
      return try keychain.heldAnswer(to: query, at: now, includingRenewable: true, where: isUsable)
    }
    return try keychain.answer(to: query, at: now, where: isUsable)
  }

  /// The same without renewing anything, for explanations.
  var withoutRenewing: Resolver {
    var other = self
    other.renews = false
    return other
  }

  private func query(service: ByteString, _ account: ByteString? = nil) throws(KeychainError) -> ItemQuery {
    .genericPassword(try GenericPasswordQuery(service: service, account: account))
  }

  /// The best item for a place that git or a person would get, with its secret. It belongs to no tool.
  public func answer(
    toPersonAt place: Place, account: ByteString? = nil,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> Answer? {
    try answer(to: try place.query(account: account, for: nil), where: isUsable)
  }

  /// The best item of the service with exactly this name, with its secret.
  public func answer(
    toPersonForService name: ByteString, account: ByteString? = nil
  ) throws(KeychainError) -> Answer? {
    try answer(to: try query(service: name, account)) { $1.authenticationScheme == nil }
  }

  /// The only item for a server that belongs to no tool, with its secret, for programs that don't tell the port. `nil`
  /// if the first keychain that has any items for it, on any ports and paths, doesn't have exactly one.
  public func onlyAnswer(
    at scheme: ByteString, _ server: ByteString, account: ByteString? = nil
  ) throws(KeychainError) -> Answer? {
    try
      (keychain.reading { () throws(KeychainError) -> Answer? in
        let found = try keychain.first(among: .all) { (items) throws(KeychainError) -> [Item]? in
          var answering: [Item] = []
          for item in items {
            guard case .internetPassword(let key) = item.key, key.securityDomain == nil, !item.isHidden,
              key.protocol.isEqualIgnoringCase(scheme), key.isOn(server),
              account == nil || key.account == account,
              let credential = try keychain.credentialIfPresent(of: item), !credential.isExpired(at: now),
              credential.authenticationScheme == nil
            else { continue }
            answering.append(item)
          }
          return answering.isEmpty ? nil : answering
        }
        guard let found, found.count == 1 else { return nil }
        guard let credential = try keychain.credentialIfPresent(of: found[0]) else {
          // It was just deleted.
          try keychain.refusePassingOver()
          return nil
        }
        return Answer(item: found[0], credential: credential)
      })
  }

  /// The service of the tool's own generic passwords.
  private func own(_ name: ByteString) -> ByteString {
    // An empty name stays empty, and is rejected.
    name.isEmpty || services == .everybodys ? name : ByteString(tool.bytes + [UInt8(ascii: ":")] + name.bytes)
  }

  /// All items of the tool, without secrets, in the keychain's order.
  public func items() throws(KeychainError) -> [Item] {
    let prefix = tool.bytes + [UInt8(ascii: ":")]
    return try keychain.items(matching: .all) { item in
      // A login that a server has refused doesn't exist for tools.
      if item.isHidden { return false }
      switch item.key {
      case .internetPassword(let key): return key.securityDomain == tool
      case .genericPassword(let key): return key.service.bytes.starts(with: prefix)
      case .cryptographic, .secretService: return false
      }
    }
  }

  /// Stores a credential for a place. Replaces all earlier ones of the tool there, for every account, unless
  /// `replacing` allows several.
  public func keep(
    _ credential: borrowing Credential, at place: Place, account: ByteString?, label: ByteString? = nil,
    replacing: Replacing = .allAccounts
  ) throws(KeychainError) {
    var item = Item(place.key(account: account, for: tool))
    item.label = label
    let query = try place.query(for: tool)
    try keep(item, credential, among: query, replacing)
  }

  /// Stores a credential that has no host, under the tool's own service.
  ///
  /// - Parameter creator: the program that other programs see as the item's creator.
  public func keep(
    _ credential: borrowing Credential, service name: ByteString, account: ByteString?,
    label: ByteString? = nil, creator: ByteString? = nil, replacing: Replacing = .thisAccount
  ) throws(KeychainError) {
    var item = Item(GenericPassword(service: own(name), account: account))
    item.label = label
    item.creator = creator
    try keep(item, credential, among: try query(service: own(name)), replacing)
  }

  /// The earlier items that a new one replaces.
  public enum Replacing: Sendable {
    /// Those of the same account.
    case thisAccount
    /// Those of every account at the same place.
    case allAccounts
  }

  /// Deletes the tool's own items at a place, for every account if none is given. Returns their number.
  @discardableResult
  public func forget(at place: Place, account: ByteString? = nil) throws(KeychainError) -> Int {
    let key = place.key(account: account, for: tool)
    return try forget(try place.query(account: account, for: tool)) {
      $0.isSamePlace(as: .internetPassword(key))
    }
  }

  /// Tells a person who logs out that the tool still gets a login that isn't its own to delete.
  ///
  /// - Parameters:
  ///   - name: the place of the logout.
  ///   - isOnce: whether the tool logs out by several names of one place, each in its own call, so that one notice is
  ///     enough.
  ///   - answer: returns the item that the tool would get after its logout. If it fails, the logout is done all the
  ///     same.
  func sayWhat(
    stillAnswersFor name: ByteString, to call: any ToolCall, isOnce: Bool = false,
    _ answer: () throws(KeychainError) -> Answer?
  ) {
    do throws(KeychainError) {
      guard let answer = try answer() else { return }
      let hint: Hint? = answer.item.key.commandToDelete.map { "\(commandOf: $0) deletes it" }
      // If that can't be noted, saying it twice is better than not at all.
      if isOnce, let hint, (try? call.caller.notesAnswer(to: ByteString(hint.description))) == false {
        return
      }
      call.say(
        Failure(
          "\(tool) still gets a login for \(name), which isn't its own", hint: hint, status: .nothingMatched))
    } catch {}
  }

  /// Deletes the items of the tool's own service, for every account if none is given. Returns their number.
  @discardableResult
  public func forget(service name: ByteString, account: ByteString? = nil) throws(KeychainError) -> Int {
    try forget(try query(service: own(name), account)) { _ in true }
  }

  private func forget(_ query: ItemQuery, _ isMeant: (Item.Key) -> Bool) throws(KeychainError) -> Int {
    func found() throws(KeychainError) -> [Item] {
      try keychain.find(query) { isMeant($0.key) }
    }
    return try keychain.exclusively { () throws(KeychainError) -> Int? in
      try found().isEmpty ? 0 : nil
    } _: { () throws(KeychainError) -> Int in
      try keychain.discard(try found())
    }
  }

  private func keep(
    _ item: Item, _ credential: borrowing Credential, among query: ItemQuery, _ replacing: Replacing
  ) throws(KeychainError) {
    try item.validate(with: credential)
    let own = try keychain.keychainOfNewItems()
    func others() throws(KeychainError) -> [Item] {
      try own.items(matching: query).filter { $0.key.isSamePlace(as: item.key) }
    }
    func isThere(_ found: [Item]) throws(KeychainError) -> Bool {
      guard let twin = found.first(where: { $0.key.primaryKey == item.key.primaryKey }),
        replacing == .thisAccount || found.count == 1,
        let present = try own.credentialIfPresent(of: twin)
      else { return false }
      return present.expiry == credential.expiry && present.hasSameSecret(as: credential)
        && present.hasSameRefreshToken(as: credential)
    }
    // An answer from another keychain of a list is not copied. One that can't be asked doesn't prevent storing.
    if try others().isEmpty {
      let found = (try? keychain.items(matching: query)) ?? []
      for twin in found where twin.key.primaryKey == item.key.primaryKey && !twin.isHidden {
        guard let present = try? keychain.credential(of: twin) else { continue }
        if present.hasSameSecret(as: credential) { return }
      }
    }
    try own.exclusively { () throws(KeychainError) -> Void? in
      try isThere(try others()) ? () : nil
    } _: { () throws(KeychainError) in
      let found = try others()
      let twin = found.first { $0.key.primaryKey == item.key.primaryKey }
      if let twin {
        try own.update(twin, credential)
      } else {
        try own.add(item, credential)
      }
      if replacing == .allAccounts {
        let superseded = found.filter { $0.reference != twin?.reference }
        if !superseded.isEmpty { try own.delete(superseded) }
      }
    }
  }
}

extension Item.Key {
  /// The command that deletes the item; `nil` if it has none.
  fileprivate var commandToDelete: [String]? {
    switch self {
    case .internetPassword(let key):
      guard let url = key.url() else { return nil }
      let domain = key.securityDomain.map { ["--domain", "\($0)"] } ?? []
      return ["llavero", "delete", url] + words(key.account) + domain
    case .genericPassword(let key):
      return ["llavero", "delete", "--service", "\(key.service)"] + words(key.account)
    case .cryptographic, .secretService: return nil
    }
  }

  private func words(_ account: ByteString?) -> [String] { account.map { ["--account", "\($0)"] } ?? [] }

  /// Whether both keys are for the same place and tool, whatever their accounts.
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
