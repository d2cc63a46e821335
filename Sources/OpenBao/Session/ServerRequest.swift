import Keychain
import SignIn

struct ServerRequest {
  var method: HTTPRequest.Method
  var path: String
  /// The encoded query, without question mark; `nil` for none.
  var query: String?
  /// The largest body of the reply, in bytes: a record with one of the largest items, whose sets of attributes are JSON
  /// in a string, with escaped quotes.
  var maximumReply = 2 * ItemBounds.item
  /// Whether the answer may take a server long, like the list of a large folder.
  var mayTakeLong = false
  /// Whether the request is optional: it is tried once at each node.
  var isDispensable = false
  var isChange: Bool { method == .post || method == .delete }
}
