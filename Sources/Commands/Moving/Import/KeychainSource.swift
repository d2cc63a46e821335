import Interchange
import Keychain
import ToolCommands

final class KeychainSource: ImportSource {
  let name: String
  private let keychain: any KeychainStore
  private let isWanted: (Item) -> Bool
  private let goesToService: Bool

  /// - Parameters:
  ///   - name: the user's name for the keychain.
  ///   - goesToService: whether the items go to a Secret Service.
  ///   - isWanted: returns whether to copy an item.
  init(
    _ name: String, _ keychain: any KeychainStore, goesToService: Bool,
    where isWanted: @escaping (Item) -> Bool
  ) {
    self.name = name
    self.keychain = keychain
    self.goesToService = goesToService
    self.isWanted = isWanted
  }

  func read(progress: (Int, Int) -> Void) throws(KeychainError) -> FoundLogins {
    try
      (keychain.reading { () throws(KeychainError) -> FoundLogins in
        var found = FoundLogins()
        let items = try keychain.items(matching: .all)
        // The contents of a copy beside it would be left behind unseen.
        try keychain.refusePassingOver()
        for (index, item) in items.enumerated() {
          progress(index, items.count)
          if !isWanted(item) { continue }
          // Skip an item that was deleted meanwhile.
          guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
          found.take(
            FoundLogin(
              item, credential, at: .entry(item.nameForSearch),
              leftBehind: goesToService ? item.leftBehindByService : [], from: item))
        }
        progress(items.count, items.count)
        found.sortNewestFirst()
        return found
      })
  }

  func remove(_ logins: [FoundLogin]) throws(KeychainError) -> Removed {
    var changed: [FoundLogin] = []
    let count = try keychain.exclusively { () throws(KeychainError) -> Int in
      changed = []
      let items = try keychain.items(matching: .all)
      var present: [ItemReference: Item] = [:]
      for item in items { if let reference = item.reference { present[reference] = item } }
      var gone: [Item] = []
      for login in logins {
        guard let original = login.original, let reference = original.reference,
          let item = present[reference],
          let credential = try keychain.credentialIfPresent(of: item)
        else { continue }
        if item == original, credential.isSame(as: login.credential) {
          gone.append(item)
        } else {
          changed.append(login)
        }
      }
      return try keychain.delete(Self.withoutUsedCollections(gone, of: items))
    }
    return Removed(count, from: name, changed: changed)
  }

  /// The items without the records of collections that keep other items: a record has the collection's label, and
  /// whether it is the default one.
  private static func withoutUsedCollections(_ gone: [Item], of all: [Item]) -> [Item] {
    let references = Set(gone.compactMap(\.reference))
    let used = Set(
      all.filter { item in !(item.reference.map(references.contains) ?? false) }
        .compactMap(\.secretService.collection))
    return gone.filter { item in
      guard let key = item.key.secretServiceItem, key.kind == .collection else { return true }
      return !used.contains(key.name)
    }
  }
}

extension Item {
  /// The parts without a place in a Secret Service, where a login has attributes of its own for them.
  fileprivate var leftBehindByService: [String] {
    guard key.secretServiceItem?.kind == .item else { return [] }
    return Attribute.remarks.allSatisfy { self[$0] == nil } && furtherAttributes.isEmpty ? [] : ["notes"]
  }
}
