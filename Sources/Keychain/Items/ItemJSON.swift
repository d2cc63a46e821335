package import Bytes

// The JSON form of an item's attributes: members of one object, named as in Keychain Services. The vault and every
// command's `--json` share it.

extension JSONWriter {
  /// Writes class, primary key and the other attributes, as far as present, but no dates and no reference.
  package mutating func attributes(of item: Item) {
    switch item.key {
    case .internetPassword(let key):
      member("class", "internet" as ByteString)
      member("server", key.server)
      member("protocol", key.protocol)
      member("port", key.port)
      member("account", key.account)
      member("path", key.path)
      member("securityDomain", key.securityDomain)
      member("authenticationType", key.authenticationType)
    case .genericPassword(let key):
      member("class", "generic" as ByteString)
      member("service", key.service)
      member("account", key.account)
    case .cryptographic(let key):
      member("class", ByteString(key.kind.name))
      member("primaryAttributes", key.primaryAttributes)
    case .secretService(let key):
      member("class", ByteString(key.kind.word))
      member("name", key.name)
    }
    member("accessGroup", item.key.accessGroup)
    if item.key.isSynchronizable { member("isSynchronizable", true) }
    member("label", item.label)
    member("comment", item.comment)
    member("description", item.itemDescription)
    member("creator", item.creator)
    member("type", item.type)
    if item.isDefault { member("isDefault", true) }
    fields(of: item.furtherAttributes)
    member("collection", item.secretService.collection)
    member("contentType", item.secretService.contentType)
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
    switch credential.refreshToken {
    case .none: break
    case .some(let token): member("oauth_refresh_token", token)
    }
    member("authtype", credential.authenticationScheme)
    credential.further.write(to: &self)
  }
}

/// Collects the members written by ``JSONWriter/attributes(of:)``, in any order, and makes an item of them.
///
/// It uses plain variables: the reader of a vault makes one for every answer, and the metadata of a dictionary alone
/// would cost more than decrypting.
package struct ItemAttributes {
  private var `class`: ByteString?
  private var server: ByteString?
  private var `protocol`: ByteString?
  private var port: UInt16?
  private var account: ByteString?
  private var path: ByteString?
  private var securityDomain: ByteString?
  private var authenticationType: ByteString?
  private var service: ByteString?
  private var label: ByteString?
  private var comment: ByteString?
  private var itemDescription: ByteString?
  private var creator: ByteString?
  private var type: ByteString?
  private var isDefault = false
  private var accessGroup: ByteString?
  private var isSynchronizable = false
  private var primaryAttributes = FurtherAttributes()
  private var furtherAttributes = FurtherAttributes()
  private var fields: ByteString?
  private var tags: [ByteString]?
  private var name: ByteString?
  private var secretService = SecretServiceAttributes()

  package init() {}

  /// Takes a member. Returns `false` if it isn't one of an item's attributes.
  package mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) -> Bool {
    if name == "port" {
      port = try value.integer()
      return true
    }
    if name == "isDefault" {
      isDefault = try value.bool()
      return true
    }
    if name == "isSynchronizable" {
      isSynchronizable = try value.bool()
      return true
    }
    if name == "attributes" {
      furtherAttributes = try FurtherAttributes(value)
      return true
    }
    if name == "fields" {
      fields = try TextMembers.normal(value.raw).withUnsafeBytes { ByteString($0) }
      return true
    }
    if name == "tags" {
      var lines: [ByteString] = []
      try JSONReader.elements(of: value.raw) { (tag) throws(JSONReader.Malformed) in
        lines.append(try tag.string())
      }
      tags = lines
      return true
    }
    if name == "primaryAttributes" {
      primaryAttributes = try FurtherAttributes(value)
      return true
    }
    if name == "lookupAttributes" {
      secretService.lookup = try LookupAttributes(value)
      return true
    }
    let isEncoded = name.count > 4 && UnsafeRawBufferPointer(rebasing: name[(name.count - 4)...]) == "_b64"
    let plain = isEncoded ? UnsafeRawBufferPointer(rebasing: name[..<(name.count - 4)]) : name
    func text() throws(JSONReader.Malformed) -> ByteString {
      isEncoded ? try value.base64() : try value.string()
    }
    if plain == "class" {
      `class` = try text()
    } else if plain == "server" {
      server = try text()
    } else if plain == "protocol" {
      `protocol` = try text()
    } else if plain == "account" {
      account = try text()
    } else if plain == "path" {
      path = try text()
    } else if plain == "securityDomain" {
      securityDomain = try text()
    } else if plain == "authenticationType" {
      authenticationType = try text()
    } else if plain == "service" {
      service = try text()
    } else if plain == "label" {
      label = try text()
    } else if plain == "comment" {
      comment = try text()
    } else if plain == "description" {
      itemDescription = try text()
    } else if plain == "creator" {
      creator = try text()
    } else if plain == "type" {
      type = try text()
    } else if plain == "accessGroup" {
      accessGroup = try text()
    } else if plain == "name" {
      self.name = try text()
    } else if plain == "collection" {
      secretService.collection = try text()
    } else if plain == "contentType" {
      secretService.contentType = try text()
    } else {
      return false
    }
    return true
  }

  /// The item, without dates and reference.
  ///
  /// - Throws: ``JSONReader/Malformed`` if a part of its class's primary key is missing.
  package func item() throws(JSONReader.Malformed) -> Item {
    let key: Item.Key
    if `class` == "internet", let `protocol` {
      key = .internetPassword(
        InternetPassword(
          protocol: `protocol`, server: server, port: port, account: account, path: path,
          securityDomain: securityDomain, authenticationType: authenticationType, accessGroup: accessGroup,
          isSynchronizable: isSynchronizable))
    } else if `class` == "generic", let service {
      key = .genericPassword(
        GenericPassword(
          service: service, account: account, accessGroup: accessGroup, isSynchronizable: isSynchronizable))
    } else if let kind = CryptographicItem.Kind.allCases.first(where: { `class` == ByteString($0.name) }) {
      key = .cryptographic(
        CryptographicItem(
          kind, primaryAttributes, accessGroup: accessGroup, isSynchronizable: isSynchronizable))
    } else if let name,
      let kind = SecretServiceItem.Kind.allCases.first(where: { `class` == ByteString($0.word) })
    {
      key = .secretService(SecretServiceItem(kind, name: name))
    } else {
      throw JSONReader.Malformed()
    }
    var item = Item(
      key, label: label, comment: comment, itemDescription: itemDescription, creator: creator, type: type,
      isDefault: isDefault)
    item.furtherAttributes = furtherAttributes
    if let fields = fields.nonEmpty { item.furtherAttributes[Item.fieldsTag] = fields }
    if let tags { item.tags = tags }
    item.secretService = secretService
    return item
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
        secret = Secret()
        try value.appendString(to: &secret)
        hasSecret = true
      } else if name == "secret_b64" {
        secret = Secret()
        try value.appendBase64(to: &secret)
        hasSecret = true
      } else if name == "password_expiry_utc" {
        expiry = try value.integer()
      } else if name == "oauth_refresh_token" {
        token = Secret()
        try value.appendString(to: &token)
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
