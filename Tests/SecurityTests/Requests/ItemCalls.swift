import Foundation
import Security
import Testing

/// The attributes of an item or a query.
typealias Attributes = [String: Any]

/// An internet password's attributes.
func internet(
  _ server: String = "example.com", _ account: String = "alice", _ more: Attributes = [:]
) -> Attributes {
  [kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecAttrAccount: account].with(more)
}

/// A generic password's attributes.
func generic(
  _ service: String = "com.example.app", _ account: String = "alice", _ more: Attributes = [:]
) -> Attributes {
  [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account].with(more)
}

/// A secret.
func secret(_ text: String) -> Attributes { [kSecValueData: Data(text.utf8)] }

extension Attributes {
  /// The attributes with others added, which take precedence.
  func with(_ more: Attributes) -> Attributes { merging(more) { $1 } }
  /// The attributes without one.
  func without(_ key: String) -> Attributes { filter { $0.key != key } }
}

/// Adds an item.
@discardableResult
func add(_ attributes: Attributes) -> OSStatus { SecItemAdd(attributes as CFDictionary, nil) }

/// Changes items.
func update(_ query: Attributes, _ changes: Attributes) -> OSStatus {
  SecItemUpdate(query as CFDictionary, changes as CFDictionary)
}

/// Deletes items.
@discardableResult
func delete(_ query: Attributes) -> OSStatus { SecItemDelete(query as CFDictionary) }

/// The status of a search without a result to fill.
func status(_ query: Attributes) -> OSStatus { SecItemCopyMatching(query as CFDictionary, nil) }

/// The status and the result of a search.
func find(_ query: Attributes) -> (status: OSStatus, value: AnyObject?) {
  var value: AnyObject?
  let status = SecItemCopyMatching(query as CFDictionary, &value)
  return (status, value)
}

/// The attributes of the first item; `nil` if none matches.
func attributes(_ query: Attributes) -> Attributes? {
  find(query.with([kSecReturnAttributes: true])).value as? [String: Any]
}

/// The secret of the first item, as text; `nil` if none matches.
func password(_ query: Attributes) -> String? {
  (find(query.with([kSecReturnData: true])).value as? Data).map { String(decoding: $0, as: UTF8.self) }
}

/// The values of one attribute of all items that match, sorted.
func all(_ attribute: String, _ query: Attributes) -> [String] {
  let found = find(query.with([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]))
  return (found.value as? [[String: Any]] ?? []).map { $0[attribute] as? String ?? "" }.sorted()
}

/// Whether two values of attributes are equal; digits are equal to their number.
func same(_ left: Any?, _ right: Any?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (let left as Data, let right as Data): left == right
  case (let left as Date, let right as Date): left == right
  case (let left as String, let right as String): left == right
  case (let left as NSNumber, let right as NSNumber): left == right
  case (let left as NSNumber, let right as String): left.stringValue == right
  default: false
  }
}
