import Bytes
import Forwarding
import Keychain

/// A request's entry in the log.
struct RequestSummary: Hashable {
  let tool: ByteString
  let action: String
  let place: String?
  let account: ByteString?
  let changes: Bool
  /// Whether the entry says which item it is about: what is read by a reference has none in the log.
  var namesAll: Bool { action != Self.reading }

  private static let reading = "read"

  init(_ request: borrowing ForwardRequest) {
    let tool = request.tool
    switch request.action {
    case .probe: self.init(tool, "probe", nil)
    case .list: self.init(tool, "list", nil)
    case .find(let query): self.init(tool, request.purpose.rawValue, query.key)
    case .credential(_, let query): self.init(tool, Self.reading, query?.key)
    case .change(let changes): self.init(tool, "change", changes.first?.key, changes: true)
    case .wait: self.init(tool, "wait", nil)
    }
  }

  private init(_ tool: ByteString, _ action: String, _ key: Item.Key?, changes: Bool = false) {
    self.tool = tool
    self.action = action
    self.place = key?.place
    self.account = key?.account
    self.changes = changes
  }
}

extension ItemChange {
  fileprivate var key: Item.Key {
    switch kind {
    case .add(let item, _), .update(_, let item), .delete(let item): item.key
    }
  }
}
