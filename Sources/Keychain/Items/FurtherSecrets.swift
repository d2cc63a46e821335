import Bytes
package import JSON

/// What an item keeps beside its secret, as confidential, and what no tool that signs in ever gets: a one-time code's
/// secret, and the fields that a password manager hides.
///
/// A part that is `nil` says nothing. So whoever gives an item a new password, as git does, leaves the parts as they were
/// (``merged(over:)``). An empty part removes what is there.
public struct FurtherSecrets: ~Copyable, Sendable {
  /// The secret of one-time codes, as an `otpauth:` URL.
  public var oneTimeCode: Secret?

  /// Fields with names that a person gave them: a JSON object whose members are texts.
  private var fields: Secret?

  /// Says nothing.
  public init() {}

  /// Whether it says nothing.
  public var isSilent: Bool { !Self.has(oneTimeCode) && !Self.has(fields) }

  /// Whether there is no part with contents.
  public var isEmpty: Bool { Self.isBlank(oneTimeCode) && Self.isBlank(fields) }

  /// Whether there is a one-time code's secret.
  public var hasOneTimeCode: Bool { !Self.isBlank(oneTimeCode) }

  /// Whether there are fields.
  public var hasFields: Bool { !Self.isBlank(fields) }

  /// A second copy.
  public borrowing func copy() -> FurtherSecrets {
    var copy = FurtherSecrets()
    copy.oneTimeCode = Self.copy(oneTimeCode)
    copy.fields = Self.copy(fields)
    return copy
  }

  /// What an item has after a change to this: the parts that it says, and otherwise the former ones. None is empty.
  package borrowing func merged(over former: borrowing FurtherSecrets) -> FurtherSecrets {
    var merged = FurtherSecrets()
    merged.oneTimeCode = Self.merged(oneTimeCode, former.oneTimeCode)
    merged.fields = Self.merged(fields, former.fields)
    return merged
  }

  /// Whether this has every part that the other one says.
  package borrowing func hasAll(of other: borrowing FurtherSecrets) -> Bool {
    Self.has(oneTimeCode, all: other.oneTimeCode) && Self.has(fields, all: other.fields)
  }

  /// Whether a merge over this would replace nothing.
  package borrowing func isKept(by newer: borrowing FurtherSecrets) -> Bool {
    Self.isKept(oneTimeCode, newer.oneTimeCode) && Self.isKept(fields, newer.fields)
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
    switch fields {
    case .none: break
    case .some(let fields): fields.withUnsafeBytes { TextMembers.forEach(in: $0, body) }
    }
  }

  /// Adds a field with a name of its own: a second one of a name gets a number.
  ///
  /// - Returns: whether it was added, which takes UTF-8.
  @discardableResult
  public mutating func addField(_ name: ByteString, _ value: borrowing Secret) -> Bool {
    let added = TextMembers.adding(name, value, to: Self.copy(fields) ?? Secret())
    guard case .some(let added) = added else { return false }
    fields = added.copy()
    return true
  }

  // MARK: JSON

  /// Writes the parts that it says.
  package borrowing func write(to json: inout JSONWriter) {
    switch oneTimeCode {
    case .none: break
    case .some(let code): json.member("otpauth", code)
    }
    switch fields {
    case .none: break
    case .some(let fields):
      if fields.isEmpty {
        json.beginObject("secretFields")
        json.endObject()
      } else {
        fields.withUnsafeBytes { json.rawMember("secretFields", $0) }
      }
    }
  }

  /// Whether ``write(to:)`` writes a member with this name.
  package static func isMember(_ name: UnsafeRawBufferPointer) -> Bool {
    name == "otpauth" || name == "otpauth_b64" || name == "secretFields"
  }

  /// Takes a member that ``write(to:)`` wrote; others are ignored.
  package mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if name == "otpauth" {
      var code = Secret()
      try value.appendString(to: &code)
      oneTimeCode = consume code
    } else if name == "otpauth_b64" {
      var code = Secret()
      try value.appendBase64(to: &code)
      oneTimeCode = consume code
    } else if name == "secretFields" {
      try takeFields(value.raw)
    }
  }

  /// Takes fields from the text of an object.
  package mutating func takeFields(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    fields = try TextMembers.normal(text)
  }

  /// Calls `body` with the text of the fields' object, if they are said.
  package borrowing func withFields(_ body: (borrowing Secret) -> Void) {
    switch fields {
    case .none: break
    case .some(let fields): body(fields)
    }
  }

  // MARK: Parts

  private static func has(_ part: borrowing Secret?) -> Bool {
    switch part {
    case .none: false
    case .some: true
    }
  }

  private static func isBlank(_ part: borrowing Secret?) -> Bool {
    switch part {
    case .none: true
    case .some(let part): part.isEmpty
    }
  }

  private static func copy(_ part: borrowing Secret?) -> Secret? {
    switch part {
    case .none: nil
    case .some(let part): part.copy()
    }
  }

  private static func merged(_ part: borrowing Secret?, _ former: borrowing Secret?) -> Secret? {
    if !has(part) { return isBlank(former) ? nil : copy(former) }
    return isBlank(part) ? nil : copy(part)
  }

  private static func has(_ part: borrowing Secret?, all other: borrowing Secret?) -> Bool {
    if !has(other) { return true }
    if isBlank(other) { return isBlank(part) }
    switch part {
    case .none: return false
    case .some(let part):
      switch other {
      case .none: return true
      case .some(let other): return part.isEqual(to: other)
      }
    }
  }

  private static func isKept(_ former: borrowing Secret?, _ newer: borrowing Secret?) -> Bool {
    isBlank(former) || has(former, all: newer)
  }
}

extension FurtherSecrets {
  /// Checks that a keychain can take it.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``; ``KeychainError/unusableAttribute(name:_:)`` for a one-time code's
  ///   secret with a line break.
  func validate() throws(KeychainError) {
    switch oneTimeCode {
    case .none: break
    case .some(let code):
      if code.count > ItemBounds.oneTimeCode {
        throw .tooLarge(what: "the one-time code's secret", limit: ItemBounds.oneTimeCode)
      }
      let isOneLine = code.withUnsafeBytes { !$0.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }
      if !isOneLine { throw .unusableAttribute(name: "one-time code's secret", .lineBreak) }
    }
    switch fields {
    case .none: break
    case .some(let fields):
      if fields.count > ItemBounds.secretFields {
        throw .tooLarge(what: "the item's hidden fields", limit: ItemBounds.secretFields)
      }
    }
  }
}
