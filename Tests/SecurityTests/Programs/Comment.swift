// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// Adds a comment to a password, and reads it back.
func comment(service: String, account: String, text: String) throws {
  let query: NSDictionary = [
    kSecClass: kSecClassGenericPassword,
    kSecAttrService: service,
    kSecAttrAccount: account,
  ]
  let password = readPassword()
  let item = query.mutableCopy() as! NSMutableDictionary
  item[kSecValueData] = Data(password.utf8)
  try check(SecItemAdd(item as CFDictionary, nil))

  try check(SecItemUpdate(query as CFDictionary, [kSecAttrComment as String: text] as CFDictionary))

  let search = query.mutableCopy() as! NSMutableDictionary
  search[kSecReturnAttributes] = true
  var result: CFTypeRef?
  try check(SecItemCopyMatching(search as CFDictionary, &result))
  guard let found = result as? NSDictionary else { throw KeychainServicesStatus(errSecDecode) }
  print("comment: \(found[kSecAttrComment] as? String ?? "none")")
  print("data: \(found[kSecValueData] == nil ? "none" : "there")")
  let created = found[kSecAttrCreationDate] as? Date
  let changed = found[kSecAttrModificationDate] as? Date
  guard let created, let changed, created <= changed, abs(created.timeIntervalSinceNow) < 3600 else {
    throw KeychainServicesStatus(errSecDecode)
  }
  // The comment is a search key like any other.
  let byComment: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrComment as String: text,
    kSecReturnData as String: true,
  ]
  var secret: CFTypeRef?
  try check(SecItemCopyMatching(byComment as CFDictionary, &secret))
  print("by comment: \((secret as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "none")")
}
