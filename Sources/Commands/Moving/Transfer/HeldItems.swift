import Interchange
import Keychain

/// What a keychain has already of what a source brings.
struct HeldItems {
  private let keychain: any KeychainStore
  /// The service, if the keychain is one and everything in it counts.
  private let desktop: (any DesktopKeychain)?
  /// Whether everything that a service has of an item is compared.
  private let isWhole: Bool
  /// The service's collections; `nil` for a keychain that takes items of any.
  private let collections: Set<ByteString>?
  /// The keychain's item for each login that it has, by the login's index.
  private var counterparts: [Int: Item] = [:]

  /// - Parameter isWhole: whether everything that a service has of an item is compared.
  init(
    in keychain: any KeychainStore, for logins: [FoundLogin], isWhole: Bool
  ) throws(KeychainError) {
    self.keychain = keychain
    self.isWhole = isWhole
    let items = try keychain.items(matching: .all)
    let records = items.filter { $0.key.secretServiceItem?.kind == .collection }
    desktop = records.isEmpty ? nil : keychain as? any DesktopKeychain
    let names = records.compactMap { $0.key.secretServiceItem?.name }
    collections = desktop == nil ? nil : Set(names)
    var held: [Item.Key: [Item]] = [:]
    for item in items { held[item.key.primaryKey, default: []].append(item) }
    var others: [(index: Int, login: FoundLogin)] = []
    var taken: [Item.Key: Item] = [:]
    for (index, login) in logins.enumerated() {
      let key = login.item.key.primaryKey
      // Its name comes from numbers that services give anew, so that it alone says little.
      if login.item.key.secretServiceItem?.kind == .item {
        others.append((index, login))
        continue
      }
      guard let found = held[key], !found.isEmpty else {
        counterparts[index] = taken[key]
        continue
      }
      // A service may have the same login twice.
      let position = found.count == 1 ? 0 : try Self.position(of: login, in: found, keychain)
      taken[key] = held[key]?.remove(at: position)
      counterparts[index] = taken[key]
    }
    if others.isEmpty { return }
    var rest = held.values.flatMap { $0 }.filter { $0.key.secretServiceItem?.kind == .item }
    for item in held.values.flatMap({ $0 }) where item.key.secretServiceItem == nil {
      if let desktop { rest.append(try desktop.whole(item, asLogin: false).item) }
    }
    let standard = records.first { $0.isDefault } ?? (records.count == 1 ? records[0] : nil)
    let home = names.contains("login") || desktop == nil ? "login" : standard?.key.secretServiceItem?.name
    var known = OtherItems(rest, home: home ?? "login")
    counterparts.merge(try known.counterparts(of: others, in: keychain)) { first, _ in first }
    for (index, login) in others where counterparts[index] == nil {
      counterparts[index] = known.takeChanged(login.item)
    }
  }

  private static func position(
    of login: FoundLogin, in items: [Item], _ keychain: any KeychainStore
  ) throws(KeychainError) -> Int {
    for (position, item) in items.enumerated() {
      guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
      if credential.hasSame(as: login.credential) { return position }
    }
    return 0
  }

  /// The keychain's item for a login, with its secret; `nil` if there is none.
  func counterpart(of index: Int) throws(KeychainError) -> Answer? {
    guard let item = counterparts[index] else { return nil }
    do throws(KeychainError) {
      if isWhole, let desktop, item.key.secretServiceItem == nil {
        let answer = try desktop.whole(item, asLogin: true)
        // A login that could not hold all of it is compared as the login that it is here.
        if answer.item.key.primaryKey == item.key.primaryKey { return answer }
      }
      return Answer(item: item, credential: try keychain.credential(of: item))
    } catch .itemNotFound {
      return nil
    }
  }

  /// The item's collection, if the keychain doesn't have it and can't make it by itself.
  func missingCollection(of item: Item) -> ByteString? {
    guard let collections else { return nil }
    if let key = item.key.secretServiceItem, key.kind == .collection { return key.name }
    guard let name = item.secretService.collection, !collections.contains(name) else { return nil }
    return name
  }

  /// What is to be done with a login that the keychain has.
  func step(
    from answer: borrowing Answer, to login: FoundLogin, comparesNotes: Bool
  ) -> TransferPlan.Step {
    let held = answer.item
    // A collection is the same whatever it is called, and the keychain's own choice of the default one stays.
    if held.key.secretServiceItem?.kind == .collection { return .unchanged }
    guard answer.credential.hasSame(as: login.credential) else { return .differs(from: held) }
    if !comparesNotes || hasSameNotes(held, as: login.item) { return .unchanged }
    return held.lacksOnlyLookup(of: login.item) ? .completes(held) : .differs(from: held)
  }

  /// Whether the keychain's item says all that another does. A service may add attributes, and keeps no content type.
  private func hasSameNotes(_ held: Item, as wanted: Item) -> Bool {
    var known = wanted.secretService
    let isService = desktop != nil
    if let lookup = known.lookup?.withoutGenericSchema {
      let own = (held.secretService.lookup ?? LookupAttributes()).withoutGenericSchema
      // What is missing in a service may follow from the item's other attributes.
      let hasAll =
        isService ? held.secretService.lookup == nil || own.includes(lookup) : own == lookup
      if !hasAll { return false }
    }
    if !isService {
      if let collection = known.collection, held.secretService.collection != collection { return false }
      if let type = known.contentType, held.secretService.contentType != type { return false }
    }
    known = held.secretService
    var wanted = wanted
    wanted.secretService = known
    return held.hasSameNotes(as: wanted)
  }
}

extension Item {
  /// Whether it says the same as another, except for what only the Secret Service knows of that, and a label that
  /// nobody has given this one.
  fileprivate func lacksOnlyLookup(of other: Item) -> Bool {
    guard secretService.lookup == nil, other.secretService.lookup != nil else { return false }
    var same = self
    same.label = label ?? other.label
    same.secretService = other.secretService
    return same.hasSameNotes(as: other)
  }
}
