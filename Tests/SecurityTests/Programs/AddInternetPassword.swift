// swift-format-ignore-file: NeverForceUnwrap
// It is written so in the programs that this one stands for.

import Foundation
import Security

/// What a person types into a form for logging in.
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
