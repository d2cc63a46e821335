import ArgumentParser
import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// How commands take the name of an item that is no place: a label, a service, a reference, or part of these.
struct NameOptions: ParsableArguments {
  @Flag(help: "Take only whole names, as without a terminal, and no parts of them")
  var exact = false
}

/// Finds the item that is meant by a text that names no place: in scripts by its whole name, and for a person on a
/// terminal also by part of it.
struct MeantItem {
  let keychain: any KeychainStore
  /// Whether somebody is there, who sees what a part of a name was taken for.
  let mayGuess: Bool

  init(in keychain: any KeychainStore, _ options: NameOptions, _ selection: KeychainSelection) {
    self.keychain = keychain
    mayGuess =
      !options.exact && selection.mayAskPerson && (0...2).allSatisfy { StandardStreams.isTerminal(Int32($0)) }
  }

  /// The place of the item that is meant; the same place if it has items, or if nothing is meant by it.
  ///
  /// - Throws: ``KeychainError`` if several items are meant and nobody chooses one, and any error of the keychain.
  func place(_ named: NamedPlace) throws(KeychainError) -> NamedPlace {
    guard let text = named.url, named.domain == nil else { return named }
    if let reference = try Self.reference(text) { return try reference.with(account: named.account) }
    let isURL = text.hasPart("://")
    if isURL || named.isPlace {
      let named = try named.meant(in: keychain)
      guard !isURL, named.url != nil, try keychain.find(try named.query()).isEmpty else { return named }
    }
    let items = try logins(of: named.account)
    let whole = items.filter { $0.names.contains(text) }
    if let only = try single(whole, of: text, isPart: false) { return only }
    guard mayGuess else { return named }
    let parts = items.filter { item in item.has(part: text) }
    return try single(parts, of: text, isPart: true) ?? named
  }

  /// The place of a reference; `nil` if the text looks like none.
  ///
  /// - Throws: ``KeychainError`` if it is one and can't be understood, or names a field.
  private static func reference(_ text: String) throws(KeychainError) -> NamedPlace? {
    let bytes = Secret(text)
    return try bytes.withUnsafeBytes { (bytes) throws(KeychainError) -> NamedPlace? in
      guard SecretReference.isMeant(by: bytes) else { return nil }
      let reference = try SecretReference(parsing: bytes)
      guard reference.field == .secret else {
        throw .failure(
          "a reference with a field names no item", hint: "leave out what follows the ?", status: .usage)
      }
      switch reference.query {
      case .genericPassword(let query):
        return NamedPlace(service: "\(query.service)", account: query.account.map { "\($0)" })
      case .internetPassword(let query):
        return NamedPlace(url: query.key.readableURL, account: query.account.map { "\($0)" })
      case .criteria, .all: return nil
      }
    }
  }

  private struct Login {
    let item: Item
    let names: [String]

    func has(part: String) -> Bool { names.contains { $0.lowercased().hasPart(part.lowercased()) } }
  }

  /// The items that have a place, with their names.
  private func logins(of account: String?) throws(KeychainError) -> [Login] {
    var criteria = ItemCriteria()
    criteria.omitsLocked = true
    if let account { criteria[.account] = ByteString(account) }
    var seen: Set<Item.Key> = []
    return try keychain.items(matching: .criteria(criteria)).compactMap { item in
      guard item.key.itemClass.isPassword, seen.insert(item.key.primaryKey).inserted else { return nil }
      return Login(item: item, names: item.names)
    }
  }

  /// The place of the only one, or of the one that a person chooses; `nil` if there is none.
  private func single(_ found: [Login], of text: String, isPart: Bool) throws(KeychainError) -> NamedPlace? {
    guard let first = found.first else { return nil }
    if found.count == 1 {
      if isPart { StandardStreams.say("'\(text)' is taken for \(first.item.key.inSentence)") }
      return NamedPlace(of: first.item)
    }
    guard mayGuess, let terminal = Terminal.ofPerson(mayAsk: true) else {
      throw Self.several(found, of: text)
    }
    let shown = found.sorted { $0.item.key.name < $1.item.key.name }.prefix(Self.choices)
    for (index, login) in shown.enumerated() { terminal.show("\(index + 1)  \(login.item.key.name)\n") }
    if found.count > shown.count { terminal.show("... and \(found.count - shown.count) more\n") }
    let answer = terminal.answer(to: "Which one? [1-\(shown.count)] ").flatMap { Int($0.withoutSpacesAround) }
    guard let answer, shown.indices.contains(answer - 1) else {
      throw .failure("none of them was chosen", status: .nothingMatched)
    }
    return NamedPlace(of: shown[answer - 1].item)
  }

  /// How many items somebody can choose from.
  private static let choices = 20

  private static func several(_ found: [Login], of text: String) -> KeychainError {
    let names = found.prefix(5).map(\.item.key.name).joined(separator: ", ")
    let more = found.count > 5 ? " and \(found.count - 5) more" : ""
    return .failure(
      "\(found.count) items are called '\(text)': \(names)\(more)", hint: "name one by its URL and --account",
      status: .nothingMatched)
  }
}

extension Item {
  /// What people call it: its place, or its service, and its label.
  var names: [String] { [key.place] + (label.nonEmpty.map { ["\($0)"] } ?? []) }
}

extension ItemSelection {
  /// - Throws: as ``NamedPlace/check()`` does.
  func check() throws(KeychainError) { if case .named(let place) = self { try place.check() } }

  /// The same items, with the item that is meant in place of a name that is no place.
  ///
  /// - Throws: as ``MeantItem/place(_:)`` does.
  func meant(by meant: MeantItem) throws(KeychainError) -> ItemSelection {
    if case .named(let place) = self { .named(try meant.place(place)) } else { self }
  }
}

extension NamedPlace {
  /// Whether it is a place by its form: another text may still be the name of an item.
  fileprivate var isPlace: Bool { (try? query()) != nil }

  /// Refuses, before the keychain is opened, what is no place and can't be a name.
  ///
  /// - Throws: ``KeychainError`` as ``key()`` does, for a URL that can't be understood or has a password in it.
  func check() throws(KeychainError) {
    do throws(KeychainError) {
      _ = try query()
    } catch {
      if error == Self.passwordInURL || url?.hasPart("://") != false { throw error }
    }
  }

  /// The place of an item that has one.
  fileprivate init(of item: Item) {
    let account = item.key.account.map { "\($0)" } ?? ""
    switch item.key {
    case .genericPassword(let key): self.init(service: "\(key.service)", account: account)
    default: self.init(url: item.key.place, account: account)
    }
  }

  /// - Throws: ``KeychainError`` if the place names another account.
  fileprivate func with(account: String?) throws(KeychainError) -> NamedPlace {
    guard let account else { return self }
    if let own = self.account, own != account {
      throw .failure("the reference and --account name different accounts", status: .usage)
    }
    var place = self
    place.account = account
    return place
  }
}
