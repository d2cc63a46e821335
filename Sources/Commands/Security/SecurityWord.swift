import Bytes

/// A word of a command line, as bytes. It may be a password, so it is wiped after the call, unless it is an argument of
/// the process.
final class SecurityWord {
  let bytes: Secret

  init(_ bytes: consuming Secret) {
    self.bytes = bytes
  }

  convenience init(_ argument: CString) {
    self.init(Secret(copying: argument.bytes))
  }

  /// The bytes, if they are not secret.
  var attribute: ByteString { bytes.withUnsafeBytes { ByteString($0) } }

  /// The text, if it is not secret. Bytes that are not UTF-8 are replaced.
  var text: String { "\(attribute)" }
}
