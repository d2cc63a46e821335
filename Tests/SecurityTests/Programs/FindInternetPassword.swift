import Foundation
import Security

/// Finds the password for a server, with its account.
func findInternetPassword(server: String) throws {
  let query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrServer as String: server,
    kSecMatchLimit as String: kSecMatchLimitOne,
    kSecReturnAttributes as String: true,
    kSecReturnData as String: true,
  ]
  var item: CFTypeRef?
  let status = SecItemCopyMatching(query as CFDictionary, &item)
  guard status != errSecItemNotFound else { throw InternetPasswordError.noPassword }
  guard status == errSecSuccess else { throw InternetPasswordError.unhandledError(status: status) }

  guard let found = item as? [String: Any],
    let secret = found[kSecValueData as String] as? Data,
    let password = String(data: secret, encoding: String.Encoding.utf8),
    let account = found[kSecAttrAccount as String] as? String
  else { throw InternetPasswordError.unexpectedPasswordData }
  let login = Login(account: account, password: password)
  print("account: \(login.account)")
  print("password: \(login.password)")
  if let path = found[kSecAttrPath as String] as? String, !path.isEmpty { print("path: \(path)") }
}
