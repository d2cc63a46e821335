import Foundation
import Security

/// Stores a certificate under a label, and finds it by its serial number and by its label.
func certificate(label: String, file: String) throws {
  let encoded = try Data(contentsOf: URL(fileURLWithPath: file))
  let item: [String: Any] = [
    kSecClass as String: kSecClassCertificate,
    kSecAttrLabel as String: label,
    kSecValueData as String: encoded,
  ]
  let status = SecItemAdd(item as CFDictionary, nil)
  print("add: \(status == errSecDuplicateItem ? "duplicate" : "\(status)")")

  let byLabel: [String: Any] = [
    kSecClass as String: kSecClassCertificate,
    kSecAttrLabel as String: label,
    kSecReturnAttributes as String: true,
  ]
  var result: CFTypeRef?
  try check(SecItemCopyMatching(byLabel as CFDictionary, &result))
  guard let found = result as? [String: Any], let serial = found[kSecAttrSerialNumber as String] as? Data,
    let issuer = found[kSecAttrIssuer as String] as? Data
  else { throw KeychainServicesStatus(errSecDecode) }
  print("serial: \(serial.map { String(format: "%02x", $0) }.joined())")

  let bySerial: [String: Any] = [
    kSecClass as String: kSecClassCertificate,
    kSecAttrSerialNumber as String: serial,
    kSecAttrIssuer as String: issuer,
    kSecReturnData as String: true,
  ]
  var data: CFTypeRef?
  try check(SecItemCopyMatching(bySerial as CFDictionary, &data))
  print("data: \((data as? Data) == encoded ? "equal" : "different")")
}
