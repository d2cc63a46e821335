import Interchange
import Keychain
import Terminals

/// Items of a keychain.
final class KeychainSource: ImportSource {
  let name: String
  private let keychain: any KeychainStore
  /// What an item there is here; `nil` if it isn't asked for.
  private let converted: (Item) -> Item?

  /// - Parameters:
  ///   - name: what a person knows the keychain by.
  ///   - converted: what an item there is here; `nil` passes it over.
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
          // Deleted meanwhile, it is nowhere any more.
          guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
          found.take(FoundLogin(converted, credential, at: .entry(ByteString(item.key.name)), from: item))
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
