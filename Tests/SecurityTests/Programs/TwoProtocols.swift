// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// An account on a server with one password for the web and another for mail.
func storeForTwoProtocols(server: String, account: String) throws {
  let passwords = [(kSecAttrProtocolHTTPS, readPassword()), (kSecAttrProtocolIMAPS, readPassword())]
  for (scheme, password) in passwords {
    var query = protocolQuery(server: server, account: account, scheme: scheme)
    query[kSecValueData as String] = password.data(using: .utf8)
    try check(SecItemAdd(query as CFDictionary, nil))
  }
  // There already is one for the same protocol.
  var again = protocolQuery(server: server, account: account, scheme: kSecAttrProtocolHTTPS)
  again[kSecValueData as String] = Data("another".utf8)
  print("again: \(SecItemAdd(again as CFDictionary, nil) == errSecDuplicateItem ? "duplicate" : "added")")

  for (scheme, name) in [(kSecAttrProtocolHTTPS, "https"), (kSecAttrProtocolIMAPS, "imaps")] {
    var query = protocolQuery(server: server, account: account, scheme: scheme)
    query[kSecReturnData as String] = kCFBooleanTrue!
    var result: AnyObject?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    print("\(name): \(String(decoding: result as! Data, as: UTF8.self))")
  }
  var smtp = protocolQuery(server: server, account: account, scheme: kSecAttrProtocolSMTP)
  smtp[kSecReturnData as String] = kCFBooleanTrue
  var none: AnyObject?
  print("smtp: \(SecItemCopyMatching(smtp as CFDictionary, &none) == errSecItemNotFound ? "none" : "found")")
}

private func protocolQuery(server: String, account: String, scheme: CFString) -> [String: Any] {
  [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrServer as String: server,
    kSecAttrAccount as String: account,
    kSecAttrProtocol as String: scheme,
  ]
}
