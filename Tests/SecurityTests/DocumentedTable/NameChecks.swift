import Expectations
import Foundation
import Security
import Testing

/// A check for each public name whose row makes a claim that the checks for whole tables can't test.
let nameChecks: KeyValuePairs<String, @Sendable () throws -> Void> = [
  // Types
  "OSStatus": { expect(OSStatus.self == Int32.self) },
  "CFTypeRef": { expect(Optional<CFTypeRef>.self == Optional<AnyObject>.self) },
  "CFString": { expect(CFString.self == String.self) },
  "CFDictionary": { expect(CFDictionary.self == NSDictionary.self) },
  "CFMutableDictionary": {
    let item: CFMutableDictionary = NSMutableDictionary()
    item[kSecClass] = kSecClassGenericPassword
    item[kSecAttrService] = "mutable"
    expect(SecItemAdd(item as CFDictionary, nil), is: errSecSuccess)
    expect(status(generic("mutable").without(kSecAttrAccount)), is: errSecSuccess)
  },
  "CFData": { expect(CFData.self == Data.self) },
  "CFArray": { expect(CFArray.self == [Any].self) },
  "CFDate": { expect(CFDate.self == Date.self) },
  "CFBoolean": { expect(CFBoolean.self == NSNumber.self) },
  "CFNumber": {
    let port = 8443
    expect(add(internet().with([kSecAttrPort: port as CFNumber])), is: errSecSuccess)
    expect(status(internet().with([kSecAttrPort: NSNumber(value: 8443) as CFNumber])), is: errSecSuccess)
    expect(status(internet().with([kSecAttrPort: UInt16(8444) as CFNumber])), is: errSecItemNotFound)
  },
  "CFError": { expect(CFError.self == NSError.self) },
  "CFIndex": { expect(CFIndex.self == Int.self) },
  "CFOptionFlags": { expect(CFOptionFlags.self == UInt.self) },
  "kCFBooleanTrue": {
    expect(kCFBooleanTrue, is: true)
    let hidden: Attributes = [kSecAttrIsInvisible: kCFBooleanTrue as Any]
    expect(add(generic().with(secret("s")).with(hidden)), is: errSecSuccess)
    expect(find(generic().with([kSecReturnData: kCFBooleanTrue as Any])).value as? Data, is: Data("s".utf8))
  },
  "kCFBooleanFalse": {
    expect(kCFBooleanFalse, is: false)
    expect(add(generic().with(secret("s"))), is: errSecSuccess)
    expect(find(generic().with([kSecReturnData: kCFBooleanFalse as Any])).value == nil)
  },
  "CFAllocator": { expect(kCFAllocatorDefault == nil) },
  "kCFAllocatorDefault": { expect(kCFAllocatorDefault == nil) },
  "SecKeychainItem": { try checkReference() },
  "SecKeychainItemRef": { expect(SecKeychainItemRef.self == SecKeychainItem.self) },
  "SecAccessControl": { try checkAccessControl() },
  "SecAccessControlCreateFlags": { try checkAccessControl() },
  "SecAccessControlCreateWithFlags": { try checkAccessControl() },
  "kSecAttrAccessControl": { try checkAccessControl() },
  "SecCertificate": { try checkCertificate() },
  "SecCertificateCreateWithData": { try checkCertificate() },
  "SecCertificateCopyData": { try checkCertificate() },
  "SecRandom": { checkRandom() },
  "SecRandomRef": { expect(SecRandomRef.self == SecRandom.self) },
  "kSecRandomDefault": { checkRandom() },
  "SecRandomCopyBytes": { checkRandom() },

  // Functions
  "SecItemAdd": rule("add a duplicate"),
  "SecItemCopyMatching": {
    add(generic().with(secret("s")))
    var result: AnyObject?
    let query = generic().with([kSecReturnData: true])
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    expect(status, is: errSecSuccess)
    expect(result as? Data, is: Data("s".utf8))
  },
  "SecItemUpdate": rule("update without a search"),
  "SecItemDelete": rule("delete every match"),
  "SecCopyErrorMessageString": {
    expect(SecCopyErrorMessageString(errSecSuccess, nil) as String? == "No error.")
    expect(SecCopyErrorMessageString(-12_345, nil) as String? == "OSStatus -12345")
  },

  // Classes
  "kSecClass": {
    expect(add([kSecClass: kSecClassGenericPassword]), is: errSecSuccess)
    expect(
      attributes([kSecClass: kSecClassGenericPassword])?[kSecClass] as? String, is: kSecClassGenericPassword)
  },
  "kSecClassInternetPassword": { checkClass(kSecClassInternetPassword) },
  "kSecClassGenericPassword": { checkClass(kSecClassGenericPassword) },
  "kSecClassCertificate": { checkClass(kSecClassCertificate) },
  "kSecClassKey": { checkClass(kSecClassKey) },
  "kSecClassIdentity": { checkClass(kSecClassIdentity) },

  // Attributes with special rules
  "kSecAttrCreationDate": { checkDate(kSecAttrCreationDate) },
  "kSecAttrModificationDate": { checkDate(kSecAttrModificationDate) },
  "kSecAttrSynchronizableAny": {
    add(generic("s", "local"))
    add(generic("s", "cloud", [kSecAttrSynchronizable: true]))
    let query: Attributes = [
      kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
    ]
    expect(all(kSecAttrAccount, query), is: ["cloud", "local"])
    expect(update(query, [kSecAttrComment: "c"]), is: errSecSuccess)
    expect(all(kSecAttrAccount, query.with([kSecAttrComment: "c"])), is: ["cloud", "local"])
    expect(delete(query), is: errSecSuccess)
    expect(all(kSecAttrAccount, query), is: [])
  },
  "kSecAttrAccessGroupToken": {
    add(generic("s", "a", [kSecAttrAccessGroup: kSecAttrAccessGroupToken]))
    add(generic("s", "b"))
    let query: Attributes = [kSecClass: kSecClassGenericPassword]
    expect(all(kSecAttrAccount, query.with([kSecAttrAccessGroup: kSecAttrAccessGroupToken])), is: ["a"])
  },

  // Results and values
  "kSecReturnData": {
    add(generic().with(secret("s")))
    let value = find(generic().with([kSecReturnData: true])).value
    expect(value is Data)
    expect(value as? Data, is: Data("s".utf8))
    expect(value as? NSData, is: NSData(data: Data("s".utf8)))
  },
  "kSecReturnAttributes": {
    add(generic().with(secret("s")))
    let value = find(generic().with([kSecReturnAttributes: true])).value
    expect((value as? [String: Any])?[kSecAttrAccount] as? String, is: "alice")
    expect((value as? [String: AnyObject])?[kSecAttrAccount] as? String, is: "alice")
    expect((value as? NSDictionary)?[kSecAttrAccount] as? String, is: "alice")
  },
  "kSecReturnRef": { try checkReference() },
  "kSecReturnPersistentRef": { try checkPersistentReference() },
  "kSecValueData": {
    add(generic().with([kSecValueData: Data([0, 255, 10])]))
    let value =
      find(generic().with([kSecReturnData: true, kSecReturnAttributes: true])).value as? [String: Any]
    expect(value?[kSecValueData] as? Data, is: Data([0, 255, 10]))
  },
  "kSecValueRef": { try checkReference() },
  "kSecValuePersistentRef": { try checkPersistentReference() },

  // Matching
  "kSecMatchLimit": rule("limit of a number"),
  "kSecMatchLimitOne": rule("limit one"),
  "kSecMatchLimitAll": rule("limit all"),
  "kSecMatchItemList": {
    for account in ["a", "b", "c"] { add(generic("s", account).with(secret(account))) }
    let query: Attributes = [
      kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll,
    ]
    let references = try ["a", "c"].map {
      try #require(find(generic("s", $0).with([kSecReturnRef: true])).value)
    }
    expect(all(kSecAttrAccount, query.with([kSecMatchItemList: references])), is: ["a", "c"])
    expect(all(kSecAttrAccount, query.with([kSecMatchItemList: references, kSecAttrAccount: "b"])), is: [])
    let stored = try ["b"].map {
      try #require(find(generic("s", $0).with([kSecReturnPersistentRef: true])).value as? Data)
    }
    expect(all(kSecAttrAccount, query.with([kSecMatchItemList: stored])), is: ["b"])
    expect(status(query.with([kSecMatchItemList: [AnyObject]()])), is: errSecItemNotFound)
    expect(status(query.with([kSecMatchItemList: ["a"]])), is: errSecParam)
  },
  "kSecMatchSearchList": {
    add(generic())
    let query = generic()
    let name = "substitute"
    expect(status(query.with([kSecMatchSearchList: [name]])), is: errSecSuccess)
    expect(status(query.with([kSecMatchSearchList: [name, "nowhere"]])), is: errSecSuccess)
    expect(status(query.with([kSecMatchSearchList: ["nowhere", "elsewhere"]])), is: errSecItemNotFound)
    expect(status(query.with([kSecMatchSearchList: ["nowhere"]])), is: errSecNoSuchKeychain)
    expect(status(query.with([kSecMatchSearchList: name])), is: errSecParam)
  },
  "kSecUseKeychain": {
    let name = "substitute"
    expect(add(generic("a", "b", [kSecUseKeychain: name])), is: errSecSuccess)
    expect(status(generic("a", "b")), is: errSecSuccess)
    expect(add(generic("a", "c", [kSecUseKeychain: "nowhere"])), is: errSecNoSuchKeychain)
    expect(add(generic("a", "c", [kSecUseKeychain: 1])), is: errSecParam)
  },
  "kSecMatchHostOrSubdomainOfHost": rule("host or subdomain of another class"),
  "kSecMatchCaseInsensitive": {
    add(generic("Service", "Alice", [kSecAttrLabel: "Grüße"]))
    let query = generic("SERVICE", "aLICE")
    expect(status(query), is: errSecItemNotFound)
    expect(status(query.with([kSecMatchCaseInsensitive: false])), is: errSecItemNotFound)
    expect(status(query.with([kSecMatchCaseInsensitive: true])), is: errSecSuccess)
    let label: Attributes = [kSecClass: kSecClassGenericPassword, kSecMatchCaseInsensitive: true]
    expect(status(label.with([kSecAttrLabel: "gRüßE"])), is: errSecSuccess)
    expect(status(label.with([kSecAttrLabel: "GRÜßE"])), is: errSecSuccess)
    expect(status(label.with([kSecAttrLabel: "Gruße"])), is: errSecItemNotFound)
  },

  // Use of an unlocked keychain; ProgramTests tests the others
  "kSecUseAuthenticationUI": { checkUnlocked() },
  "kSecUseAuthenticationUIAllow": { checkUnlocked() },
  "kSecUseAuthenticationUIFail": { checkUnlocked() },
  "kSecUseAuthenticationUISkip": { checkUnlocked() },
  "kSecUseNoAuthenticationUI": { checkUnlocked() },
  "kSecUseOperationPrompt": { checkIndifference(kSecUseOperationPrompt, values: ["Unlock, please"]) },
  "kSecUseDataProtectionKeychain": {
    checkIndifference(kSecUseDataProtectionKeychain, values: [true, false])
  },
]

/// The check of a rule, for a name that does what the rule says.
private func rule(_ title: String) -> @Sendable () throws -> Void {
  guard let check = ruleChecks.first(where: { $0.key == title }) else {
    preconditionFailure("there is no rule \(title)")
  }
  return check.value
}

private func checkReference() throws {
  add(generic().with(secret("s")))
  let reference = try #require(find(generic().with([kSecReturnRef: true])).value)
  expect(reference is SecKeychainItem)
  expect(password([kSecClass: kSecClassGenericPassword, kSecValueRef: reference]), is: "s")
  expect(
    update([kSecClass: kSecClassGenericPassword, kSecValueRef: reference], secret("t")), is: errSecSuccess)
  expect(password(generic()), is: "t")
  expect(status([kSecClass: kSecClassGenericPassword, kSecValueRef: "no reference"]), is: errSecParam)
  expect(delete([kSecClass: kSecClassGenericPassword, kSecValueRef: reference]), is: errSecSuccess)
  expect(status(generic()), is: errSecItemNotFound)
}

private func checkPersistentReference() throws {
  add(generic().with(secret("s")))
  add(generic("com.example.other").with(secret("other")))
  let reference = try #require(find(generic().with([kSecReturnPersistentRef: true])).value as? Data)
  expect(password([kSecValuePersistentRef: reference]), is: "s")
  expect(update([kSecValuePersistentRef: reference], secret("t")), is: errSecSuccess)
  expect(password(generic()), is: "t")
  expect(password(generic("com.example.other")), is: "other")
  for wrong in [Data(), Data([1, 2, 3]), reference.dropLast(), "text"] as [Any] {
    expect(status([kSecValuePersistentRef: wrong]) != errSecSuccess)
    expect(delete([kSecValuePersistentRef: wrong]) != errSecSuccess)
  }
  expect(delete([kSecValuePersistentRef: reference]), is: errSecSuccess)
  expect(status(generic()), is: errSecItemNotFound)
  expect(password(generic("com.example.other")), is: "other")
}

private func checkAccessControl() throws {
  var error: Unmanaged<CFError>?
  let plain = try #require(
    SecAccessControlCreateWithFlags(kCFAllocatorDefault, kSecAttrAccessibleAfterFirstUnlock, [], &error))
  expect(error == nil)
  expect(add(generic().with([kSecAttrAccessControl: plain])), is: errSecSuccess)
  expect(attributes(generic())?[kSecAttrAccessible] as? String, is: kSecAttrAccessibleAfterFirstUnlock)
  for flags in [.userPresence, .biometryAny, .devicePasscode, .privateKeyUsage]
    as [SecAccessControlCreateFlags]
  {
    let guarded = try #require(
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
    expect(add(generic("guarded").with([kSecAttrAccessControl: guarded])), is: errSecUnimplemented)
    expect(update(generic(), [kSecAttrAccessControl: guarded]), is: errSecUnimplemented)
  }
  expect(status(generic("guarded")), is: errSecItemNotFound)
  expect(SecAccessControlCreateWithFlags(nil, "no such accessibility", [], &error) == nil)
  expect(error?.takeRetainedValue().code, is: Int(errSecParam))
}

private func checkCertificate() throws {
  let certificate = try #require(
    SecCertificateCreateWithData(kCFAllocatorDefault, certificateForTests as CFData))
  expect(SecCertificateCopyData(certificate) as Data == certificateForTests)
  expect(SecCertificateCreateWithData(nil, certificateForTests.dropLast()) == nil)
  expect(SecCertificateCreateWithData(nil, Data("text".utf8)) == nil)
  let query: Attributes = [kSecClass: kSecClassCertificate, kSecAttrLabel: "l"]
  expect(add(query.with([kSecValueRef: certificate])), is: errSecSuccess)
  expect(find(query.with([kSecReturnData: true])).value as? Data, is: certificateForTests)
  let found = try #require(find(query.with([kSecReturnRef: true])).value)
  let reference = try #require(found as? SecCertificate)
  expect(SecCertificateCopyData(reference) as Data == certificateForTests)
  expect(
    attributes(query)?[kSecAttrSerialNumber] as? Data,
    is: Data([0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0]))
}

private func checkRandom() {
  var (one, two) = ([UInt8](repeating: 0, count: 600), [UInt8](repeating: 0, count: 600))
  expect(SecRandomCopyBytes(kSecRandomDefault, 600, &one), is: errSecSuccess)
  expect(SecRandomCopyBytes(nil, 600, &two), is: errSecSuccess)
  expect(one != two)
  expect(one.suffix(44).contains { $0 != 0 })
  expect(SecRandomCopyBytes(kSecRandomDefault, -1, &one), is: errSecParam)
}

/// An item of the class is stored, found by its attributes alone among those of other classes, and deleted.
private func checkClass(_ itemClass: String) {
  let classes = [
    kSecClassInternetPassword, kSecClassGenericPassword, kSecClassCertificate, kSecClassKey,
    kSecClassIdentity,
  ]
  for one in classes { expect(add(AttributeCheck.base(one)), is: errSecSuccess, "\(one)") }
  let query: Attributes = [kSecClass: itemClass]
  expect(attributes(query)?[kSecClass] as? String, is: itemClass)
  let expected = AttributeCheck.base(itemClass)[kSecValueData] as? Data ?? Data()
  expect(find(query.with([kSecReturnData: true])).value as? Data, is: expected)
  expect(update(query, [kSecAttrLabel: "l"]), is: errSecSuccess)
  for one in classes {
    expect(status([kSecClass: one, kSecAttrLabel: "l"]) == errSecSuccess, is: one == itemClass, "\(one)")
  }
  expect(delete(query), is: errSecSuccess)
  for one in classes { expect(status([kSecClass: one]) == errSecSuccess, is: one != itemClass, "\(one)") }
}

private func checkDate(_ name: String) {
  add(generic("s", "a"))
  let date = attributes(generic("s", "a"))?[name] as? Date
  expect(date.map { abs($0.timeIntervalSinceNow) < 60 }, is: true)
  expect(update(generic("s", "a"), [name: Date(timeIntervalSince1970: 1)]), is: errSecReadOnlyAttr)
  // A date finds the items that have it.
  let query: Attributes = [kSecClass: kSecClassGenericPassword]
  expect(status(query.with([name: date as Any])), is: errSecSuccess)
  expect(status(query.with([name: Date(timeIntervalSince1970: 0)])), is: errSecItemNotFound)
  expect(status(query.with([name: "today"])), is: errSecParam)
  expect(status([kSecClass: kSecClassCertificate, name: date as Any]), is: errSecItemNotFound)
}

/// While the keychain is open, it makes no difference who may be asked to open it.
private func checkUnlocked() {
  add(generic().with(secret("s")))
  for interface in [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip] {
    expect(password(generic().with([kSecUseAuthenticationUI: interface])), is: "s", "\(interface)")
  }
  for value in [true, false] { expect(password(generic().with([kSecUseNoAuthenticationUI: value])), is: "s") }
  expect(status(generic().with([kSecUseAuthenticationUI: "u_AuthUIX"])), is: errSecParam)
}
