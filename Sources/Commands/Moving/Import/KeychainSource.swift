import Interchange
import Keychain
import Terminals

/// The items of a keychain, as a source of logins.
final class KeychainSource: ImportSource {
  let name: String
  private let keychain: any KeychainStore
  /// Converts an item of that keychain to one of this one; returns `nil` to skip it.
  private let converted: (Item) -> Item?

  /// - Parameters:
  ///   - name: the name the user knows the keychain by.
  ///   - converted: converts an item of that keychain to one of this one; returns `nil` to skip it.
  init(_ name: String, _ keychain: any KeychainStore, converted: @escaping (Item) -> Item? = { $0 }) {
    self.name = name
    self.keychain = keychain
    self.converted = converted
  }

  func read(progress: (Int, Int) -> Void) throws(Failure) -> FoundLogins {
    try explaining(
      keychain.reading { () throws(KeychainError) -> FoundLogins in
        var found = FoundLogins()
        let items = try keychain.items(matching: .all)
        for (index, item) in items.enumerated() {
          progress(index, items.count)
          guard let converted = converted(item) else { continue }
          // Skip an item that was deleted meanwhile.
          guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
          found.take(
            FoundLogin(
              converted, credential, at: .entry(item.nameForSearch), leftBehind: converted.leftBehind,
              from: item))
        }
        progress(items.count, items.count)
        found.sortNewestFirst()
        return found
      })
  }

  var whyNotRemovable: Failure? { nil }

  func remove(_ logins: [FoundLogin]) throws(Failure) -> String {
    let items = logins.compactMap(\.original)
    let count = try explaining(keychain.delete(items))
    return "deleted \(countText(count, "item")) from \(name)"
  }
}

extension Item {
  /// What a Secret Service has no place for. A login has attributes of its own for it there.
  fileprivate var leftBehind: [String] {
    guard key.secretServiceItem?.kind == .item else { return [] }
    let notes = [comment, itemDescription, creator, type].compactMap { $0 }
    return notes.isEmpty && furtherAttributes.isEmpty ? [] : ["notes"]
  }
}
