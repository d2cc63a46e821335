// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// Stores logins, and lets tasks ask for them at the same time.
actor SessionStore {
  private let service: String

  init(service: String) {
    self.service = service
  }

  func save(_ secret: Data, account: String) throws {
    let query =
      [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
      ] as [CFString: Any]
    switch SecItemAdd(query.merging([kSecValueData: secret]) { $1 } as CFDictionary, nil) {
    case errSecSuccess: return
    case errSecDuplicateItem:
      try check(SecItemUpdate(query as CFDictionary, [kSecValueData: secret] as CFDictionary))
    case let status: throw KeychainServicesStatus(status)
    }
  }

  func secret(account: String) throws -> Data {
    let query =
      [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
        kSecReturnData: true,
      ] as [CFString: Any]
    var result: AnyObject?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    return result as! Data
  }

  nonisolated func count() throws -> Int {
    let query =
      [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecMatchLimit: kSecMatchLimitAll,
        kSecReturnRef: true,
      ] as [CFString: Any]
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return 0 }
    try check(status)
    return (result as! [Any]).count
  }
}

/// Uses the keychain from several tasks at once.
func session(_ service: String, _ accounts: [String]) async throws {
  let store = SessionStore(service: service)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for account in accounts {
      group.addTask { try await store.save(Data("secret of \(account)".utf8), account: account) }
      group.addTask { _ = try store.count() }
    }
    try await group.waitForAll()
  }
  for account in accounts {
    print("\(account): \(String(decoding: try await store.secret(account: account), as: UTF8.self))")
  }
  print("count: \(try store.count())")
}
