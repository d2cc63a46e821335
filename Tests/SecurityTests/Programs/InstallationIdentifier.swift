// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// An identifier that is made at the first start, and is still the same after the program was removed and installed
/// again.
func installationIdentifier(service: String) throws {
  let name = ProcessInfo.processInfo.processName
  if let identifier = try storedIdentifier(service: service) {
    print("known: \(identifier.uuidString)")
  } else {
    let identifier = UUID()
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: "installation",
      kSecAttrDescription as String: "made by \(name)",
      kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      kSecAttrSynchronizable as String: kCFBooleanFalse!,
      kSecAttrGeneric as String: withUnsafeBytes(of: identifier.uuid) { Data($0) },
      kSecValueData as String: identifier.uuidString.data(using: .utf8)!,
    ]
    try check(SecItemAdd(query as CFDictionary, nil))
    print("new: \(identifier.uuidString)")
  }
}

private func storedIdentifier(service: String) throws -> UUID? {
  let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: service,
    kSecAttrAccount as String: "installation",
    kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
    kSecReturnAttributes as String: kCFBooleanTrue as Any,
    kSecReturnData as String: kCFBooleanTrue as Any,
  ]
  var result: AnyObject?
  let status = SecItemCopyMatching(query as CFDictionary, &result)
  if status == errSecItemNotFound { return nil }
  try check(status)
  guard let item = result as? NSDictionary, let data = item[kSecValueData as String] as? Data,
    let text = String(data: data, encoding: .utf8), let identifier = UUID(uuidString: text),
    item[kSecAttrGeneric as String] as? Data == withUnsafeBytes(of: identifier.uuid, { Data($0) })
  else { throw KeychainServicesStatus(errSecDecode) }
  return identifier
}
