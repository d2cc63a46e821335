package import Bytes

/// A JSON object of texts, each name once, as one piece of bytes: the form of an item's fields.
package enum TextMembers {
  package static func forEach(
    in object: UnsafeRawBufferPointer, _ body: (_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Void
  ) {
    // A keychain's object was checked when it was read.
    try? JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      let text = try value.secret()
      text.withUnsafeBytes { body(name, $0) }
    }
  }

  /// The object with another member. If the name is taken, it gets a number. For several members use
  /// ``TextMembersBuilder``.
  ///
  /// - Parameter object: empty if there is none.
  /// - Returns: `nil` if name or value isn't UTF-8.
  package static func adding(
    _ name: ByteString, _ value: borrowing Secret, to object: borrowing Secret
  ) -> Secret? {
    var members = TextMembersBuilder(object)
    return members.addField(name, value) ? members.text : nil
  }

  /// An object as written by ``TextMembersBuilder``; empty without a member.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no object of texts, or has a name twice.
  package static func normal(_ object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Secret {
    var json = JSONWriter(capacity: object.count)
    var names: Set<ByteString> = []
    json.beginObject()
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      let text = try value.secret()
      guard names.insert(name).inserted else { throw JSONReader.Malformed() }
      text.withUnsafeBytes { json.textMember(name, $0) }
    }
    json.endObject()
    return names.isEmpty ? Secret() : json.finish()
  }

  /// Whether bytes are a result of ``normal(_:)`` with a member.
  static func isNormal(_ object: ByteString) -> Bool {
    object.bytes.withUnsafeBytes { object in
      guard let normal = try? normal(object) else { return false }
      return !normal.isEmpty && normal.isEqual(to: Secret(copying: object))
    }
  }
}

package struct TextMembersBuilder: ~Copyable {
  /// Allocates nothing before the first member: nearly all entries of a source have none.
  private var json = JSONWriter(capacity: 0)
  private var names: Set<ByteString> = []
  /// The last number of a name.
  private var numbers: [ByteString: Int] = [:]

  package init() {}

  /// Begins with the members of another object, which may be empty.
  package init(_ object: borrowing Secret) {
    self.init()
    if object.isEmpty { return }
    json.beginObject()
    object.withUnsafeBytes {
      TextMembers.forEach(in: $0) {
        names.insert($0)
        json.textMember($0, $1)
      }
    }
  }

  package var isEmpty: Bool { names.isEmpty }

  /// Adds a member. If the name is taken, it gets a number.
  ///
  /// - Parameter limit: the largest size of the whole object in bytes.
  /// - Returns: whether it was added: name and value must be UTF-8, and there must be room.
  @discardableResult
  package mutating func addField(
    _ name: ByteString, _ value: UnsafeRawBufferPointer, limit: Int = .max
  ) -> Bool {
    guard name.text != nil, isValidUTF8(value) else { return false }
    if json.bytes.isEmpty { json.beginObject() }
    let former = json.bytes.count
    let free = free(name.isEmpty ? "field" : name)
    json.textMember(free, value)
    if json.bytes.count >= limit {
      json.truncate(to: former, isFirst: names.isEmpty)
      return false
    }
    names.insert(free)
    return true
  }

  /// The same without a limit.
  @discardableResult
  package mutating func addField(_ name: ByteString, _ value: borrowing Secret) -> Bool {
    value.withUnsafeBytes { addField(name, $0) }
  }

  private mutating func free(_ name: ByteString) -> ByteString {
    if !names.contains(name) { return name }
    var number = numbers[name] ?? 1
    var free = name
    while names.contains(free) {
      number += 1
      free = ByteString("\(name) \(number)")
    }
    numbers[name] = number
    return free
  }

  /// The object; empty if it has no member.
  package var text: Secret {
    var text = Secret(capacity: json.bytes.count + 1)
    if isEmpty { return text }
    text.append(json.bytes)
    text.append("}")
    return text
  }
}
