// swift-format-ignore-file: NeverForceUnwrap
// The programs that this one represents are written that way.

import Foundation
import Security

/// A wrapper that identifies everything by a single name, used as the account without a service.
final class SimpleKeychain {
  private(set) var lastResultCode: OSStatus = noErr
  private let prefix: String
  private let lock = NSLock()

  init(prefix: String = "") {
    self.prefix = prefix
  }

  @discardableResult
  func set(_ value: Data, forKey key: String) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    remove(key)
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: prefix + key,
      kSecValueData as String: value,
      kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked as String,
    ]
    lastResultCode = SecItemAdd(query as CFDictionary, nil)
    return lastResultCode == noErr
  }

  @discardableResult
  func set(_ value: Bool, forKey key: String) -> Bool {
    set(Data([value ? 1 : 0]), forKey: key)
  }

  func get(_ key: String) -> Data? {
    lock.lock()
    defer { lock.unlock() }
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: prefix + key,
      kSecReturnData as String: kCFBooleanTrue!,
      kSecMatchLimit as String: kSecMatchLimitOne,
    ]
    var result: AnyObject?
    lastResultCode = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    return lastResultCode == noErr ? result as? Data : nil
  }

  @discardableResult
  func delete(_ key: String) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return remove(key)
  }

  var allKeys: [String] {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecReturnData as String: true,
      kSecReturnAttributes as String: true,
      kSecReturnPersistentRef as String: true,
      kSecMatchLimit as String: kSecMatchLimitAll,
    ]
    var result: AnyObject?
    lastResultCode = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard lastResultCode == noErr else { return [] }
    return (result as? [[String: Any]])?.compactMap { $0[kSecAttrAccount as String] as? String } ?? []
  }

  @discardableResult
  func clear() -> Bool {
    let query: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
    lastResultCode = SecItemDelete(query as CFDictionary)
    return lastResultCode == noErr
  }

  @discardableResult
  private func remove(_ key: String) -> Bool {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: prefix + key,
    ]
    lastResultCode = SecItemDelete(query as CFDictionary)
    return lastResultCode == noErr
  }
}

func accountOnly(_ verb: String, _ words: [String]) throws {
  let keychain = SimpleKeychain(prefix: "example.")
  switch (verb, words.count) {
  case ("set", 1): keychain.set(Data(readPassword().utf8), forKey: words[0])
  case ("flag", 1): keychain.set(true, forKey: words[0])
  case ("get", 1):
    if let value = keychain.get(words[0]) { print(String(decoding: value, as: UTF8.self)) }
  case ("keys", 0):
    for key in keychain.allKeys.sorted() { print(key) }
  case ("delete", 1): keychain.delete(words[0])
  case ("clear", 0): keychain.clear()
  default: throw Usage()
  }
  print("result: \(keychain.lastResultCode)")
}
