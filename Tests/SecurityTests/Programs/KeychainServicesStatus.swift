import Foundation
import Security

/// A status other than success, with Keychain Services' own message.
struct KeychainServicesStatus: Error {
  let status: OSStatus

  init(_ status: OSStatus) { self.status = status }
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
