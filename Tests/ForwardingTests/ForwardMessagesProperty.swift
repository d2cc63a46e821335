import Bytes
import Properties

@testable import Forwarding

/// The properties of any bytes as what both sides of a forwarded keychain send.
enum ForwardMessagesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkRequest(input)
    try checkResponse(input)
  }

  private static func checkRequest(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let first = try? ForwardRequest(parsing: input) else { return }
    try AgentTextsProperty.checkForm(first.encoded, of: "a request") { (bytes) throws(JSONReader.Malformed) in
      try ForwardRequest(parsing: bytes).encoded
    }
    try require(!first.tool.isEmpty, "a tool has a name")
  }

  private static func checkResponse(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let first = try? ForwardResponse(parsing: input) else { return }
    try AgentTextsProperty.checkForm(first.encoded, of: "a response") {
      (bytes) throws(JSONReader.Malformed) in
      try ForwardResponse(parsing: bytes).encoded
    }
    if case .items(let items, let answer?, _) = first {
      try require(items.indices.contains(answer.index), "a secret belongs to an item")
    }
  }
}
