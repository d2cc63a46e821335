public import Foundation

/// When an item can be read, and who must be present. On Linux the first is stored and the second refused.
public final class SecAccessControl: Sendable {
  /// One of `kSecAttrAccessible…`.
  let protection: String
  let flags: SecAccessControlCreateFlags

  init(protection: String, flags: SecAccessControlCreateFlags) {
    self.protection = protection
    self.flags = flags
  }
}

/// Flags for ``SecAccessControlCreateWithFlags(_:_:_:_:)``.
///
/// Each asks for a person's presence, a passcode or a chip, which keychains on Linux don't support. `SecItemAdd` and
/// `SecItemUpdate` refuse an item with any flag, so that nobody believes it is protected by it.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  /// The bits, as in Apple's header.
  public let rawValue: CFOptionFlags

  /// Creates flags from their bits.
  public init(rawValue: CFOptionFlags) {
    self.rawValue = rawValue
  }

  /// A fingerprint, a face or the passcode.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
  /// Any fingerprint or face.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  /// Any fingerprint.
  public static let touchIDAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  /// The currently enrolled fingerprints or faces.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  /// The currently enrolled fingerprints.
  public static let touchIDCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  /// The device's passcode.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
  /// A watch.
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
  /// A paired device.
  public static let companion = SecAccessControlCreateFlags(rawValue: 1 << 5)
  /// Any one of several.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
  /// All of several.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
  /// Use of a private key.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
  /// A password that the program provides.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}

/// Makes an access control.
///
/// - Parameters:
///   - allocator: `nil`.
///   - protection: one of `kSecAttrAccessible…`.
///   - flags: who must be present.
///   - error: receives an error with the code `errSecParam` if `protection` is something else.
/// - Returns: the access control, or `nil` after an error.
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: Any, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  guard let protection = protection as? String, accessibilities.contains(protection) else {
    error?.pointee = .passRetained(NSError(domain: NSOSStatusErrorDomain, code: Int(errSecParam)))
    return nil
  }
  return SecAccessControl(protection: protection, flags: flags)
}

let accessibilities: Set<String> = [
  kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways,
  kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
  kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, kSecAttrAccessibleAlwaysThisDeviceOnly,
]
