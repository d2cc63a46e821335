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
