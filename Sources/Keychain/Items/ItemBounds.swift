import Bytes

/// The bounds of every keychain, so that an item can move from any keychain to any other.
public enum ItemBounds {
  /// The longest attribute in bytes: a line of git's protocol has at most 65,535, including its LF.
  public static let attribute = 65_534
  /// The longest secret in bytes. Programs keep keys, tokens and sessions of this size in a Secret Service, and
  /// gnome-keyring takes them.
  public static let secret = 1 << 20
  /// The longest refresh token in bytes.
  public static let refreshToken = 65_536
  /// The longest secret of one-time codes in bytes, as a URL.
  public static let oneTimeCode = 4096
  /// An item's hidden fields in bytes, as JSON, at most.
  public static let secretFields = 256 << 10
  /// The largest item without secret and refresh token in bytes, as JSON.
  public static let attributes = 256 << 10
  /// More than the largest item in bytes, as JSON, which takes four bytes for three: room for whole items.
  public static let item = 2 << 20
}

extension Item {
  /// Checks that a keychain can take the item with this credential.
  ///
  /// - Throws: as ``validate()`` and ``Credential/validate()`` do; ``KeychainError/tooLarge(what:limit:)`` if both
  ///   together are larger than ``ItemBounds/attributes``, not counting the secret and the refresh token.
  public func validate(with credential: borrowing Credential) throws(KeychainError) {
    try validate()
    try credential.validate()
    // JSON needs at most six bytes for each byte, plus names and punctuation for each member.
    if byteCount * 6 + 1024 <= ItemBounds.attributes { return }
    var json = JSONWriter()
    json.beginObject()
    json.attributes(of: self)
    json.endObject()
    if json.finish().count > ItemBounds.attributes {
      throw .tooLarge(what: "the item without its secret", limit: ItemBounds.attributes)
    }
  }

  /// Checks that a keychain can take the item.
  ///
  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` if an attribute is longer than ``ItemBounds/attribute``,
  ///   or the primary key of a password contains LF, CR or NUL.
  public func validate() throws(KeychainError) {
    for attribute in Attribute.all {
      try Self.validate(attribute.displayName, self[attribute], mayHaveLines: !attribute.isOfKey)
    }
    if case .cryptographic(let item) = key { try item.primaryAttributes.validate() }
    try furtherAttributes.validate()
    try secretService.lookup?.validate()
  }

  /// Throws if no git, tool or person could ever ask for the item, because a part of the key that every question has
  /// is empty. Programs of Keychain Services can store and find such items.
  package func validateKey() throws(KeychainError) {
    switch key {
    case .internetPassword(let key):
      if key.protocol.isEmpty { throw .unusableAttribute(name: "protocol", .empty) }
      if key.server == nil, key.path == nil { throw .unusableAttribute(name: "server", .empty) }
      // Before the test for invisible characters, to report a line break as such.
      try Self.validate("server", key.server)
      if let server = key.server, hasInvisible(host: server.bytes) {
        throw .unusableAttribute(name: "server", .controlCharacter)
      }
    case .genericPassword(let key):
      if key.service.isEmpty { throw .unusableAttribute(name: "service", .empty) }
    case .cryptographic: break
    case .secretService(let item):
      if item.name.isEmpty { throw .unusableAttribute(name: "name", .empty) }
    }
  }

  private var byteCount: Int {
    // No array: this is called for each of ten thousand items that arrive at once.
    var count = furtherAttributes.byteCount
    for attribute in Attribute.all { count += self[attribute]?.bytes.count ?? 0 }
    if let lookup = secretService.lookup { count += lookup.byteCount + lookup.all.count * 32 }
    if case .cryptographic(let item) = key { count += item.primaryAttributes.byteCount }
    return count
  }

  fileprivate static func validate(
    _ name: @autoclosure () -> String, _ value: ByteString?, mayHaveLines: Bool = false
  ) throws(KeychainError) {
    guard let value else { return }
    if value.bytes.count > ItemBounds.attribute {
      throw .unusableAttribute(name: name(), .tooLong(limit: ItemBounds.attribute))
    }
    if !mayHaveLines, value.bytes.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) {
      throw .unusableAttribute(name: name(), .lineBreak)
    }
  }
}

extension Credential {
  /// Checks that a keychain can take the credential.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)`` if the secret is longer than ``ItemBounds/secret``, or the
  ///   refresh token longer than ``ItemBounds/refreshToken``; ``KeychainError/unusableAttribute(name:_:)`` for an
  ///   authentication scheme that is longer than ``ItemBounds/attribute``, or has LF, CR or NUL.
  public borrowing func validate() throws(KeychainError) {
    if secret.count > ItemBounds.secret { throw .tooLarge(what: "the secret", limit: ItemBounds.secret) }
    if refreshToken.lend({ $0.count > ItemBounds.refreshToken }) ?? false {
      throw .tooLarge(what: "the refresh token", limit: ItemBounds.refreshToken)
    }
    try Item.validate("authtype", authenticationScheme)
    try further.validate()
  }
}
