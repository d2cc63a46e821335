import Foundation
import Security

private let sharedService = "com.example.suite"

/// One program of a family stores what the others read.
func share(account: String, group: String) throws {
  let attributes =
    [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: sharedService,
      kSecAttrAccount: account,
      kSecAttrAccessGroup: group,
      kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
      kSecValueData: Data(readPassword().utf8),
    ] as [CFString: Any] as CFDictionary
  let status = SecItemAdd(attributes, nil)
  switch status {
  case errSecSuccess: print("stored")
  case errSecDuplicateItem: print("already there")
  default: throw KeychainServicesStatus(status)
  }
}

/// Another program of the family reads it.
func readShared(account: String, group: String) throws {
  let query =
    [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: sharedService,
      kSecAttrAccount: account,
      kSecAttrAccessGroup: group,
      kSecReturnAttributes: kCFBooleanTrue!,
      kSecReturnData: kCFBooleanTrue!,
    ] as [CFString: Any] as CFDictionary
  var result: AnyObject?
  try check(SecItemCopyMatching(query, &result))
  guard let item = result as? [CFString: Any], let data = item[kSecValueData] as? Data else {
    throw KeychainServicesStatus(errSecDecode)
  }
  print("group: \(item[kSecAttrAccessGroup] as? String ?? "none")")
  print("password: \(String(decoding: data, as: UTF8.self))")
}
