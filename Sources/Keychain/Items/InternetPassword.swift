/// The attributes that identify an internet password: its primary key.
///
/// The names are those of Apple's Keychain Services (`kSecAttrServer`, `kSecAttrProtocol`, …). Nothing here is secret,
/// but account names are nobody else's business either.
public struct InternetPassword: Hashable, Sendable {
  /// The host name or address, without port or brackets. `nil` without a host, as for git's certificate passphrases.
  public var server: ByteString?

  /// The URL scheme: `https`, `ssh`, `imap`, `cert`, … Empty if a program of Keychain Services gave none; then neither
  /// git nor any other tool ever finds the item.
  public var `protocol`: ByteString

  /// The TCP port, 1 to 65535. `nil` means the protocol's own port.
  public var port: UInt16?

  /// The user name. Empty is a value; `nil` means that the item has none.
  public var account: ByteString?

  /// The path on the server, without leading and trailing slashes. `nil` stands for the whole server.
  public var path: ByteString?

  /// The tool that stored the item for itself (`docker`, …); `nil` for git and people.
  public var securityDomain: ByteString?

  /// How the server asks for it, as `kSecAttrAuthenticationType`. `nil` is the default.
  public var authenticationType: ByteString?

  /// The name of the group of programs that share it (`kSecAttrAccessGroup`). It is only a name, no security boundary.
  public var accessGroup: ByteString?

  /// Whether a program wants it on the user's other machines, too (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool

  /// Takes the attributes. An empty `server`, `path`, `securityDomain`, `authenticationType` or `accessGroup` becomes
  /// `nil`, because Keychain Services doesn't distinguish the two; an empty `account` stays.
  public init(
    protocol: ByteString, server: ByteString?, port: UInt16? = nil, account: ByteString? = nil,
    path: ByteString? = nil, securityDomain: ByteString? = nil, authenticationType: ByteString? = nil,
    accessGroup: ByteString? = nil, isSynchronizable: Bool = false
  ) {
    self.protocol = Self.known(`protocol`)?.name ?? `protocol`
    self.server = server.nonEmpty
    self.port = port
    self.account = account
    self.path = path.nonEmpty
    self.securityDomain = securityDomain.nonEmpty
    self.authenticationType = authenticationType.nonEmpty
    self.accessGroup = accessGroup.nonEmpty
    self.isSynchronizable = isSynchronizable
  }

  /// The item's key in its normal form: server and protocol in lower case, the port written out if it is known. Two
  /// items with equal primary keys are one item.
  public var primaryKey: InternetPassword {
    var key = self
    key.server = server?.lowercased
    key.protocol = `protocol`.lowercased
    key.port = effectivePort
    return key
  }

  func isSame(butForServer other: InternetPassword) -> Bool {
    var key = self
    key.server = other.server
    return key.primaryKey == other.primaryKey
  }

  /// Whether it is for a host, in any of its forms.
  package func isOn(_ host: ByteString) -> Bool { server.map { HostForms.areSame($0, host) } ?? false }
}

extension ByteString? {
  /// The value; `nil` if it is empty.
  package var nonEmpty: ByteString? {
    self?.isEmpty == true ? nil : self
  }
}

/// The attributes that identify a generic password: its primary key.
///
/// It is for something without a host: an AWS profile, or a service name of a program. The names are those of Keychain
/// Services.
public struct GenericPassword: Hashable, Sendable {
  /// A program's name for it (`kSecAttrService`); tools use `TOOL:KEY`. Empty if a program gave none.
  public var service: ByteString

  /// The user name. Empty is a value; `nil` means that the item has none.
  public var account: ByteString?

  /// The name of the group of programs that share it (`kSecAttrAccessGroup`). It is only a name, no security boundary.
  public var accessGroup: ByteString?

  /// Whether a program wants it on the user's other machines, too (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool

  /// Takes the attributes. An empty `accessGroup` becomes `nil`.
  public init(
    service: ByteString, account: ByteString? = nil, accessGroup: ByteString? = nil,
    isSynchronizable: Bool = false
  ) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup.nonEmpty
    self.isSynchronizable = isSynchronizable
  }
}
