import Foundation
import Security

/// The token that a server returns after a login.
struct Token: Codable, Equatable {
  var access: String
  var refresh: String
  var expires: Date
  var scopes: [String]
}

/// Stores tokens as JSON.
enum TokenKeychain {
  static let service = "com.example.tokens"

  /// Updates the item if it exists, and adds it otherwise.
  static func save(_ token: Token, for account: String) throws -> Bool {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: service,
      kSecAttrAccount: account,
    ]
    let changes: [CFString: Any] = [
      kSecValueData: try JSONEncoder().encode(token),
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
    ]
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    if status == errSecItemNotFound {
      let item = query.merging(changes) { $1 }
      try check(SecItemAdd(item as CFDictionary, nil))
      return true
    }
    try check(status)
    return false
  }

  static func token(for account: String) throws -> Token? {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: service,
      kSecAttrAccount: account,
      kSecReturnData: true,
      kSecMatchLimit: kSecMatchLimitOne,
    ]
    var result: CFTypeRef?
    switch SecItemCopyMatching(query as CFDictionary, &result) {
    case errSecSuccess: break
    case errSecItemNotFound: return nil
    case let status: throw KeychainServicesStatus(status)
    }
    guard let data = result as? Data else { throw KeychainServicesStatus(errSecDecode) }
    return try JSONDecoder().decode(Token.self, from: data)
  }
}

func saveToken(account: String, lifetime: String) throws {
  let token = Token(
    access: readPassword(), refresh: readPassword(),
    expires: Date(timeIntervalSinceReferenceDate: Double(lifetime) ?? 0), scopes: ["repo", "read:org"])
  print(try TokenKeychain.save(token, for: account) ? "added" : "updated")
}

func readToken(account: String) throws {
  guard let token = try TokenKeychain.token(for: account) else {
    print("none")
    return
  }
  print("access: \(token.access)")
  print("refresh: \(token.refresh)")
  print("expires: \(token.expires.timeIntervalSinceReferenceDate)")
  print("scopes: \(token.scopes.joined(separator: " "))")
}
