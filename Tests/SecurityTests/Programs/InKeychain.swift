import Foundation
import Security

/// Adds a generic password to a named keychain, or looks for it in the keychains that are named.
func inKeychain(_ operation: String, _ names: [String], service: String, account: String) throws {
  var attributes: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: service,
    kSecAttrAccount as String: account,
  ]
  switch operation {
  case "add":
    attributes[kSecUseKeychain as String] = names[0]
    attributes[kSecValueData as String] = Data(readPassword().utf8)
    try check(SecItemAdd(attributes as CFDictionary, nil))
  case "delete":
    attributes[kSecMatchSearchList as String] = names
    try check(SecItemDelete(attributes as CFDictionary))
  default:
    if !names.isEmpty { attributes[kSecMatchSearchList as String] = names }
    attributes[kSecReturnData as String] = true
    var found: CFTypeRef?
    try check(SecItemCopyMatching(attributes as CFDictionary, &found))
    print(String(decoding: found as? Data ?? Data(), as: UTF8.self))
  }
}
