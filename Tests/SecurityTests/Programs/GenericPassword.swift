// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// A generic password for a service.
struct KeychainPasswordItem {
  enum Failure: Error, Equatable {
    case noPassword
    case unexpectedPasswordData
    case unexpectedItemData
    case unhandledError(OSStatus)
  }

  let service: String
  private(set) var account: String
  let accessGroup: String?

  init(service: String, account: String, accessGroup: String? = nil) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup
  }

  func readPassword() throws -> String {
    var query = Self.query(service: service, account: account, accessGroup: accessGroup)
    query[kSecMatchLimit as String] = kSecMatchLimitOne as AnyObject
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanTrue

    var queryResult: AnyObject?
    let status = withUnsafeMutablePointer(to: &queryResult) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status != errSecItemNotFound else { throw Failure.noPassword }
    guard status == noErr else { throw Failure.unhandledError(status) }

    guard let existing = queryResult as? [String: AnyObject],
      let data = existing[kSecValueData as String] as? Data,
      let password = String(data: data, encoding: String.Encoding.utf8)
    else { throw Failure.unexpectedPasswordData }
    return password
  }

  func savePassword(_ password: String) throws {
    let encoded = password.data(using: String.Encoding.utf8)!
    do {
      _ = try readPassword()
      var changes = [String: AnyObject]()
      changes[kSecValueData as String] = encoded as AnyObject?
      let query = Self.query(service: service, account: account, accessGroup: accessGroup)
      let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
      guard status == noErr else { throw Failure.unhandledError(status) }
    } catch Failure.noPassword {
      var item = Self.query(service: service, account: account, accessGroup: accessGroup)
      item[kSecValueData as String] = encoded as AnyObject?
      let status = SecItemAdd(item as CFDictionary, nil)
      guard status == noErr else { throw Failure.unhandledError(status) }
    }
  }

  mutating func renameAccount(_ name: String) throws {
    var changes = [String: AnyObject]()
    changes[kSecAttrAccount as String] = name as AnyObject?
    let query = Self.query(service: service, account: account, accessGroup: accessGroup)
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else { throw Failure.unhandledError(status) }
    account = name
  }

  func deleteItem() throws {
    let query = Self.query(service: service, account: account, accessGroup: accessGroup)
    let status = SecItemDelete(query as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else { throw Failure.unhandledError(status) }
  }

  static func items(service: String, accessGroup: String? = nil) throws -> [KeychainPasswordItem] {
    var query = self.query(service: service, accessGroup: accessGroup)
    query[kSecMatchLimit as String] = kSecMatchLimitAll as AnyObject
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanFalse

    var queryResult: AnyObject?
    let status = withUnsafeMutablePointer(to: &queryResult) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status != errSecItemNotFound else { return [] }
    guard status == noErr else { throw Failure.unhandledError(status) }
    guard let found = queryResult as? [[String: AnyObject]] else { throw Failure.unexpectedItemData }
    return try found.map {
      guard let account = $0[kSecAttrAccount as String] as? String else { throw Failure.unexpectedItemData }
      return KeychainPasswordItem(service: service, account: account, accessGroup: accessGroup)
    }
  }

  private static func query(
    service: String, account: String? = nil, accessGroup: String? = nil
  ) -> [String: AnyObject] {
    var query = [String: AnyObject]()
    query[kSecClass as String] = kSecClassGenericPassword as AnyObject?
    query[kSecAttrService as String] = service as AnyObject?
    if let account { query[kSecAttrAccount as String] = account as AnyObject? }
    if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup as AnyObject? }
    return query
  }
}

/// Finds, updates, renames, lists and deletes generic passwords by service and account.
func genericPassword(_ verb: String, _ words: [String]) throws {
  let service = words[0]
  switch (verb, words.count) {
  case ("save", 2):
    try KeychainPasswordItem(service: service, account: words[1]).savePassword(readPassword())
    print("saved")
  case ("read", 2):
    do {
      print(try KeychainPasswordItem(service: service, account: words[1]).readPassword())
    } catch KeychainPasswordItem.Failure.noPassword {
      print("none")
    }
  case ("rename", 3):
    var item = KeychainPasswordItem(service: service, account: words[1])
    try item.renameAccount(words[2])
    print("now \(item.account)")
  case ("accounts", 1):
    for account in try KeychainPasswordItem.items(service: service).map(\.account).sorted() { print(account) }
  case ("delete", 2):
    try KeychainPasswordItem(service: service, account: words[1]).deleteItem()
    print("deleted")
  default: throw Usage()
  }
}
