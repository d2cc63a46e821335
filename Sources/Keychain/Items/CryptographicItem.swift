import Bytes

/// The attributes that make a certificate, a key or an identity the item it is: its primary key.
///
/// Such items are kept and found as any other; nothing is computed with them.
public struct CryptographicItem: Hashable, Sendable {
  /// Which class of Keychain Services it is of.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// `kSecClassCertificate`
    case certificate
    /// `kSecClassKey`
    case key
    /// `kSecClassIdentity`: a certificate with its private key.
    case identity
  }

  /// The class.
  public var kind: Kind

  /// The attributes that tell it from others of its class: of a certificate its type, issuer and serial number (`ctyp`,
  /// `issr`, `slnr`), of a key its class, labels, type and sizes (`kcls`, `klbl`, `atag`, `crtr`, `type`, `bsiz`,
  /// `esiz`, `sdat`, `edat`), of an identity all of these.
  public var primaryAttributes: FurtherAttributes

  /// The name of the group of programs that share it (`kSecAttrAccessGroup`). It is a name and no boundary.
  public var accessGroup: ByteString?

  /// Whether a program wants it on the user's other machines, too (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool

  /// Takes the attributes. An empty `accessGroup` becomes `nil`.
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
  /// The item as a person would name it: `certificate 3039`, by the application's name for a key, else its serial number
  /// or hash.
  package var name: String {
    if let tag = primaryAttributes["atag"], let text = tag.text, !text.isEmpty {
      return "\(kind.name) \(text)"
    }
    for tag in ["slnr", "klbl"] as [ByteString] {
      if let value = primaryAttributes[tag], !value.isEmpty {
        return "\(kind.name) \(hexadecimal(value.bytes))"
      }
    }
    return kind.name
  }
}

extension CryptographicItem.Kind {
  /// In a word.
  package var name: String {
    switch self {
    case .certificate: "certificate"
    case .key: "key"
    case .identity: "identity"
    }
  }
}
