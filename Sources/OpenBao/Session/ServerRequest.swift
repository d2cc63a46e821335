import Keychain
import SignIn

/// Something to ask a server for.
struct ServerRequest {
  var method: HTTPRequest.Method
  /// The path after `/v1/`.
  var path: String
  /// What follows the question mark, well encoded; `nil` for nothing.
  var query: String?
  /// The largest body of the reply, in bytes: a record with one of the largest items. Its sets of attributes are JSON in
  /// a string, with quotes escaped.
  var maximumReply = 2 * ItemBounds.item
  /// Whether the answer may take a server long, as the list of a large folder does.
  var mayTakeLong = false
  /// Whether one can do without it: it is tried once at each node.
  var isDispensable = false
  /// Whether it changes something.
  var isChange: Bool { method == .post || method == .delete }
}
