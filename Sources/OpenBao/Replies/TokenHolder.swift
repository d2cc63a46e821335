import Bytes

/// A token's holder, as far as the server says: two of them are different if one may read more than the other.
enum TokenHolder {
  /// The holder as text: the entity, or for a token without one its accessor, and the names of all policies.
  ///
  /// - Parameter object: the `auth` of a reply to a login or a renewal, or the `data` of one to `lookup-self`.
  /// - Throws: `JSONReader.Malformed` if it has neither an entity nor an accessor.
  static func text(of object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> ByteString {
    var (entity, accessor): (ByteString, ByteString) = ("", "")
    var policies: Set<String> = []
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      if name == "entity_id", value.kind == .string { entity = try value.string() }
      if name == "accessor", value.kind == .string { accessor = try value.string() }
      if name == "policies" || name == "identity_policies", value.kind == .array {
        try JSONReader.elements(of: value.raw) { (policy) throws(JSONReader.Malformed) in
          policies.insert("\(try policy.string())")
        }
      }
    }
    let who = entity.isEmpty ? accessor : entity
    if who.isEmpty { throw JSONReader.Malformed() }
    return ByteString("\(who) \(policies.sorted().joined(separator: ","))")
  }
}
