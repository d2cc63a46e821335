import Keychain
import SecurityCodes

/// Why a call ends without its effect: what it returns.
struct StatusError: Error, Hashable {
  let status: OSStatus

  init(_ status: OSStatus) {
    self.status = status
  }

  /// A keychain's own error.
  init(_ error: KeychainError) {
    status = SecurityStatus(error).rawValue
  }
}
