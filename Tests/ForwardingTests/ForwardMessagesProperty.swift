import Bytes
import Properties

@testable import Forwarding

/// The properties of any bytes as what both sides of a forwarded keychain send.
enum ForwardMessagesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkRequest(input)
    try checkResponse(input)
  }

  /// A request that was read is written in one form, which is read alike.
  private static func checkRequest(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let first: ForwardRequest
    do throws(JSONReader.Malformed) {
      first = try ForwardRequest(parsing: input)
    } catch {
      return
    }
    let written = first.encoded
    let again = try require("what was written can be read") { () throws(JSONReader.Malformed) in
      try written.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in try ForwardRequest(parsing: bytes)
      }
    }
    try require(again.encoded.isEqual(to: written), "a request has one form")
    try require(!first.tool.isEmpty, "a tool has a name")
  }

  private static func checkResponse(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let first = try? ForwardResponse(parsing: input) else { return }
    let written = first.encoded
    let again = try require("what was written can be read") { () throws(JSONReader.Malformed) in
      try written.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
        try ForwardResponse(parsing: bytes)
      }
    }
    try require(again.encoded.isEqual(to: written), "a response has one form")
    if case .items(let items, let answer?, _) = first {
      try require(items.indices.contains(answer.index), "a secret belongs to an item")
    }
  }
}
