package import Bytes

/// An item's secrets beside its main one, which tools never get for signing in: a one-time code's secret, and a
/// password manager's hidden fields.
///
/// A part that is `nil` says nothing. So a new password, such as git's, leaves the parts as they were. An empty part
/// removes what is there.
public struct FurtherSecrets: ~Copyable, Sendable {
  private var parts = Parts.silent

  /// The secret of one-time codes, as an `otpauth:` URL. Each reading makes a copy.
  public var oneTimeCode: Secret? {
    get { parts.code.isSaid ? parts.code.text.copy() : nil }
    set { parts = Parts(Part(newValue), parts.fields.copy()) }
  }

  /// Says nothing.
  public init() {}

  /// Whether there is no part with contents.
  public var isEmpty: Bool { parts.code.text.isEmpty && parts.fields.text.isEmpty }

  /// Whether there is a one-time code's secret.
  public var hasOneTimeCode: Bool { !parts.code.text.isEmpty }

  /// Whether there are fields.
  public var hasFields: Bool { !parts.fields.text.isEmpty }

  /// A second copy.
  public borrowing func copy() -> FurtherSecrets {
    var copy = FurtherSecrets()
    copy.parts = parts
    return copy
  }

  /// An item's secrets after a change to this: each part that says something, else the former one. None is empty.
  package borrowing func merged(over former: borrowing FurtherSecrets) -> FurtherSecrets {
    var merged = FurtherSecrets()
    let beneath = former.parts
    if parts === Parts.silent, beneath === Parts.silent { return merged }
    merged.parts = Parts(parts.code.merged(over: beneath.code), parts.fields.merged(over: beneath.fields))
    return merged
  }

  /// An item's secrets after adding this from a source, which knows nothing of other fields: those stay.
  package borrowing func added(to former: borrowing FurtherSecrets) -> FurtherSecrets {
    var all = copy()
    if parts.fields.text.isEmpty || former.parts.fields.text.isEmpty { return all }
    let mine = NamedValues(self)
    let known = NamedValues(former)
    var members = TextMembersBuilder()
    former.forEachField { name, value in
      if !mine.lend(name, { members.addField(name, $0) }) { members.addField(name, value) }
    }
    forEachField { if !known.has($0) { members.addField($0, $1) } }
    all.takeFields(members)
    return all
  }

  package borrowing func hasAll(of other: borrowing FurtherSecrets) -> Bool {
    parts.code.hasAll(of: other.parts.code) && hasFields(of: other, orNone: false)
  }

  package borrowing func hasSameCode(as other: borrowing FurtherSecrets) -> Bool {
    parts.code.text.isEqual(to: other.parts.code.text)
  }

  /// Whether this has each field of the other with the same value or, with `orNone`, at least no other value.
  private borrowing func hasFields(of other: borrowing FurtherSecrets, orNone: Bool) -> Bool {
    if parts.fields.hasAll(of: other.parts.fields) { return true }
    // An empty part says that there is none.
    if other.parts.fields.text.isEmpty { return false }
    let mine = NamedValues(self)
    var hasAll = true
    other.forEachField { name, value in
      if !mine.isSame(value, as: name), !(orNone && !mine.has(name)) { hasAll = false }
    }
    return hasAll
  }

  package borrowing func isSame(as other: borrowing FurtherSecrets) -> Bool {
    hasAll(of: other) && other.hasAll(of: self)
  }

  /// Whether adding the newer one would replace nothing.
  package borrowing func isKept(by newer: borrowing FurtherSecrets) -> Bool {
    parts.code.isKept(by: newer.parts.code)
      && (parts.fields.text.isEmpty || hasFields(of: newer, orNone: true))
  }

  // MARK: Fields

  /// The value of a field; `nil` if there is none.
  public borrowing func field(_ name: ByteString) -> Secret? {
    var found: Secret?
    forEachField { if $0 == name { found = Secret(copying: $1) } }
    return found
  }

  /// Calls `body` with each field.
  public borrowing func forEachField(_ body: (_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Void) {
    if hasFields { parts.fields.text.withUnsafeBytes { TextMembers.forEach(in: $0, body) } }
  }

  /// Adds a field. If the name is taken, it gets a number.
  ///
  /// - Returns: whether it was added: name and value must be UTF-8.
  @discardableResult
  public mutating func addField(_ name: ByteString, _ value: borrowing Secret) -> Bool {
    guard case .some(let added) = TextMembers.adding(name, value, to: parts.fields.text) else { return false }
    parts = Parts(parts.code.copy(), Part(added))
    return true
  }

  package mutating func takeFields(_ members: borrowing TextMembersBuilder) {
    parts = Parts(parts.code.copy(), Part(members.text))
  }

  // MARK: JSON

  package borrowing func write(to json: inout JSONWriter) {
    if parts.code.isSaid { json.member("otpauth", parts.code.text) }
    if hasFields {
      parts.fields.text.withUnsafeBytes { json.rawMember("secretFields", $0) }
    } else if parts.fields.isSaid {
      json.beginObject("secretFields")
      json.endObject()
    }
  }

  /// Whether ``write(to:)`` writes a member with this name.
  package static func isMember(_ name: UnsafeRawBufferPointer) -> Bool {
    name == "otpauth" || name == "otpauth_b64" || name == "secretFields"
  }

  /// Takes a member written by ``write(to:)``; ignores others.
  package mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if name == "otpauth" {
      let code = try value.secret()
      oneTimeCode = consume code
    } else if name == "otpauth_b64" {
      var code = Secret()
      try value.appendBase64(to: &code)
      oneTimeCode = consume code
    } else if name == "secretFields" {
      try takeFields(value.raw)
    }
  }

  package mutating func takeFields(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    parts = Parts(parts.code.copy(), Part(try TextMembers.normal(text)))
  }

  /// Calls `body` with the text of the fields' object, if there is one.
  package borrowing func withFields(_ body: (borrowing Secret) -> Void) {
    if parts.fields.isSaid { body(parts.fields.text) }
  }
}

/// Apart and shared, because most items have neither.
private final class Parts: Sendable {
  let code: Part
  /// Fields with names given by a person: a JSON object of texts.
  let fields: Part

  static let silent = Parts(Part(), Part())

  init(_ code: consuming Part, _ fields: consuming Part) {
    self.code = code
    self.fields = fields
  }
}

/// Not an optional secret, because the optimizer fails where such a one is looked at twice (Swift 6.3).
private struct Part: ~Copyable, Sendable {
  let isSaid: Bool
  let text: Secret

  init() {
    isSaid = false
    text = Secret()
  }

  init(_ text: consuming Secret?) {
    switch consume text {
    case .none:
      isSaid = false
      self.text = Secret()
    case .some(let text):
      isSaid = true
      self.text = text
    }
  }

  borrowing func copy() -> Part { isSaid ? Part(text.copy()) : Part() }

  /// This, if it says anything, else the former one; never an empty one.
  borrowing func merged(over former: borrowing Part) -> Part {
    let isEmpty = isSaid ? text.isEmpty : former.text.isEmpty
    if isEmpty { return Part() }
    return isSaid ? Part(text.copy()) : Part(former.text.copy())
  }

  borrowing func hasAll(of other: borrowing Part) -> Bool { !other.isSaid || text.isEqual(to: other.text) }

  borrowing func isKept(by newer: borrowing Part) -> Bool { text.isEmpty || hasAll(of: newer) }
}

extension FurtherSecrets {
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``; ``KeychainError/unusableAttribute(name:_:)`` for a one-time
  ///   code's secret with a line break.
  func validate() throws(KeychainError) {
    if parts.code.text.count > ItemBounds.oneTimeCode {
      throw .tooLarge(what: "the one-time code's secret", limit: ItemBounds.oneTimeCode)
    }
    let isOneLine = parts.code.text.withUnsafeBytes { !$0.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }
    if !isOneLine { throw .unusableAttribute(name: "one-time code's secret", .lineBreak) }
    if parts.fields.text.count > ItemBounds.secretFields {
      throw .tooLarge(what: "the item's hidden fields", limit: ItemBounds.secretFields)
    }
  }
}
