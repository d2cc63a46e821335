import Keychain
import SecurityCodes

/// The sentence that says what a status means, in English; for one that isn't known, its number.
///
/// - Parameters:
///   - status: what a function returned.
///   - reserved: `nil`.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  SecurityStatus(rawValue: status).message
}
