import Bytes
import Processes

/// A word of a call, byte for byte. It may be a password, so it is wiped when the call is done, as far as it is not an
/// argument of the process.
final class SecurityWord {
  let bytes: Secret

  init(_ bytes: consuming Secret) {
    self.bytes = bytes
  }

  /// An argument of the process.
  convenience init(_ argument: CString) {
    self.init(Secret(copying: argument.bytes))
  }

  /// Its bytes, where it is no secret.
  var attribute: ByteString { bytes.withUnsafeBytes { ByteString($0) } }

  /// As far as it is UTF-8, where it is no secret.
  var text: String { "\(attribute)" }
}
