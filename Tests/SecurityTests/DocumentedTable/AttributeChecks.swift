import Expectations
import Foundation
import Security
import Testing

/// Checks that hold for every attribute: an item can be added with it, found by it, and changed in it. A value of
/// another type is refused, and so is the attribute for a class that doesn't have it.
struct AttributeCheck {
  let attribute: String
  /// Two values to try.
  let values: (Any, Any)
  let classes: Set<String>

  /// - Parameters:
  ///   - type: the type, as in the column *Type*.
  ///   - classes: the classes, as in the column *Classes*.
  init?(attribute: String, type: String, classes: String) {
    guard let values = Self.values(attribute, type) else { return nil }
    self.attribute = attribute
    self.values = values
    self.classes = Set(classes.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
  }

  private static func values(_ attribute: String, _ type: String) -> (Any, Any)? {
    switch (type, attribute) {
    case ("Code", kSecAttrProtocol): (kSecAttrProtocolHTTPS, kSecAttrProtocolIMAP)
    case ("Code", kSecAttrAuthenticationType):
      (kSecAttrAuthenticationTypeHTMLForm, kSecAttrAuthenticationTypeNTLM)
    case ("Code", kSecAttrKeyClass): (kSecAttrKeyClassPrivate, kSecAttrKeyClassSymmetric)
    case ("Code", kSecAttrKeyType): (kSecAttrKeyTypeRSA, kSecAttrKeyTypeEC)
    case ("String", kSecAttrAccessible):
      (kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
    case ("String", _): ("one: Zoë's “first” | value", "TWO\tvalue 🔑")
    case ("Number", kSecAttrCertificateType), ("Number", kSecAttrCertificateEncoding): (1, 3)
    case ("Number", _): (8443, 1025)
    case ("Data", _): (Data([0, 255, 10, 13, 0x41]), Data([0x42, 0]))
    case ("Bool", _): (true, false)
    default: nil
    }
  }

  func run() {
    for itemClass in [
      kSecClassInternetPassword, kSecClassGenericPassword, kSecClassCertificate, kSecClassKey,
      kSecClassIdentity,
    ] {
      if classes.contains(itemClass) { roundTrip(itemClass) } else { refusal(itemClass) }
    }
  }

  /// The attributes that identify an item of a class.
  static func base(_ itemClass: String) -> Attributes {
    switch itemClass {
    case kSecClassInternetPassword: internet("base.example")
    case kSecClassGenericPassword: generic("base.example")
    case kSecClassKey:
      [kSecClass: kSecClassKey, kSecAttrApplicationLabel: Data("base".utf8)].with(secret("key"))
    default:
      [
        kSecClass: itemClass, kSecAttrIssuer: Data("issuer".utf8), kSecAttrSerialNumber: Data([1]),
        kSecValueData: certificateForTests,
      ]
    }
  }

  private func roundTrip(_ itemClass: String) {
    let base = Self.base(itemClass)
    func query(_ value: Any) -> Attributes {
      [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny].with([attribute: value])
    }
    let (one, two) = values
    expect(status(query(one)), is: errSecItemNotFound, "\(itemClass): not there yet")
    expect(add(base.with([attribute: one])), is: errSecSuccess, "\(itemClass): add")
    expect(same(attributes(query(one))?[attribute], one), "\(itemClass): find by the first value")
    expect(status(query(two)), is: errSecItemNotFound, "\(itemClass): the second value isn't there")
    expect(update(query(one), [attribute: two]), is: errSecSuccess, "\(itemClass): update")
    expect(same(attributes(query(two))?[attribute], two), "\(itemClass): find by the second value")
    expect(status(query(one)), is: errSecItemNotFound, "\(itemClass): the first value is gone")
    for wrong in [[1, 2], ["a": 1]] as [Any] {
      expect(add(base.with([attribute: wrong])), is: errSecParam, "\(itemClass): add with \(wrong)")
      expect(status(query(wrong)), is: errSecParam, "\(itemClass): find with \(wrong)")
      expect(update(query(two), [attribute: wrong]), is: errSecParam, "\(itemClass): update with \(wrong)")
    }
    expect(same(attributes(query(two))?[attribute], two), "\(itemClass): nothing wrong was kept")
    expect(delete(query(two)), is: errSecSuccess, "\(itemClass): delete")
    expect(
      status([kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny]),
      is: errSecItemNotFound)
  }

  private func refusal(_ itemClass: String) {
    let base = Self.base(itemClass)
    expect(add(base.with([attribute: values.0])), is: errSecNoSuchAttr, "\(itemClass): add")
    expect(status([kSecClass: itemClass]), is: errSecItemNotFound, "\(itemClass): nothing was added")
    expect(add(base), is: errSecSuccess)
    expect(status([kSecClass: itemClass, attribute: values.0]), is: errSecNoSuchAttr, "\(itemClass): find")
    expect(
      update([kSecClass: itemClass], [attribute: values.0]), is: errSecNoSuchAttr, "\(itemClass): update")
    expect(delete([kSecClass: itemClass, attribute: values.0]), is: errSecNoSuchAttr, "\(itemClass): delete")
    expect(delete(base.without(kSecValueData)), is: errSecSuccess)
  }
}

/// Checks that hold for every value that an attribute can have: it is stored, found and returned, and no other value
/// is.
func checkValue(_ value: String, of attribute: String) {
  let itemClass =
    switch attribute {
    case kSecAttrProtocol, kSecAttrAuthenticationType: kSecClassInternetPassword
    case kSecAttrKeyClass, kSecAttrKeyType: kSecClassKey
    default: kSecClassGenericPassword
    }
  let base = AttributeCheck.base(itemClass)
  let other =
    switch attribute {
    case kSecAttrProtocol: value == kSecAttrProtocolSSH ? kSecAttrProtocolHTTP : kSecAttrProtocolSSH
    case kSecAttrAuthenticationType:
      value == kSecAttrAuthenticationTypeRPA ? kSecAttrAuthenticationTypeDPA : kSecAttrAuthenticationTypeRPA
    case kSecAttrKeyClass: value == kSecAttrKeyClassPublic ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic
    case kSecAttrKeyType: value == kSecAttrKeyTypeRSA ? kSecAttrKeyTypeEC : kSecAttrKeyTypeRSA
    default:
      value == kSecAttrAccessibleAlways ? kSecAttrAccessibleWhenUnlocked : kSecAttrAccessibleAlways
    }
  expect(add(base.with([attribute: value])), is: errSecSuccess)
  expect(same(attributes([kSecClass: itemClass, attribute: value])?[attribute], value))
  expect(status([kSecClass: itemClass, attribute: other]), is: errSecItemNotFound)
  if attribute == kSecAttrProtocol {
    // A number made of the four letters means the same.
    let number = value.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    expect(status([kSecClass: itemClass, attribute: number]), is: errSecSuccess)
    expect(add(base.with([attribute: other])), is: errSecSuccess, "another protocol is another item")
    expect(add(base.with([attribute: value])), is: errSecDuplicateItem)
    expect(delete([kSecClass: itemClass, attribute: other]), is: errSecSuccess)
  }
  expect(delete([kSecClass: itemClass, attribute: value]), is: errSecSuccess)
  expect(status([kSecClass: itemClass]), is: errSecItemNotFound)
}

/// Checks that hold for every name that is refused: nothing can be added, found or changed with it.
func checkRefusal(_ key: String, with status: OSStatus, values: [Any]) {
  expect(add(generic().with(secret("s3cret"))), is: errSecSuccess)
  for value in values {
    expect(add(generic("another").with([key: value])), is: status, "add with \(value)")
    expect(find(generic().with([key: value, kSecReturnData: true])).status, is: status, "find with \(value)")
    expect(find(generic().with([key: value, kSecReturnData: true])).value == nil, "find with \(value)")
    expect(delete(generic().with([key: value])), is: status, "delete with \(value)")
  }
  expect(all(kSecAttrService, [kSecClass: kSecClassGenericPassword]), is: ["com.example.app"])
  expect(password(generic()), is: "s3cret")
}

/// Checks that hold for every name that is accepted and has no effect.
func checkIndifference(_ key: String, values: [Any]) {
  for value in values {
    expect(add(generic().with(secret("s3cret")).with([key: value])), is: errSecSuccess, "add with \(value)")
    expect(password(generic().with([key: value])), is: "s3cret", "find with \(value)")
    expect(password(generic()), is: "s3cret", "find without")
    expect(attributes(generic())?[key] == nil, "nothing of it is kept")
    expect(update(generic().with([key: value]), secret("newer")), is: errSecSuccess, "update with \(value)")
    expect(delete(generic().with([key: value])), is: errSecSuccess, "delete with \(value)")
  }
}
