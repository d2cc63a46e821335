/// A value that identifies one item of a keychain: its primary key, or the item itself as returned by a keychain.
///
/// A key can be written in place where such a value is expected:
///
/// ```swift
/// try keychain.secret(of: .genericPassword(service: "example", account: "alice"))
/// try keychain.secret(of: .internetPassword(server: "example.com", account: "alice"))
/// ```
///
/// A key identifies the one item that has it, attribute for attribute: an absent account stands for an item without
/// one, not for any item. To search by some attributes, see `SharedKeychain.items(matching:)`.
public protocol ItemIdentifying {
  /// The identified item. Made from a key alone, it has no other attributes and no reference.
  var item: Item { get }
}

extension Item: ItemIdentifying {
  /// The item itself.
  public var item: Item { self }
}

extension Item.Key: ItemIdentifying {
  /// An item with this key.
  public var item: Item { Item(self) }
}

extension InternetPassword: ItemIdentifying {
  /// An item with this key.
  public var item: Item { Item(self) }
}

extension GenericPassword: ItemIdentifying {
  /// An item with this key.
  public var item: Item { Item(self) }
}

extension CryptographicItem: ItemIdentifying {
  /// An item with this key.
  public var item: Item { Item(.cryptographic(self)) }
}

extension SecretServiceItem: ItemIdentifying {
  /// An item with this key.
  public var item: Item { Item(.secretService(self)) }
}

extension ItemIdentifying where Self == Item.Key {
  /// The key of a generic password; see ``GenericPassword``.
  public static func genericPassword(
    service: ByteString, account: ByteString? = nil, accessGroup: ByteString? = nil,
    isSynchronizable: Bool = false
  ) -> Item.Key {
    .genericPassword(
      GenericPassword(
        service: service, account: account, accessGroup: accessGroup, isSynchronizable: isSynchronizable))
  }

  /// The key of a generic password, from texts.
  @_disfavoredOverload
  public static func genericPassword(
    service: String, account: String?, accessGroup: String? = nil, isSynchronizable: Bool = false
  ) -> Item.Key {
    .genericPassword(
      GenericPassword(
        service: service, account: account, accessGroup: accessGroup, isSynchronizable: isSynchronizable))
  }

  /// The key of an internet password, from texts; see
  /// ``InternetPassword/init(server:account:protocol:port:path:accessGroup:isSynchronizable:)``.
  public static func internetPassword(
    server: String, account: String?, protocol: String = "https", port: UInt16? = nil, path: String? = nil,
    accessGroup: String? = nil, isSynchronizable: Bool = false
  ) -> Item.Key {
    .internetPassword(
      InternetPassword(
        server: server, account: account, protocol: `protocol`, port: port, path: path,
        accessGroup: accessGroup, isSynchronizable: isSynchronizable))
  }
}

extension GenericPassword {
  /// Takes the attributes from texts. The account has no default value: otherwise the compiler would choose this
  /// initializer for a call with only a literal.
  @_disfavoredOverload
  public init(
    service: String, account: String?, accessGroup: String? = nil, isSynchronizable: Bool = false
  ) {
    self.init(
      service: ByteString(service), account: account.map { ByteString($0) },
      accessGroup: accessGroup.map { ByteString($0) }, isSynchronizable: isSynchronizable)
  }
}

extension InternetPassword {
  /// Takes the attributes from texts, such as the parts of a URL.
  ///
  /// - Parameters:
  ///   - server: the host name or address, without port or brackets.
  ///   - account: the user name; `nil` for an item without one.
  ///   - protocol: the URL scheme. A password for `https` never answers for another one.
  ///   - port: the TCP port; `nil` means the protocol's own.
  ///   - path: the path on the server, without leading and trailing slashes; `nil` stands for the whole server.
  ///   - accessGroup: the name of the group of programs that share it.
  ///   - isSynchronizable: whether it is wanted on the user's other machines, too.
  public init(
    server: String, account: String?, protocol: String = "https", port: UInt16? = nil, path: String? = nil,
    accessGroup: String? = nil, isSynchronizable: Bool = false
  ) {
    self.init(
      protocol: ByteString(`protocol`), server: ByteString(server), port: port,
      account: account.map { ByteString($0) }, path: path.map { ByteString($0) },
      accessGroup: accessGroup.map { ByteString($0) }, isSynchronizable: isSynchronizable)
  }
}
