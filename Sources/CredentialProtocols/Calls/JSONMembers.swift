import Bytes
import JSON

extension Secret {
  /// Gives the members of the one JSON object that this is, in order, as ``JSONReader/members(of:_:)`` does.
  ///
  /// - Parameter fault: what is thrown for anything else, and where `take` finds a value malformed.
  borrowing func eachMember(
    otherwise fault: @autoclosure () -> ProtocolError,
    _ take: (_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) -> Void
  ) throws(ProtocolError) {
    do throws(JSONReader.Malformed) {
      try withUnsafeBytes { (text) throws(JSONReader.Malformed) in try JSONReader.members(of: text, take) }
    } catch {
      throw fault()
    }
  }
}
