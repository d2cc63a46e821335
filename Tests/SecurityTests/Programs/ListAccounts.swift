import Foundation
import Security

/// Lists a server's accounts, and then asks for each password by its reference, as code for every keychain of macOS
/// must do.
func listAccounts(server: String) throws {
  let query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrServer as String: server,
    kSecMatchLimit as String: kSecMatchLimitAll,
    kSecReturnAttributes as String: true,
    kSecReturnRef as String: true,
  ]
  var result: CFTypeRef?
  try check(SecItemCopyMatching(query as CFDictionary, &result))
  let items = result as? [[String: Any]] ?? []
  let lines = try items.map { item in
    guard let account = item[kSecAttrAccount as String] as? String,
      let reference = item[kSecValueRef as String]
    else { throw KeychainServicesStatus(errSecDecode) }
    let scheme = item[kSecAttrProtocol as String] as? String ?? ""
    var secret: CFTypeRef?
    try check(
      SecItemCopyMatching(
        [
          kSecClass as String: kSecClassInternetPassword,
          kSecValueRef as String: reference,
          kSecReturnData as String: true,
        ] as CFDictionary, &secret))
    guard let data = secret as? Data else { throw KeychainServicesStatus(errSecDecode) }
    return "\(scheme) \(account) \(String(decoding: data, as: UTF8.self))"
  }
  for line in lines.sorted() { print(line) }
}
