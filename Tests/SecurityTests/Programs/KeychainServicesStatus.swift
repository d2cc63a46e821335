import Foundation
import Security

/// A status other than success, with Keychain Services' own message.
enum KeychainServicesStatus: Error, Equatable {
  case itemNotFound
  case duplicateItem
  case interactionNotAllowed
  case other(OSStatus)

  init(_ status: OSStatus) {
    switch status {
    case errSecItemNotFound: self = .itemNotFound
    case errSecDuplicateItem: self = .duplicateItem
    case errSecInteractionNotAllowed: self = .interactionNotAllowed
    default: self = .other(status)
    }
  }

  var status: OSStatus {
    switch self {
    case .itemNotFound: return errSecItemNotFound
    case .duplicateItem: return errSecDuplicateItem
    case .interactionNotAllowed: return errSecInteractionNotAllowed
    case .other(let status): return status
    }
  }
}

extension KeychainServicesStatus: LocalizedError {
  var errorDescription: String? {
    let message = SecCopyErrorMessageString(status, nil) as String?
    return "\(message ?? "Unknown error.") (\(status))"
  }
}

/// Throws unless a function of Keychain Services succeeded.
func check(_ status: OSStatus) throws {
  guard status == errSecSuccess else { throw KeychainServicesStatus(status) }
}
