import Bytes
public import Keychain

/// The part of an item named by a reference, after `?field=`.
public enum ReferencedField: Hashable, Sendable {
  /// The secret, the default.
  case secret
  /// The account.
  case account
  /// The account and the secret in HTTP's scheme `Basic`: with a colon between them, in Base64 (RFC 7617, section 2).
  case basic
  /// The account and the secret as before the `@` of a URL, with delimiters escaped (RFC 3986, section 3.2.1).
  case userinfo
  /// The present one-time code, which no tool gets.
  case code
  /// When the secret expires, in the form for tools (RFC 3339).
  case expiry
  /// The place of a login as a URL, with the account.
  case url
  /// Another attribute, by its name in the JSON of `llavero list`, or a person's own field.
  case attribute(ByteString)

  /// Parses the part of a reference after the question mark; `nil` unless it is `field=NAME`.
  init?(query: Slice<UnsafeRawBufferPointer>) {
    let prefix = "field="
    guard query.starts(with: prefix.utf8), query.count > prefix.utf8.count,
      query.allSatisfy({ 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "?") }),
      let name = try? CredentialURL.decode(query.dropFirst(prefix.utf8.count))
    else { return nil }
    self.init(named: name)
  }

  /// The field with a name, which may be a person's own.
  public init(named name: ByteString) {
    switch name {
    case "secret", "password": self = .secret
    case "account": self = .account
    case "basic": self = .basic
    case "userinfo": self = .userinfo
    case "code": self = .code
    case "expiry": self = .expiry
    case "url": self = .url
    default: self = .attribute(name)
    }
  }

  /// Whether it may be confidential.
  public var isSecret: Bool {
    switch self {
    case .secret, .basic, .userinfo, .code: true
    case .account, .expiry, .url: false
    case .attribute(let name): Item.Attribute(named: name) == nil
    }
  }

  /// Its name for people.
  public var name: String {
    switch self {
    case .secret: "secret"
    case .account: "account"
    case .basic: "basic authentication"
    case .userinfo: "account and secret in a URL"
    case .code: "one-time code"
    case .expiry: "expiry"
    case .url: "URL"
    case .attribute(let name): "\(name)"
    }
  }

  /// The field's value in an answer; `nil` if the item has none.
  ///
  /// - Parameter code: makes an item's one-time code; `nil` for a caller that gives none.
  public func value(
    of answer: borrowing Answer, code: ((borrowing Credential) -> Secret?)? = nil
  ) -> Secret? {
    let item = answer.item
    switch self {
    case .secret: return answer.credential.secret.copy()
    case .code: return code?(answer.credential)
    case .account: return item.key.account.map { Secret(copying: $0) }
    case .basic:
      guard let account = item.key.account else { return nil }
      var login = Secret(copying: account)
      login.append(":")
      login.append(answer.credential.secret)
      return login.withUnsafeBytes { Secret(base64Of: $0) }
    case .userinfo:
      var login = Secret()
      PercentEncoding.append(Secret(copying: item.key.account ?? ""), to: &login)
      login.append(":")
      PercentEncoding.append(answer.credential.secret, to: &login)
      return login
    case .expiry:
      return answer.credential.expiry.map { Secret(copying: rfc3339(Timestamp(seconds: $0))) }
    case .url:
      guard case .internetPassword(let key) = item.key else { return nil }
      return key.url().map { Secret($0) }
    case .attribute(let name):
      if let value = item.attribute(name) { return Secret(copying: value) }
      return answer.credential.further.field(name)
    }
  }
}

extension Item {
  /// An attribute by its name in JSON or, for a further one, its tag.
  fileprivate func attribute(_ name: ByteString) -> ByteString? {
    if let attribute = Item.Attribute(named: name), attribute.isOf(key.itemClass) { return self[attribute] }
    if let field = fields.first(where: { $0.name == name }) { return field.value }
    return secretService.lookup?.all.first { $0.name == name }?.value ?? furtherAttributes[name]
  }
}

extension Item.Attribute {
  /// The attribute with a name in JSON, if it is one for references. Those are never confidential.
  fileprivate init?(named name: ByteString) {
    let found = name.bytes.withUnsafeBytes { Item.Attribute(jsonName: $0) }
    guard let found, found.option != nil, ![.account, .authenticationType, .isDefault].contains(found)
    else { return nil }
    self = found
  }
}
