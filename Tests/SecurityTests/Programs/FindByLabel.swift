import Foundation
import Security

/// Stores a login under a label of the user's own.
func store(label: String, server: String, account: String) throws {
  let attributes: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrLabel as String: label,
    kSecAttrServer as String: server,
    kSecAttrAccount as String: account,
    kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
    kSecAttrPort as String: 8443,
    kSecAttrDescription as String: "a log-in of the example",
    kSecValueData as String: Data(readPassword().utf8),
    kSecReturnPersistentRef as String: true,
  ]
  var reference: CFTypeRef?
  try check(SecItemAdd(attributes as CFDictionary, &reference))
  guard let reference = reference as? Data, !reference.isEmpty else {
    throw KeychainServicesStatus(errSecDecode)
  }
  print("reference: \(reference.base64EncodedString())")
  // A program saves the reference, which leads back to the item.
  let byReference: [String: Any] = [
    kSecValuePersistentRef as String: reference,
    kSecReturnAttributes as String: true,
  ]
  var item: CFTypeRef?
  try check(SecItemCopyMatching(byReference as CFDictionary, &item))
  let found = item as? [String: Any]
  print("label: \(found?[kSecAttrLabel as String] as? String ?? "none")")
}

/// Finds logins by only a label.
func findByLabel(_ label: String) throws {
  let query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrLabel as String: label,
    kSecMatchLimit as String: kSecMatchLimitAll,
    kSecReturnAttributes as String: true,
    kSecReturnData as String: true,
  ]
  var result: CFTypeRef?
  try check(SecItemCopyMatching(query as CFDictionary, &result))
  guard let items = result as? [[String: Any]] else { throw KeychainServicesStatus(errSecDecode) }
  let lines = items.map { item in
    let server = item[kSecAttrServer as String] as? String ?? ""
    let port = item[kSecAttrPort as String] as? Int ?? 0
    let account = item[kSecAttrAccount as String] as? String ?? ""
    let secret = item[kSecValueData as String] as? Data ?? Data()
    return "\(server):\(port) \(account) \(String(decoding: secret, as: UTF8.self))"
  }
  for line in lines.sorted() { print(line) }
}
