import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct DefaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "default",
    abstract: "Choose which of several accounts answers, or show it",
    discussion: """
      Without a default, the item that was changed last answers. The default item comes before all others of exactly \
      that place; there is only one. Without --account, shows which it is:

        llavero default https://github.com --account work
        llavero default https://github.com
        llavero default https://github.com --remove

      On a terminal a label, or part of a name, stands for its place.
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  @Flag(help: "Remove the default of that place, or only if it is that account")
  var remove = false

  func run() throws(KeychainError) {
    try place.named.check()
    let selection = keychain.selection
    let open = try keychain.open()
    let meant = try meant(in: open, selection)
    let keychain = open.keychain
    if remove {
      do throws(KeychainError) {
        return try clear(meant, keychain)
      } catch {
        throw try output.withArray(error)
      }
    }
    if case .place(let place) = meant, try place.key().account == nil { return try show(place, keychain) }
    let named = try meant.item(in: keychain)
    let own = keychain.part(with: [named])
    let chosen = try own.exclusively { () throws(KeychainError) in
      var chosen = try own.present(named)
      for var other in try Self.items(at: chosen.key, in: own)
      where other.isDefault && other.reference != chosen.reference {
        other.isDefault = false
        _ = try own.update(other)
      }
      if chosen.isDefault { return chosen }
      chosen.isDefault = true
      return try own.update(chosen)
    }
    try output.write(chosen.report, saying: "\(chosen.key.inSentence) answers where no account is named")
  }

  /// What is meant. Without an account, that is the place of the item that has such a name.
  private func meant(in open: OpenKeychain, _ selection: KeychainSelection) throws(KeychainError) -> Meant {
    let named = place.named
    let isItem = named.account != nil || named.reference != nil
    let use = isItem ? MeantItem.Use.changing : .finding
    let meant = try MeantItem(in: open, isExact: names.exact, selection, for: use).meant(by: named)
    guard !isItem, case .item(let item) = meant else { return meant }
    if remove, !names.exact, selection.confirms("Remove the default of \(item.key.place)?") == false {
      throw .failure("nothing was changed", status: .nothingMatched)
    }
    return .place(NamedPlace(at: item.key, account: nil))
  }

  private func show(_ place: NamedPlace, _ keychain: any KeychainStore) throws(KeychainError) {
    let items = try place.items(in: keychain)
    if items.isEmpty { throw try place.nothingMatches(in: keychain) }
    guard let chosen = items.first(where: \.isDefault) else {
      throw .failure(
        "no item of \(items[0].key.place) is the default",
        hint: "the one that was changed last answers: \(prose: items[0].key.name)", status: .nothingMatched)
    }
    try output.write(chosen.report, or: "\(chosen.key.name)\n")
  }

  private func clear(_ meant: Meant, _ keychain: any KeychainStore) throws(KeychainError) {
    let found = try Self.items(of: meant, in: keychain)
    if found.isEmpty { throw try meant.nothingMatches(in: keychain) }
    let own = keychain.part(with: found)
    let cleared = try own.exclusively { () throws(KeychainError) -> [Item] in
      let items = try Self.items(of: meant, in: own)
      if items.isEmpty { throw try meant.nothingMatches(in: keychain) }
      let marked = items.filter(\.isDefault)
      if marked.isEmpty {
        throw .failure("no item of \(items[0].key.place) is the default", status: .nothingMatched)
      }
      var cleared: [Item] = []
      for var item in marked {
        item.isDefault = false
        cleared.append(try own.update(item))
      }
      return cleared
    }
    try output.write(
      cleared.map(\.report),
      saying:
        "no account of \(cleared[0].key.place) is the default now; \(cleared[cleared.count - 1].key.inSentence) "
        + "still answers, until another one is changed")
  }

  private static func items(
    of meant: Meant, in keychain: any KeychainStore
  ) throws(KeychainError) -> [Item] {
    switch meant {
    case .place(let place): return try place.items(in: keychain)
    case .item(let item): return [try keychain.present(item)]
    }
  }

  /// The items of all accounts of exactly a key's place, the one that answers first.
  static func items(at key: Item.Key, in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    switch key {
    case .internetPassword(var place):
      place.account = nil
      place.authenticationType = nil
      return try keychain.find(try ItemQuery(for: .internetPassword(place))) { item in
        guard case .internetPassword(let key) = item.key else { return false }
        return key.path == place.path && key.securityDomain == place.securityDomain
      }
    case .genericPassword(let place):
      return try keychain.find(.genericPassword(try GenericPasswordQuery(service: place.service)))
    case .cryptographic, .secretService: return []
    }
  }
}
