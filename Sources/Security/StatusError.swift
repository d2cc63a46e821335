import Keychain

/// An error with the status that the function returns.
struct StatusError: Error, Hashable {
  let status: OSStatus

  init(_ status: OSStatus) {
    self.status = status
  }

  init(_ error: KeychainError) {
    status = SecurityStatus(error).rawValue
  }
}
