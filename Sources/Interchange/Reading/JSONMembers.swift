import JSON

/// What is true of the members of an object.
enum JSONMembers {
  /// Whether something is true of all members. What makes logins of them can then remove them as one.
  static func areAll(
    of object: JSONValue,
    _ isTrue: (_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) -> Bool
  ) throws(JSONReader.Malformed) -> Bool {
    var areAll = true
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      areAll = try isTrue(name, value) && areAll
    }
    return areAll
  }
}
