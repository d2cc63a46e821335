import Expectations
import Foundation
import Keychain
import Security
import Testing

/// A dictionary that is refused, and the status.
struct RefusalRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let expected: OSStatus
  let status: @Sendable (Calls) -> OSStatus

  init(_ description: String, _ expected: OSStatus, _ status: @escaping @Sendable (Calls) -> OSStatus) {
    testDescription = description
    self.expected = expected
    self.status = status
  }

  private static func generic(_ more: [String: Any]) -> [String: Any] {
    [kSecClass: kSecClassGenericPassword].merging(more) { $1 }
  }

  static let all = [
    RefusalRow("a null value", errSecParam) { $0.status(generic([kSecAttrAccount: NSNull()])) },
    RefusalRow("a value that is an empty optional", errSecParam) {
      $0.status(generic([kSecAttrAccount: String?.none as Any]))
    },
    RefusalRow("a fraction for a code", errSecParam) { $0.add(generic([kSecAttrCreator: 1.5])) },
    RefusalRow("a code of more than 32 bits", errSecParam) {
      $0.add(generic([kSecAttrCreator: 4_294_967_296]))
    },
    RefusalRow("a code of five characters", errSecParam) { $0.add(generic([kSecAttrType: "abcde"])) },
    RefusalRow("an accessibility that there isn't", errSecParam) {
      $0.add(generic([kSecAttrAccessible: "zz"]))
    },
    RefusalRow("a date beyond any keychain's", errSecParam) {
      $0.status(generic([kSecAttrCreationDate: Date(timeIntervalSince1970: 1e300)]))
    },
    RefusalRow("accessibility and access control that differ", errSecParam) { calls in
      let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil)
      return calls.add(
        generic([
          kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecAttrAccessControl: control as Any,
        ]))
    },
    RefusalRow("a limit that is a fraction", errSecParam) { $0.status(generic([kSecMatchLimit: 1.5])) },
    RefusalRow("a limit for a new item", errSecParam) {
      $0.add(generic([kSecMatchLimit: kSecMatchLimitOne]))
    },
    RefusalRow("a reference for a new item", errSecParam) {
      $0.add(generic([kSecValuePersistentRef: Data([1])]))
    },
    RefusalRow("two ways to name items", errSecParam) {
      $0.status(generic([kSecValuePersistentRef: Data(), kSecMatchItemList: [Data]()]))
    },
    RefusalRow("leaving out what is locked while deleting", errSecParam) {
      $0.delete(generic([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]))
    },
    RefusalRow("a keychain to add to, while searching", errSecParam) {
      $0.status(generic([kSecUseKeychain: "substitute"]))
    },
    RefusalRow("keychains to search, for a new item", errSecParam) {
      $0.add(generic([kSecMatchSearchList: ["substitute"]]))
    },
    RefusalRow("a search in no keychain", errSecParam) {
      $0.status(generic([kSecMatchSearchList: [String]()]))
    },
    RefusalRow("a certificate that is none", errSecDecode) {
      $0.add([kSecClass: kSecClassCertificate, kSecValueData: Data("none".utf8)])
    },
    RefusalRow("a key's attribute of a password", errSecNoSuchAttr) {
      $0.status(generic([kSecAttrApplicationTag: Data()]))
    },
    RefusalRow("an item on a token", errSecUnimplemented) {
      $0.status(generic([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]))
    },
  ]
}

@Suite struct RefusalTests {
  @Test(arguments: RefusalRow.all)
  func `what makes no sense is refused, and nothing is changed`(row: RefusalRow) throws {
    let calls = Calls()
    try calls.store.add(
      Item(GenericPassword(service: "s", account: "alice")), Credential(password: "rosebud"))
    let before = try calls.store.items(matching: .all)
    expect(row.status(calls), is: row.expected)
    try expect(calls.store.items(matching: .all), is: before)
  }

  @Test func `the same one of several faults is always reported`() {
    let query: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrServer: "s", "zz": 1, "u_x": 1]
    for _ in 1...20 { expect(Calls().status(query), is: errSecNoSuchAttr) }
  }

  @Test func `a dictionary of Foundation's is taken, and refused if its keys are no text`() {
    let calls = Calls()
    let query = NSMutableDictionary()
    query[kSecClass] = kSecClassGenericPassword
    KeychainAccess.withKeychain({ _ throws(KeychainError) in calls.store }) {
      expect(SecItemAdd(query, nil), is: errSecSuccess)
      expect(SecItemCopyMatching(query, nil), is: errSecSuccess)
      expect(SecItemUpdate(query, NSDictionary(dictionary: [kSecAttrLabel: "l"])), is: errSecSuccess)
      expect(SecItemDelete(query), is: errSecSuccess)
      query[NSNumber(value: 5)] = "x"
      expect(SecItemAdd(query, nil), is: errSecParam)
      expect(SecItemDelete(query), is: errSecParam)
    }
  }
}
