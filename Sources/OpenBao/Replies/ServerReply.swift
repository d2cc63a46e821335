package import Bytes

/// A server's reply, whatever its status.
package struct ServerReply: ~Copyable {
  package let status: Int
  package let body: Secret

  package init(status: Int, body: consuming Secret) {
    self.status = status
    self.body = body
  }

  /// The meaning of the texts in `errors`, as far as it matters.
  package enum Complaint: Equatable {
    /// There are no texts, or no `errors`.
    case none
    /// The version of an item isn't the one that was named.
    case wrongVersion
    /// The check-and-set value is missing, although the mount requires it.
    case versionMissing
    /// There is no secrets engine, login method or namespace there.
    case noRoute
    /// A standby knows of no active node.
    case noActiveNode
    /// A standby is not up to date yet.
    case waitingForPrimary
    case sealed
    case uninitialised
    case unsupported
    /// Its storage takes no value of more than this many bytes.
    case tooLarge(limit: Int)
    case other
  }

  /// The servers' texts, the only thing that tells these errors apart.
  private static let complaints: [(StaticString, Complaint)] = [
    ("check-and-set parameter did not match", .wrongVersion),
    ("check-and-set parameter required", .versionMissing),
    ("no handler for route", .noRoute), ("route entry not found", .noRoute),
    ("namespace not found", .noRoute),
    ("active cluster node not found", .noActiveNode),
    ("Waiting for the primary to upgrade", .waitingForPrimary), ("is sealed", .sealed),
    ("not yet initialized", .uninitialised), ("not initialized", .uninitialised),
    ("unsupported operation", .unsupported), ("unsupported path", .unsupported),
  ]

  /// Whether the reply comes from OpenBao or Vault. Gateways in front of them may report that something isn't there or
  /// isn't allowed, but with other texts or none.
  package borrowing func isOfServer() -> Bool {
    if status == 204 { return body.isEmpty }
    return body.withUnsafeBytes { body in
      var (hasErrors, hasData) = (false, false)
      do throws(JSONReader.Malformed) {
        try JSONReader.members(of: body) { (name, value) throws(JSONReader.Malformed) in
          if name == "errors", value.kind == .array { hasErrors = true }
          if name == "data", value.kind == .object { hasData = true }
        }
      } catch {
        return false
      }
      return status < 400 || hasErrors || hasData && status == 404
    }
  }

  package borrowing func complaint() -> Complaint {
    body.withUnsafeBytes { body in
      var found = Complaint.none
      try? JSONReader.members(of: body) { (name, value) throws(JSONReader.Malformed) in
        guard name == "errors", value.kind == .array else { return }
        try JSONReader.elements(of: value.raw) { (text) throws(JSONReader.Malformed) in
          guard found == .none || found == .other else { return }
          let said = "\(try text.string())"
          found = Self.complaints.first { said.hasPart("\($0.0)") }?.1 ?? Self.tooLarge(said) ?? .other
        }
      }
      return found
    }
  }

  /// Raft's text: `put failed due to value being too large; got 156 bytes, max 1048576 bytes`.
  private static func tooLarge(_ said: String) -> Complaint? {
    guard said.hasPart("value being too large") else { return nil }
    let words = said.split(separator: " ")
    guard let index = words.firstIndex(of: "max"), index + 1 < words.count, let limit = Int(words[index + 1])
    else { return nil }
    return .tooLarge(limit: limit)
  }

  /// Passes the object in the member `name` to `body`.
  ///
  /// - Throws: `JSONReader.Malformed` if the body is no object or has no such member, and the errors of `body`.
  package borrowing func withMember<Result: ~Copyable>(
    _ name: StaticString, _ read: (UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Result
  ) throws(JSONReader.Malformed) -> Result {
    try body.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      try read(try Self.object(name, of: text))
    }
  }

  /// The object that is a member of another.
  static func object(
    _ wanted: StaticString, of text: UnsafeRawBufferPointer
  ) throws(JSONReader.Malformed) -> UnsafeRawBufferPointer {
    var found: UnsafeRawBufferPointer?
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == wanted, value.kind == .object { found = value.raw }
    }
    guard let found else { throw JSONReader.Malformed() }
    return found
  }
}
