import Bytes
import Keychain

extension Secret {
  /// Passes the members of a single JSON object to `take`, in order, as ``JSONReader/members(of:_:)`` does.
  ///
  /// - Parameter fault: the error for anything but a JSON object, or a malformed value found by `take`.
  borrowing func eachMember(
    otherwise fault: @autoclosure () -> KeychainError,
    _ take: (_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) -> Void
  ) throws(KeychainError) {
    do throws(JSONReader.Malformed) {
      try withUnsafeBytes { (text) throws(JSONReader.Malformed) in try JSONReader.members(of: text, take) }
    } catch {
      throw fault()
    }
  }
}
