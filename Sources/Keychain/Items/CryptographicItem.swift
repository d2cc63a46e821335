import Bytes

/// The attributes that identify a certificate, a key or an identity: its primary key. Such items are stored and found
/// like any other, but not used for cryptography.
public struct CryptographicItem: Hashable, Sendable {
  /// The item's class in Keychain Services.
  public enum Kind: String, Sendable, CaseIterable {
    /// `kSecClassCertificate`
    case certificate
    /// `kSecClassKey`
    case key
    /// `kSecClassIdentity`: a certificate with its private key.
    case identity
  }

  /// The class.
  public var kind: Kind

  /// The attributes that distinguish it from others of its class: for a certificate its type, issuer and serial number
  /// (`ctyp`, `issr`, `slnr`); for a key its class, labels, type and sizes (`kcls`, `klbl`, `atag`, `crtr`, `type`,
  /// `bsiz`, `esiz`, `sdat`, `edat`); for an identity all of these.
  public var primaryAttributes: FurtherAttributes

  /// The name of the group of programs that share it (`kSecAttrAccessGroup`). It is only a name, no security boundary.
  public var accessGroup: ByteString?

  /// Whether a program wants it on the user's other machines, too (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool

  /// Makes an item's key. An empty `accessGroup` becomes `nil`.
  public init(
    _ kind: Kind, _ primaryAttributes: FurtherAttributes, accessGroup: ByteString? = nil,
    isSynchronizable: Bool = false
  ) {
    self.kind = kind
    self.primaryAttributes = primaryAttributes
    self.accessGroup = accessGroup.nonEmpty
    self.isSynchronizable = isSynchronizable
  }
}

extension CryptographicItem {
  /// The name for people, such as `certificate 3039`: a key's application tag, else the serial number or hash.
  package var name: String {
    if let tag = primaryAttributes["atag"], let text = tag.text, !text.isEmpty {
      return "\(kind.rawValue) \(text)"
    }
    for tag in ["slnr", "klbl"] as [ByteString] {
      if let value = primaryAttributes[tag], !value.isEmpty {
        return "\(kind.rawValue) \(hexadecimal(value.bytes))"
      }
    }
    return kind.rawValue
  }
}
