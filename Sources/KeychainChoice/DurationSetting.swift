package import Bytes
import EncryptedFile
package import Keychain

extension DurationText {
  /// The number of seconds in a text.
  ///
  /// - Parameter name: the name of the option or variable, for the error.
  /// - Throws: ``KeychainError`` if it is not a duration, or not between a second and 30 days.
  package static func seconds(_ text: String, of name: String) throws(KeychainError) -> Int {
    guard let seconds = seconds(text, upTo: UnlockLimits.bounds.upperBound), UnlockLimits.bounds ~= seconds
    else { throw .choice(.unusableSetting(name: name, .noDuration)) }
    return seconds
  }
}
