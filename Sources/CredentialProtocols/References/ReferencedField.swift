import Bytes
public import Keychain

/// The part of an item that a reference names: after `?field=`.
public enum ReferencedField: Hashable, Sendable {
  /// The secret, which is meant if no field is named.
  case secret
  /// The account.
  case account
  /// The one-time code of this moment (RFC 6238), where the secret is an `otpauth:` URL.
  case code
  /// When the secret expires, as tools are told it (RFC 3339).
  case expiry
  /// The place of a login as a URL, with the account.
  case url
  /// Another attribute, by its name in the JSON of `llavero list`.
  case attribute(ByteString)

  /// Parses the part of a reference after the question mark; `nil` if it isn't `field=NAME`.
  init?(query: Slice<UnsafeRawBufferPointer>) {
    let prefix = "field="
    guard query.starts(with: prefix.utf8), query.count > prefix.utf8.count,
      query.allSatisfy({ 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "?") })
    else { return nil }
    let name = ByteString(UnsafeRawBufferPointer(rebasing: query.dropFirst(prefix.utf8.count)))
    switch name {
    case "secret", "password": self = .secret
    case "account": self = .account
    case "code": self = .code
    case "expiry": self = .expiry
    case "url": self = .url
    default: self = .attribute(name)
    }
  }

  /// Whether it is confidential.
  public var isSecret: Bool { self == .secret || self == .code }

  /// Its name for people.
  public var name: String {
    switch self {
    case .secret: "secret"
    case .account: "account"
    case .code: "one-time code"
    case .expiry: "expiry"
    case .url: "URL"
    case .attribute(let name): "\(name)"
    }
  }

  /// The part of an answer; `nil` if the item has none.
  public func value(of answer: borrowing Answer, at now: Timestamp) -> Secret? {
    let item = answer.item
    switch self {
    case .secret: return answer.credential.secret.copy()
    case .code: return answer.credential.secret.withUnsafeBytes { OneTimeCode(url: $0)?.text(at: now) }
    case .account: return item.key.account.map { Secret(copying: $0) }
    case .expiry:
      return answer.credential.expiry.map { Secret(copying: rfc3339(Timestamp(seconds: $0))) }
    case .url:
      guard case .internetPassword(let key) = item.key else { return nil }
      return key.url().map { Secret($0) }
    case .attribute(let name): return item.attribute(name).map { Secret(copying: $0) }
    }
  }
}

extension Item {
  /// An attribute by its name in JSON, or a further one by its tag.
  fileprivate func attribute(_ name: ByteString) -> ByteString? {
    switch name {
    case "label": return label
    case "comment": return comment
    case "description": return itemDescription
    case "creator": return creator
    case "type": return type
    default: break
    }
    switch key {
    case .internetPassword(let key):
      switch name {
      case "server": return key.server
      case "protocol": return key.protocol
      case "port": return key.port.map { ByteString("\($0)") }
      case "path": return key.path
      case "securityDomain": return key.securityDomain
      default: break
      }
    case .genericPassword(let key) where name == "service": return key.service
    default: break
    }
    return secretService.lookup?.all.first { $0.name == name }?.value ?? furtherAttributes[name]
  }
}
