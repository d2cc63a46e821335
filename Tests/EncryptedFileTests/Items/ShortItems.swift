import EncryptedFile
import Keychain
import TestSupport

func item(_ server: String, _ account: String? = "alice", path: String? = nil) -> Item {
  Item(
    InternetPassword(
      protocol: "https", server: ByteString(server), account: account.map { ByteString($0) },
      path: path.map { ByteString($0) }))
}

func query(_ server: String, _ account: String? = nil) throws -> ItemQuery {
  .internetPassword(
    try InternetPasswordQuery(
      protocol: "https", server: ByteString(server), account: account.map { ByteString($0) }))
}

extension KeychainStore {
  /// Adds items with the passwords `secret-SERVER`, in a single write.
  func add(servers: [String]) throws {
    try exclusively { () throws(KeychainError) in
      for server in servers { try add(item(server), Credential(password: "secret-" + server)) }
    }
  }

  /// The secret of an item as text.
  func secret(of item: Item) throws -> String {
    let credential = try credential(of: item)
    return credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The servers of all items, sorted.
  func servers() throws -> [String] {
    try items(matching: .all).compactMap { item in
      guard case .internetPassword(let key) = item.key else { return nil }
      return key.server?.description
    }.sorted()
  }
}

extension EncryptedFileKeychain {
  /// The secrets of what is out of use. Each is brought back for that and then undone, so that the others can take the
  /// same place, too.
  func retiredSecrets(matching query: ItemQuery) throws -> Set<String> {
    var secrets: Set<String> = []
    for retired in try retiredItems(matching: query) {
      let error = failure {
        try exclusively { () throws(KeychainError) in
          let credential = try credential(of: try undelete(retired, replacing: true))
          secrets.insert(text(credential.secret.revealed))
          throw .promptDismissed
        }
      }
      if error != .promptDismissed { throw error ?? .itemNotFound }
    }
    return secrets
  }
}
