import Keychain

/// The English description of a status; for an unknown one, its number.
///
/// - Parameters:
///   - status: the result of a function.
///   - reserved: `nil`.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  SecurityStatus(rawValue: status).message
}
