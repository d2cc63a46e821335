package import Bytes

// The JSON form of an item's attributes: members of one object, named as in Keychain Services. The vault and every
// command's `--json` share it.

extension JSONWriter {
  /// Writes class, primary key and the other attributes, as far as present, but no dates and no reference.
  package mutating func attributes(of item: Item) {
    member("class", ByteString(item.key.itemClass.rawValue))
    if case .cryptographic(let key) = item.key { member("primaryAttributes", key.primaryAttributes) }
    for attribute in Item.Attribute.all {
      if attribute == .collection { fields(of: item.furtherAttributes) }
      guard let value = item[attribute] else { continue }
      switch attribute.form {
      case .text: member(attribute.jsonName, value)
      case .port: member(attribute.jsonName, value.text.flatMap { UInt16($0) })
      case .mark: member(attribute.jsonName, true)
      }
    }
    if let lookup = item.secretService.lookup {
      beginObject("lookupAttributes")
      for attribute in lookup.all { textMember(attribute.name, attribute.value) }
      endObject()
    }
  }

  /// Writes fields and tags as such, and the rest by its tags.
  private mutating func fields(of attributes: FurtherAttributes) {
    if attributes.isEmpty { return }
    var rest = attributes
    // Another program may have put anything there.
    if let fields = rest[Item.fieldsTag], TextMembers.isNormal(fields) {
      fields.bytes.withUnsafeBytes { rawMember("fields", $0) }
      rest[Item.fieldsTag] = nil
    }
    if let tags = rest[Item.tagsTag], tags.text != nil {
      beginArray("tags")
      for tag in tags.bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
        element(ByteString(Array(tag)))
      }
      endArray()
      rest[Item.tagsTag] = nil
    }
    if !rest.isEmpty { member("attributes", rest) }
  }

  private mutating func member(_ name: StaticString, _ attributes: FurtherAttributes) {
    beginObject(name)
    attributes.forEach { member($0, $1) }
    endObject()
  }

  package mutating func confidentialMembers(of credential: borrowing Credential) {
    member("secret", credential.secret)
    member("password_expiry_utc", credential.expiry)
    credential.refreshToken.lend { member("oauth_refresh_token", $0) }
    member("authtype", credential.authenticationScheme)
    credential.further.write(to: &self)
  }
}

/// Collects the members written by ``JSONWriter/attributes(of:)``, in any order, and makes an item of them.
///
/// The values are in one piece: the reader of a vault makes one for every answer, and the metadata of a dictionary alone
/// would cost more than decrypting.
package struct ItemAttributes {
  private var `class`: ByteString?
  private var values = InlineArray<19, ByteString?>(repeating: nil)
  private var primaryAttributes = FurtherAttributes()
  private var furtherAttributes = FurtherAttributes()
  private var fields: ByteString?
  private var tags: [ByteString]?
  private var lookup: LookupAttributes?

  package init() {}

  /// Takes a member. Returns `false` if it isn't one of an item's attributes.
  package mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) -> Bool {
    if name == "attributes" {
      furtherAttributes = try FurtherAttributes(value)
    } else if name == "fields" {
      fields = try TextMembers.normal(value.raw).withUnsafeBytes { ByteString($0) }
    } else if name == "tags" {
      var lines: [ByteString] = []
      try JSONReader.elements(of: value.raw) { (tag) throws(JSONReader.Malformed) in
        lines.append(try tag.string())
      }
      tags = lines
    } else if name == "primaryAttributes" {
      primaryAttributes = try FurtherAttributes(value)
    } else if name == "lookupAttributes" {
      lookup = try LookupAttributes(value)
    } else {
      let (plain, isEncoded) = name.asWritten
      if plain == "class" {
        `class` = isEncoded ? try value.base64() : try value.string()
        return true
      }
      guard let attribute = Item.Attribute(jsonName: plain), !isEncoded || attribute.form == .text
      else { return false }
      values[Int(attribute.rawValue)] =
        switch attribute.form {
        case .text: isEncoded ? try value.base64() : try value.string()
        case .port: ByteString(String(try value.integer() as UInt16))
        case .mark: try value.bool() ? "1" : nil
        }
    }
    return true
  }

  /// The item, without dates and reference.
  ///
  /// - Throws: ``JSONReader/Malformed`` if a part of its class's primary key is missing.
  package func item() throws(JSONReader.Malformed) -> Item {
    guard let itemClass = `class`.flatMap(ItemClass.init(named:)),
      let key = Item.Key(itemClass, primaryAttributes, { values[Int($0.rawValue)] })
    else { throw JSONReader.Malformed() }
    var item = Item(key)
    for attribute in Item.Attribute.notes {
      if let value = values[Int(attribute.rawValue)] { item[attribute] = value }
    }
    item.furtherAttributes = furtherAttributes
    if let fields = fields.nonEmpty { item.furtherAttributes[Item.fieldsTag] = fields }
    if let tags { item.tags = tags }
    item.secretService.lookup = lookup
    return item
  }
}

extension UnsafeRawBufferPointer {
  /// The name of a member without the mark of base64, and whether it has that.
  package var asWritten: (name: UnsafeRawBufferPointer, isEncoded: Bool) {
    let isEncoded = count > 4 && UnsafeRawBufferPointer(rebasing: self[(count - 4)...]) == "_b64"
    return (isEncoded ? UnsafeRawBufferPointer(rebasing: self[..<(count - 4)]) : self, isEncoded)
  }
}

extension LookupAttributes {
  /// Reads an object whose members are names and values.
  fileprivate init(_ object: JSONValue) throws(JSONReader.Malformed) {
    self.init()
    guard object.kind == .object else { throw JSONReader.Malformed() }
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      self[try JSONValue.name(name)] = try value.string()
    }
  }
}

extension FurtherAttributes {
  /// Reads an object whose members are tags and values.
  fileprivate init(_ object: JSONValue) throws(JSONReader.Malformed) {
    self.init()
    guard object.kind == .object else { throw JSONReader.Malformed() }
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      let isEncoded = name.count > 4
      if isEncoded, !(UnsafeRawBufferPointer(rebasing: name[4...]) == "_b64") { throw JSONReader.Malformed() }
      let tag = ByteString(UnsafeRawBufferPointer(rebasing: name.prefix(4)))
      guard Self.isTag(tag) else { throw JSONReader.Malformed() }
      self[tag] = isEncoded ? try value.base64() : try value.string()
    }
  }
}

extension Credential {
  /// Whether ``JSONWriter/confidentialMembers(of:)`` writes a member with this name.
  package static func isConfidentialMember(_ name: UnsafeRawBufferPointer) -> Bool {
    name == "secret" || name == "secret_b64" || name == "password_expiry_utc" || name == "oauth_refresh_token"
      || name == "oauth_refresh_token_b64" || name == "authtype" || name == "authtype_b64"
      || FurtherSecrets.isMember(name)
  }

  /// Reads the members written by ``JSONWriter/confidentialMembers(of:)`` from an object.
  ///
  /// - Throws: ``JSONReader/Malformed`` if there is no secret or it can't be decoded.
  package init(confidentialMembersOf object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var secret = Secret()
    var hasSecret = false
    var token = Secret()
    var hasToken = false
    var expiry: Int64?
    var scheme: ByteString?
    var further = FurtherSecrets()
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      if name == "secret" {
        secret = try value.secret()
        hasSecret = true
      } else if name == "secret_b64" {
        secret = Secret()
        try value.appendBase64(to: &secret)
        hasSecret = true
      } else if name == "password_expiry_utc" {
        expiry = try value.integer()
      } else if name == "oauth_refresh_token" {
        token = try value.secret()
        hasToken = true
      } else if name == "oauth_refresh_token_b64" {
        token = Secret()
        try value.appendBase64(to: &token)
        hasToken = true
      } else if name == "authtype" {
        scheme = try value.string()
      } else if name == "authtype_b64" {
        scheme = try value.base64()
      } else {
        try further.take(name, value)
      }
    }
    guard hasSecret else { throw JSONReader.Malformed() }
    if hasToken {
      self.init(secret, expiry: expiry, refreshToken: token, authenticationScheme: scheme)
    } else {
      self.init(secret, expiry: expiry, authenticationScheme: scheme)
    }
    self.further = further
  }
}
