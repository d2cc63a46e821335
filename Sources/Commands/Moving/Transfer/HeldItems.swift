import EncryptedFile
import Interchange
import Keychain

/// The items of a source that a keychain already has.
struct HeldItems {
  private let keychain: any KeychainStore
  /// The service, if the keychain is one and everything in it counts.
  private let desktop: (any DesktopKeychain)?
  /// Whether to compare everything that a service has of an item.
  private let isWhole: Bool
  /// The service's collections; `nil` for a keychain that takes items of any.
  private let collections: HeldCollections?
  /// The keychain's item for each login that it has, by the login's index.
  private var counterparts: [Int: Item] = [:]
  /// A file that is asked for each login in turn, because a list of all its items would be as large as the source.
  private let asked: (file: EncryptedFileKeychain, logins: [FoundLogin])?

  /// - Parameters:
  ///   - isWhole: whether to compare everything that a service has of an item.
  ///   - looksForLocked: whether to look for locked collections of a service, for ``obstacle(to:)``.
  init(
    in keychain: any KeychainStore, for logins: [FoundLogin], isWhole: Bool, looksForLocked: Bool
  ) throws(KeychainError) {
    self.keychain = keychain
    self.isWhole = isWhole
    if let file = keychain as? EncryptedFileKeychain,
      logins.allSatisfy({ !$0.item.isOther && $0.asProgramsFind == nil })
    {
      try file.readAhead()
      asked = (file, logins)
      (collections, desktop) = (nil, nil)
      return
    }
    asked = nil
    // A person may unlock or lock one at any time, and its items are then missing in a list made meanwhile.
    var locked = looksForLocked ? try HeldCollections.locked(in: keychain, isBeforeListing: true) : []
    let items = try keychain.items(matching: .all)
    if looksForLocked { locked.formUnion(try HeldCollections.locked(in: keychain)) }
    collections = HeldCollections(of: items, in: keychain, locked: locked)
    desktop = collections == nil ? nil : keychain as? any DesktopKeychain
    var known = OtherItems(try Self.matched(items, desktop), home: collections?.home ?? "login")
    // The attributes for programs tell most. The name of an item that is no login comes from numbers that services
    // give anew, and several items of a service may be the same login.
    let described = logins.enumerated().map { (index: $0, login: $1) }.filter { _, login in
      login.item.isOther || desktop != nil && login.item.secretService.lookup != nil
    }
    for (index, item) in try known.counterparts(of: described, in: keychain) {
      counterparts[index] = logins[index].item.isOther ? item.other : item.item
    }
    try matchKeys(of: logins, in: &known, and: items)
    for (index, login) in described where login.item.isOther && counterparts[index] == nil {
      counterparts[index] = known.takeChanged(login.item)?.other
    }
    if desktop == nil { matchTurned(logins, in: &known, and: items) }
  }

  /// Finds logins that a program has made into items a login has no room for, and the reverse, by the attributes that
  /// programs search for.
  private mutating func matchTurned(_ logins: [FoundLogin], in known: inout OtherItems, and items: [Item]) {
    let taken = Set(counterparts.values.compactMap(\.reference))
    var held: [Item.Key: Item] = [:]
    for item in items
    where item.key.secretServiceItem == nil && !(item.reference.map(taken.contains) ?? false) {
      held[item.key.primaryKey] = item
    }
    for (index, login) in logins.enumerated() where counterparts[index] == nil {
      guard let found = login.asProgramsFind else { continue }
      if !login.item.isOther {
        counterparts[index] = known.take(foundAs: found)?.other
      } else if let key = login.original?.key.primaryKey, let item = held[key],
        item.secretService.collection == found.secretService.collection
      {
        // Its attributes follow from its key, or are those that a program gave it.
        let lookup = item.secretService.lookup?.withoutGenericSchema
        guard lookup == nil || lookup == found.secretService.lookup?.withoutGenericSchema else { continue }
        held[key] = nil
        counterparts[index] = item
      }
    }
  }

  /// The items to compare by the attributes that programs search for.
  private static func matched(
    _ items: [Item], _ desktop: (any DesktopKeychain)?
  ) throws(KeychainError) -> [OtherItems.Held] {
    var matched: [OtherItems.Held] = []
    for item in items {
      if item.isOther {
        matched.append(OtherItems.Held(item: item, other: item))
      } else if let desktop, item.key.secretServiceItem == nil {
        matched.append(OtherItems.Held(item: item, other: try desktop.asProgramsFind(item)))
      }
    }
    return matched
  }

  /// Finds the other logins, and the collections, by their keys.
  private mutating func matchKeys(
    of logins: [FoundLogin], in known: inout OtherItems, and items: [Item]
  ) throws(KeychainError) {
    var held: [Item.Key: [Item]] = [:]
    if desktop == nil {
      for item in items where !item.isOther { held[item.key.primaryKey, default: []].append(item) }
    } else {
      let rest = Set(known.rest.map(\.item))
      for item in items where item.key.secretServiceItem?.kind == .collection || rest.contains(item) {
        held[item.key.primaryKey, default: []].append(item)
      }
    }
    var taken: [Item.Key: Item] = [:]
    for (index, item) in counterparts where !logins[index].item.isOther {
      taken[logins[index].primaryKey] = item
    }
    for (index, login) in logins.enumerated() where !login.item.isOther && counterparts[index] == nil {
      let key = login.primaryKey
      guard let found = held[key], !found.isEmpty else {
        if let item = taken[key] { counterparts[index] = item }
        continue
      }
      let position = found.count == 1 ? 0 : try Self.position(of: login, in: found, keychain)
      taken[key] = held[key]?.remove(at: position)
      counterparts[index] = taken[key]
      if desktop != nil, let item = taken[key] { known.take(item) }
    }
  }

  private static func position(
    of login: FoundLogin, in items: [Item], _ keychain: any KeychainStore
  ) throws(KeychainError) -> Int {
    for (position, item) in items.enumerated() {
      guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
      if credential.hasAll(of: login.credential) { return position }
    }
    return 0
  }

  /// The keychain's item for a login, with its secret; `nil` if there is none.
  func counterpart(of index: Int) throws(KeychainError) -> Answer? {
    if let (file, logins) = asked { return try file.answer(to: logins[index].item.key) }
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

  /// Why a missing item can't be added, if its collection is locked, or is missing and the keychain can't make it.
  func obstacle(to item: Item) -> TransferPlan.Step? { collections?.obstacle(to: item) }

  /// The step for a login that the keychain has.
  func step(
    from answer: borrowing Answer, to login: FoundLogin, comparesNotes: Bool
  ) throws(KeychainError) -> TransferPlan.Step {
    let held = answer.item
    // A collection is the same under any label, and the keychain's own choice of the default one stays.
    if held.key.secretServiceItem?.kind == .collection { return .unchanged }
    if held.isOther != login.item.isOther { return .differs(from: held) }
    guard answer.credential.hasAll(of: login.credential) else {
      return answer.credential.isKept(by: login.credential) ? .completes(held) : .differs(from: held)
    }
    let lookup = try lookup(of: held)
    if hasSameNotes(held, as: login.item, lookup) { return .unchanged }
    if lacksOnlyLookup(held, of: login.item, lookup) { return .completes(held) }
    if comparesNotes { return .differs(from: held) }
    return held.lacksNotes(of: login.item) ? .completes(held) : .unchanged
  }

  /// The parts of another keychain's login that the keychain's item lacks, in a word each. They would be lost if the
  /// login were removed from its source.
  ///
  /// - Parameter isOfFile: whether the login comes from a file, which has neither collections nor attributes for
  ///   programs.
  func lacking(_ held: Item, of login: Item, isOfFile: Bool) throws(KeychainError) -> [String] {
    var lacking: [String] = []
    if let label = login.label.nonEmpty, held.label != label { lacking.append("label") }
    if login.key.secretServiceItem?.kind == .collection { return lacking }
    func has(_ attribute: Item.Attribute) -> Bool {
      login[attribute] == nil || held[attribute] == login[attribute]
    }
    var hasFurther = true
    login.furtherAttributes.forEach { tag, value in
      if !Item.listTags.contains(tag), held.furtherAttributes[tag] != value { hasFurther = false }
    }
    if !held.hasAllInLists(of: login) { hasFurther = false }
    if !Item.Attribute.remarks.allSatisfy(has) || !hasFurther {
      lacking.append("notes")
    }
    if isOfFile { return lacking }
    if let lookup = login.secretService.lookup?.withoutGenericSchema,
      !(try self.lookup(of: held)?.withoutGenericSchema.includes(lookup) ?? false)
    {
      lacking.append("attributes")
    }
    if let collections {
      let here = try desktop?.asProgramsFind(held).secretService.collection ?? collections.home
      if here != login.secretService.collection ?? collections.home { lacking.append("collection") }
    } else {
      if !has(.collection) { lacking.append("collection") }
      if !has(.contentType) { lacking.append("content type") }
    }
    return lacking
  }

  /// All attributes by which programs find the keychain's item; `nil` if it isn't in a service, and has none.
  private func lookup(of held: Item) throws(KeychainError) -> LookupAttributes? {
    guard let desktop, held.key.secretServiceItem == nil else { return held.secretService.lookup }
    return try desktop.asProgramsFind(held).secretService.lookup
  }

  /// Whether the keychain's item has all notes of another. A service may add attributes, and keeps no content type.
  private func hasSameNotes(_ held: Item, as wanted: Item, _ lookup: LookupAttributes?) -> Bool {
    let known = wanted.secretService
    if let wanted = known.lookup?.withoutGenericSchema {
      let own = (lookup ?? LookupAttributes()).withoutGenericSchema
      let hasAll = desktop == nil ? own == wanted : own.includes(wanted)
      if !hasAll { return false }
    }
    if desktop == nil {
      if let collection = known.collection, held.secretService.collection != collection { return false }
      if let type = known.contentType, held.secretService.contentType != type { return false }
    }
    var wanted = wanted
    wanted.secretService = held.secretService
    if held.hasSameNotes(as: wanted) { return true }
    // Further entries of the keychain's lists stay.
    guard held.furtherAttributes != wanted.furtherAttributes, held.hasAllInLists(of: wanted) else {
      return false
    }
    for tag in Item.listTags { wanted.furtherAttributes[tag] = held.furtherAttributes[tag] }
    return held.hasSameNotes(as: wanted)
  }

  /// Whether the keychain's item has the same notes as another, except for those that only a Secret Service has, and a
  /// label that nobody has given it. Its own attributes, if it has any, follow from its key.
  private func lacksOnlyLookup(_ held: Item, of other: Item, _ lookup: LookupAttributes?) -> Bool {
    guard held.secretService.lookup == nil, let wanted = other.secretService.lookup else { return false }
    if let lookup, desktop != nil, lookup.includes(wanted) { return false }
    var same = held
    same.label = held.label ?? other.label
    same.secretService = other.secretService
    return same.hasSameNotes(as: other)
  }
}

extension Item {
  /// Whether it is known to be in a collection of a Secret Service, or is the record of one.
  var isOfCollection: Bool { secretService.collection != nil || key.secretServiceItem != nil }

  /// Whether another one of the same secret has notes that nobody has given it.
  fileprivate func lacksNotes(of other: Item) -> Bool {
    other.secretService.isEmpty && !hasSameNotes(as: completed(by: other))
  }

  /// The item with the notes that another one has beside its own.
  func completed(by other: Item) -> Item { taking(notesOf: other).taking(notesOf: self) }

  /// Whether it is a program's item in the Secret Service, and no login.
  var isOther: Bool { key.secretServiceItem?.kind == .item }
}
