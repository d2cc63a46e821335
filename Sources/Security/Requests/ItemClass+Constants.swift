import Keychain

extension ItemClass {
  init?(constant: String) {
    guard let found = Self.constants.first(where: { $0.constant == constant }) else { return nil }
    self = found.itemClass
  }

  /// The value of `kSecClass`; empty for the Secret Service's own items, which Keychain Services doesn't have.
  var constant: String {
    Self.constants.first { $0.itemClass == self }?.constant ?? ""
  }

  private static let constants: [(itemClass: ItemClass, constant: String)] = [
    (.internetPassword, kSecClassInternetPassword), (.genericPassword, kSecClassGenericPassword),
    (.certificate, kSecClassCertificate), (.key, kSecClassKey), (.identity, kSecClassIdentity),
  ]

  /// The value of `kSecAttrAccessible` for an item that doesn't store it (SecDbQuery.c).
  var defaultAccessibility: ByteString {
    ByteString(self == .certificate ? kSecAttrAccessibleAlways : kSecAttrAccessibleWhenUnlocked)
  }

  /// The tags of the primary key of this class that items store by tag, besides the access group and synchronizability
  /// (SecItemSchema.c).
  var primaryTags: Set<String> {
    switch self {
    case .internetPassword, .genericPassword, .secretServiceItem, .secretServiceCollection: []
    case .certificate: Self.certificateTags
    case .key: Self.keyTags
    case .identity: Self.certificateTags.union(Self.keyTags)
    }
  }

  private static let certificateTags: Set<String> = ["ctyp", "issr", "slnr"]
  private static let keyTags: Set<String> = [
    "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat",
  ]
}
