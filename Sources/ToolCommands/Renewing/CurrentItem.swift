import Keychain

extension KeychainStore {
  /// The item as it is now, even under another key; `nil` if it is gone.
  func current(_ item: Item) throws(KeychainError) -> Answer? {
    let query = try ItemQuery(for: item.key)
    return try reading { () throws(KeychainError) -> Answer? in
      let primaryKey = item.key.primaryKey
      var found = try items(matching: query).first { $0.key.primaryKey == primaryKey }
      if found == nil, let reference = item.reference {
        found = try items(matching: .all).first { $0.reference == reference }
      }
      guard let found, let credential = try credentialIfPresent(of: found) else { return nil }
      return Answer(item: found, credential: credential)
    }
  }
}
