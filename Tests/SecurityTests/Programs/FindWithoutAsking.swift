import Foundation
import Security

/// Searches in the background, where nobody may be asked to unlock anything: once with an error for locked items, and
/// once skipping them.
func findWithoutAsking(service: String, account: String) throws {
  for (name, interface) in [("fail", kSecUseAuthenticationUIFail), ("skip", kSecUseAuthenticationUISkip)] {
    printFound(service, account, name, interface, returnsData: true)
  }
}

/// Searches for a generic password with this authentication UI, and prints the outcome.
func printFound(_ service: String, _ account: String, _ name: String, _ interface: Any, returnsData: Bool) {
  let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: service,
    kSecAttrAccount as String: account,
    kSecReturnData as String: returnsData,
    kSecUseAuthenticationUI as String: interface,
  ]
  var result: CFTypeRef?
  let status = SecItemCopyMatching(query as CFDictionary, &result)
  let data = (result as? Data).map { " \(String(decoding: $0, as: UTF8.self))" } ?? ""
  print("\(name): \(status)\(data)")
}
