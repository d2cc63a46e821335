// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// The contents of a login form.
struct Login {
  var account: String
  var password: String
}

enum InternetPasswordError: Error {
  case noPassword
  case unexpectedPasswordData
  case unhandledError(status: OSStatus)
}

/// Adds an internet password for a server and an account.
func addInternetPassword(server: String, account: String, path: String?) throws {
  let login = Login(account: account, password: readPassword())
  let secret = login.password.data(using: String.Encoding.utf8)!
  var query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrAccount as String: login.account,
    kSecAttrServer as String: server,
    kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
    kSecValueData as String: secret,
  ]
  if let path { query[kSecAttrPath as String] = path }

  let status = SecItemAdd(query as CFDictionary, nil)
  guard status == errSecSuccess else { throw InternetPasswordError.unhandledError(status: status) }
  print("added")
}
