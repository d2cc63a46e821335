import Interchange
import Keychain

/// Matches a source's items with a keychain's, by the attributes that programs search for.
///
/// An item that is no login has a name, but every keychain gives it another. So it is the same if it has, in the same
/// collection, the same lookup attributes, and also the same label or the same secret. If there are several, the one
/// with both comes first. Otherwise it is another one, unless name and label, or name and attributes, show that it has
/// changed. Two items of a source never become one.
///
/// In a service several items may be the same login. So a login with lookup attributes of its own matches the item
/// with the same ones, if there is one.
struct OtherItems {
  struct Held {
    /// As the keychain shows it to tools: a login, if it is one.
    let item: Item
    /// As programs find it.
    let other: Item
  }

  /// Identifies an item before anything else is compared.
  private struct Identity: Hashable {
    let collection: ByteString
    let attributes: LookupAttributes
  }

  /// The collection for items without one.
  private let home: ByteString
  private var held: [Identity: [Held]] = [:]
  private var named: [Item.Key: Identity] = [:]
  private var identities: [ItemReference: Identity] = [:]

  /// - Parameters:
  ///   - items: the keychain's items that are no logins, or count as none.
  ///   - home: the collection for items without one.
  init(_ items: [Held], home: ByteString) {
    self.home = home
    for item in items {
      let identity = identity(of: item.other)
      held[identity, default: []].append(item)
      named[item.other.key] = identity
      if let reference = item.item.reference { identities[reference] = identity }
    }
  }

  private func identity(of item: Item) -> Identity {
    Identity(
      collection: item.secretService.collection ?? home,
      attributes: (item.secretService.lookup ?? LookupAttributes()).withoutGenericSchema)
  }

  /// The keychain's items for the source's logins that it has, by the login's index.
  mutating func counterparts(
    of logins: [(index: Int, login: FoundLogin)], in keychain: any KeychainStore
  ) throws(KeychainError) -> [Int: Held] {
    var counterparts: [Int: Held] = [:]
    var rest = logins
    // Each rule is applied to all logins before the next, so that a weaker one takes nothing away from a stronger one.
    for rule in Rule.allCases {
      var without: [(index: Int, login: FoundLogin)] = []
      for (index, login) in rest {
        let identity = identity(of: login.item)
        let candidates = held[identity] ?? []
        var found: Int?
        for (position, item) in candidates.enumerated() where found == nil {
          if try rule.applies(item, login, in: keychain) { found = position }
        }
        if let found {
          counterparts[index] = candidates[found]
          held[identity]?.remove(at: found)
        } else {
          without.append((index, login))
        }
      }
      rest = without
    }
    return counterparts
  }

  /// Takes the item that an item of the source has become, or was: it has the same name, and not both another label
  /// and other attributes. `nil` if there is none, or it is taken.
  mutating func takeChanged(_ other: Item) -> Held? {
    guard let known = named[other.key],
      let position = held[known]?.firstIndex(where: { $0.other.key == other.key }),
      let item = held[known]?[position],
      known == identity(of: other) || item.other.label.nonEmpty == other.label.nonEmpty
    else { return nil }
    held[known]?.remove(at: position)
    return item
  }

  /// Takes an item with the collection and attributes of one that a service shows to programs.
  mutating func take(foundAs other: Item) -> Held? {
    let identity = identity(of: other)
    guard let item = held[identity]?.first else { return nil }
    held[identity]?.removeFirst()
    return item
  }

  /// The keychain's items without a counterpart so far.
  var rest: [Held] { held.values.flatMap { $0 } }

  /// Takes an item whose counterpart was found in another way.
  mutating func take(_ item: Item) {
    guard let reference = item.reference, let identity = identities[reference],
      let position = held[identity]?.firstIndex(where: { $0.item.reference == reference })
    else { return }
    held[identity]?.remove(at: position)
  }

  private enum Rule: CaseIterable {
    case sameLabelAndSecret
    case sameSecret
    case sameLabel

    func applies(
      _ held: Held, _ login: FoundLogin, in keychain: any KeychainStore
    ) throws(KeychainError) -> Bool {
      let isLogin = login.item.key.secretServiceItem == nil
      if isLogin, held.item.key.primaryKey != login.primaryKey { return false }
      let item = isLogin ? held.item : held.other
      let hasSameLabel = item.label.nonEmpty == login.item.label.nonEmpty
      switch self {
      case .sameLabelAndSecret:
        return hasSameLabel ? try Self.hasSameSecret(item, login, keychain) : false
      case .sameSecret:
        return try Self.hasSameSecret(item, login, keychain)
      case .sameLabel:
        // Without attributes and label, nothing tells which item it is.
        return isLogin
          || hasSameLabel
            && (item.label.nonEmpty != nil || !(login.item.secretService.lookup?.all.isEmpty ?? true))
      }
    }

    private static func hasSameSecret(
      _ item: Item, _ login: FoundLogin, _ keychain: any KeychainStore
    ) throws(KeychainError) -> Bool {
      guard let credential = try keychain.credentialIfPresent(of: item) else { return false }
      return credential.hasAll(of: login.credential)
    }
  }
}
