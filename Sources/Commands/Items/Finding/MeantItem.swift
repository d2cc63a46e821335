import ArgumentParser
import Bytes
import CredentialProtocols
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

/// How commands take the name of an item that is no place: a label, a service, a reference, or part of these.
struct NameOptions: ParsableArguments {
  @Flag(help: "Take only whole names, as scripts do")
  var exact = false
}

/// Finds the item that is meant by a text that names no place: in scripts by its whole name, and for a person on a
/// terminal also by part of it.
struct MeantItem {
  /// What becomes of the item.
  enum Use {
    case reading
    /// A part of a name is asked about first.
    case changing
    /// The command shows the item and asks by itself.
    case asking
    /// Only the item's place counts, so that there is no choice between several accounts.
    case finding
    /// All that a service has counts.
    case listing
  }

  private let open: OpenKeychain
  private var keychain: any KeychainStore { open.keychain }
  /// Whether the labels in the keychain in use are this person's; those in a shared one are anybody's.
  private let hasOwnLabels: Bool
  /// Whether somebody is there, who sees what a part of a name was taken for.
  private let mayGuess: Bool
  private let use: Use

  /// - Parameter isExact: whether only whole names count, as in scripts.
  init(in open: OpenKeychain, isExact: Bool, _ selection: KeychainSelection, for use: Use = .reading) {
    self.open = open
    hasOwnLabels = !open.choice.kind.isShared && !open.choice.kind.isOfOtherMachine
    mayGuess = !isExact && selection.mayGuess
    self.use = use
  }

  /// What is meant: the place itself if it has items, or if nothing else is meant by it.
  ///
  /// - Throws: ``KeychainError`` as ``found(_:)`` does, and if a name that is no place is nobody's.
  func meant(by named: NamedPlace) throws(KeychainError) -> Meant {
    if let found = try found(named) { return found }
    return try placeOfItsOwn(named)
  }

  /// What is meant where ``found(_:)`` finds nothing: the place.
  ///
  /// - Throws: ``KeychainError`` if the name is no place.
  func placeOfItsOwn(_ named: NamedPlace) throws(KeychainError) -> Meant {
    guard let text = named.url, named.domain == nil, !named.isPlace else { return .place(named) }
    try keychain.refusePassingOver()
    // What has no space was meant as an address.
    if !text.hasPart(" ") { _ = try named.query() }
    throw .failure(
      "nothing is called '\(text)'", hint: .seeList, status: .nothingMatched)
  }

  /// What is meant; `nil` if nothing is meant by the text, which may still be a place.
  ///
  /// - Throws: ``KeychainError`` if several items are meant and nobody chooses one, and any error of the keychain.
  func found(_ named: NamedPlace) throws(KeychainError) -> Meant? {
    if let reference = named.reference {
      return .item(try ItemFilter([:], reference: reference).single(in: keychain))
    }
    if named.service != nil, named.account == "", use == .reading {
      // A question for an empty account doesn't find an item without one.
      return try named.items(in: keychain).first.map { .item($0) }
    }
    guard let text = named.url, named.domain == nil else { return nil }
    if let reference = try NamedPlace(reference: text) {
      return .place(try reference.with(account: named.account))
    }
    if text.hasPart("://") { return try oneAccount(of: try named.meant(in: keychain)) }
    let isPlace = named.isPlace
    if isPlace {
      let meant = try named.meant(in: keychain)
      if meant.url == nil { return try single(of: meant) }
      let there = try keychain.find(try meant.query())
      if !there.isEmpty {
        if let chosen = try itemThere(of: text, there, as: named) { return chosen }
        return try oneAccount(of: meant)
      }
    }
    // A script that names a host never means a label.
    let isHost = ByteString(text).isAddressOfServer
    if isHost, !mayGuess { return nil }
    if let found = try single(try items(called: text, as: named), of: text, isPart: isHost) { return found }
    if let found = try serviceAndAccount(text, as: named) { return found }
    if mayGuess, let found = try single(try items(withPart: text, as: named), of: text, isPart: true) {
      return found
    }
    return nil
  }

  /// The item that is meant if a service has the same name as a place with items; `nil` if none has.
  private func itemThere(
    of text: String, _ there: [Item], as named: NamedPlace
  ) throws(KeychainError) -> Meant? {
    if ByteString(text).isAddressOfServer { return nil }
    let services = try items(ofService: text, as: named)
    return services.isEmpty ? nil : try single((there + services).withoutShadowed, of: text, isPart: false)
  }

  /// What `llavero://SERVICE/ACCOUNT` finds for `SERVICE/ACCOUNT`; `nil` if that is nothing.
  private func serviceAndAccount(_ text: String, as named: NamedPlace) throws(KeychainError) -> Meant? {
    guard text.hasPart("/"), !ByteString(text).isAddressOfServer,
      let place = try? NamedPlace(reference: "llavero://" + text),
      named.account == nil || named.account == place.account
    else { return nil }
    return try place.items(in: keychain).isEmpty ? nil : try single(of: place)
  }

  /// What is meant by a service that was named without `--service`: the one item, the default one, or the one that a
  /// person chooses.
  private func single(of service: NamedPlace) throws(KeychainError) -> Meant {
    if use == .finding || use == .listing { return .place(service) }
    let items = try service.items(in: keychain).withoutShadowed
    if items.count == 1, service.account == "" { return .item(items[0]) }
    if items.count < 2 || use == .reading && items.contains(where: \.isDefault) { return .place(service) }
    guard mayGuess, let terminal = Terminal.ofPerson(mayAsk: true) else { throw NamedPlace.several(items) }
    return .item(try Self.chosen(among: items, on: terminal))
  }

  /// The place with the account that a person chooses, if it has several and one is to be changed.
  private func oneAccount(of place: NamedPlace) throws(KeychainError) -> Meant {
    guard use == .changing || use == .asking, mayGuess, place.account == nil,
      let terminal = Terminal.ofPerson(mayAsk: true)
    else {
      return .place(place)
    }
    let items = try place.items(in: keychain).withoutShadowed
    return items.count > 1 ? .item(try Self.chosen(among: items, on: terminal)) : .place(place)
  }

  /// The logins whose service or label is the text.
  private func items(called text: String, as named: NamedPlace) throws(KeychainError) -> [Item] {
    var found = try items(ofService: text, as: named)
    if mayGuess || hasOwnLabels {
      var labels = ItemCriteria()
      labels[.label] = ByteString(text)
      found += try items(labels, in: mayGuess ? keychain : open.own, as: named).map(open.named)
    }
    return found.withoutShadowed
  }

  private func items(ofService service: String, as named: NamedPlace) throws(KeychainError) -> [Item] {
    var criteria = ItemCriteria()
    criteria.itemClass = .genericPassword
    criteria[.service] = ByteString(service)
    return try items(criteria, in: keychain, as: named)
  }

  /// The logins whose place or label has the part, in capitals or small letters.
  private func items(withPart part: String, as named: NamedPlace) throws(KeychainError) -> [Item] {
    try items(ItemCriteria(), in: keychain, as: named).withoutShadowed.filter { $0.isCalled(byPart: part) }
  }

  private func items(
    _ criteria: ItemCriteria, in keychain: any KeychainStore, as named: NamedPlace
  ) throws(KeychainError) -> [Item] {
    var criteria = criteria
    criteria.omitsLocked = true
    return try keychain.items(matching: .criteria(criteria)).filter { item in
      let type = named.authenticationType
      return item.key.itemClass.isPassword && item.key.isOf(account: named.account)
        && (type == nil || item[.authenticationType] == type.map { ByteString($0) })
    }
  }

  /// The only one, or the one that a person chooses; `nil` if there is none.
  ///
  /// - Parameter isPart: whether the text may mean something else.
  private func single(_ found: [Item], of text: String, isPart: Bool) throws(KeychainError) -> Meant? {
    var found = found
    if use == .finding {
      var places: Set<String> = []
      found = found.filter { places.insert($0.key.place).inserted }
    }
    guard let first = found.first else { return nil }
    // A part of the keychain that can't be used may have another one.
    try keychain.refusePassingOver()
    guard let terminal = mayGuess ? Terminal.ofPerson(mayAsk: true) : nil else {
      if found.count > 1 { throw Self.several(found, of: text) }
      return .item(first)
    }
    guard found.count == 1 else { return .item(try Self.chosen(among: found, on: terminal)) }
    if isPart, use == .changing {
      guard terminal.confirms("Change \(first.key.inSentence)?") else {
        throw .failure("nothing was changed", status: .nothingMatched)
      }
    } else if isPart || "\(first.key.place)" != text {
      StandardStreams.say("'\(text)' is taken for \(first.key.inSentence)")
    }
    return .item(first)
  }

  /// How many items somebody can choose from.
  private static let choices = 20

  static func chosen(
    among found: [Item], on terminal: borrowing Terminal
  ) throws(KeychainError) -> Item {
    let shown = found.sorted { ($0.key.name, $0.name) < ($1.key.name, $1.name) }.prefix(Self.choices)
    for (index, name) in Array(shown).namesApart.enumerated() { terminal.show("\(index + 1)  \(name)\n") }
    if found.count > shown.count { terminal.show("... and \(found.count - shown.count) more\n") }
    let answer = terminal.answer(to: "Which one? [1-\(shown.count)] ").flatMap { Int($0.withoutSpacesAround) }
    guard let answer, shown.indices.contains(answer - 1) else {
      throw .failure("none of them was chosen", status: .nothingMatched)
    }
    return shown[answer - 1]
  }

  private static func several(_ found: [Item], of text: String) -> KeychainError {
    let hasService = found.contains { $0.key.itemClass == .genericPassword }
    let byPlace: Hint =
      hasService
      ? "name one by its URL, or with --service, and --account" : "name one by its URL and --account"
    return .failure(
      "\(found.count) items are called '\(text)': \(found.namesApart.sorted().fewInSentence)",
      hint: found.haveTwins ? NamedPlace.byReference : byPlace, status: .usage)
  }
}

extension KeychainSelection {
  /// Whether somebody is there who sees what a part of a name is taken for.
  var mayGuess: Bool { mayAskPerson && (0...2).allSatisfy { StandardStreams.isTerminal(Int32($0)) } }
}

extension Item {
  /// Whether its place or its label is the text.
  func isCalled(_ text: String) -> Bool { names.contains(text) }

  /// Whether its place or its label has the part, in capitals or small letters.
  func isCalled(byPart part: String) -> Bool {
    let part = part.lowercased()
    return names.contains { $0.lowercased().hasPart(part) }
  }

  /// Whether its account or its remark has the part, in capitals or small letters.
  func isNoted(byPart part: String) -> Bool {
    let part = part.lowercased()
    return [key.account, comment].contains { $0.map { "\($0)".lowercased().hasPart(part) } ?? false }
  }

  /// What people call it: its place, or its service, and its label.
  var names: [String] { [key.place] + (label.nonEmpty.map { ["\($0)"] } ?? []) }
}

extension ItemSelection {
  /// - Throws: as ``NamedPlace/check()`` does.
  func check() throws(KeychainError) { if case .named(let place) = self { try place.check() } }

  /// The same items, with the item that is meant in place of a name that is no place.
  ///
  /// - Throws: as ``MeantItem/meant(by:)`` does.
  func meant(by meant: MeantItem) throws(KeychainError) -> ItemSelection {
    guard case .named(let place) = self else { return self }
    switch try meant.meant(by: place) {
    case .place(let place): return .named(place)
    case .item(let item): return .chosen(item)
    }
  }
}

extension NamedPlace {
  /// Whether it is a place by its form: another text may still be the name of an item.
  var isPlace: Bool { (try? query()) != nil }

  /// Refuses, before the keychain is opened, what is no place and can't be a name.
  ///
  /// - Throws: ``KeychainError`` as ``key()`` does, for a URL that can't be understood or has a password in it.
  func check() throws(KeychainError) {
    if reference != nil { return }
    if let url, try NamedPlace(reference: url) != nil { return }
    do throws(KeychainError) {
      _ = try query()
    } catch {
      if error == Self.passwordInURL || url?.hasPart("://") != false || url?.isEmpty != false { throw error }
    }
  }

  /// The place of a reference; `nil` if the text looks like none.
  ///
  /// - Throws: ``KeychainError`` if it is one and can't be understood, or names a field.
  init?(reference text: String) throws(KeychainError) {
    let bytes = Secret(text)
    let query = try bytes.withUnsafeBytes { (bytes) throws(KeychainError) -> ItemQuery? in
      guard SecretReference.isMeant(by: bytes) else { return nil }
      let reference = try SecretReference(parsing: bytes)
      guard reference.field == .secret else {
        throw .failure(
          "a reference with a field names no item", hint: "leave out what follows the ?", status: .usage)
      }
      return reference.query
    }
    switch query {
    case .genericPassword(let query):
      self.init(service: "\(query.service)", account: query.account.map { "\($0)" })
    case .internetPassword(let query):
      self.init(url: query.key.readableURL, account: query.account.map { "\($0)" })
    case .criteria, .all, nil: return nil
    }
  }

  /// The place of a key with an account, which need not be the key's.
  init(at key: Item.Key, account: String?) {
    switch key {
    case .genericPassword(let key): self.init(service: "\(key.service)", account: account)
    default: self.init(url: key.place, account: account)
    }
  }

  /// - Throws: ``KeychainError`` if the place names another account.
  func with(account: String?) throws(KeychainError) -> NamedPlace {
    guard let account else { return self }
    if let own = self.account, own != account {
      throw .failure("the reference and --account name different accounts", status: .usage)
    }
    var place = self
    place.account = account
    return place
  }
}
