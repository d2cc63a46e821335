import Foundation
import Security

/// Asks for the keychain's passphrase itself, if the system doesn't.
func askForPassphrase(service: String, account: String) throws {
  #if os(Linux)
    SecKeychainSetPassphraseHandler { _ in
      print("asked")
      return readLine(strippingNewline: true).map { Data($0.utf8) }
    }
  #endif
  for (name, interface) in [("fail", kSecUseAuthenticationUIFail), ("allow", kSecUseAuthenticationUIAllow)] {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecReturnData as String: name == "allow",
      kSecUseAuthenticationUI as String: interface,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    let data = (result as? Data).map { " \(String(decoding: $0, as: UTF8.self))" } ?? ""
    print("\(name): \(status)\(data)")
  }
}
