package import Bytes

/// A certificate of a key (OpenSSH's PROTOCOL.certkeys), parsed and not verified.
package struct HostCertificate: Equatable, Sendable {
  package let key: PublicKey
  /// Whether it was issued for a host, not for a user.
  package let isForHost: Bool
  package let principals: [ByteString]
  /// The first second in which it is valid, since the Unix epoch.
  package let validAfter: UInt64
  /// The first second in which it is no longer valid.
  package let validBefore: UInt64
  /// Whether it has critical options. None is defined for hosts, so such a certificate isn't accepted.
  package let hasCriticalOptions: Bool
  /// The signing authority's key, in SSH's encoding.
  package let authorityKey: [UInt8]
  package let signed: [UInt8]
  /// The authority's signature, in SSH's encoding.
  package let signature: [UInt8]

  /// The largest number of principals, as in OpenSSH (`SSHKEY_CERT_MAX_PRINCIPALS`).
  package static let maximumPrincipals = 256

  /// Parses a certificate; `nil` if the bytes are a plain key, or of an unsupported type.
  ///
  /// - Throws: ``HostKeyError/malformed``; ``HostKeyError/unsupported`` for a certificate of another type of key.
  package init?(parsing encoded: UnsafeRawBufferPointer) throws(HostKeyError) {
    var head = WireReader(encoded)
    guard let name = try? head.string(), let type = KeyType(name: name), type.isCertificate else {
      return nil
    }
    self = try malformed { () throws(WireError) in
      var fields = head
      _ = try fields.string()  // The nonce.
      let key = try type.readKey(&fields)
      _ = try fields.uint64()  // The serial number.
      let use = try fields.uint32()
      _ = try fields.string()  // The key identifier.
      let principals = try Self.strings(in: try fields.string())
      let validAfter = try fields.uint64()
      let validBefore = try fields.uint64()
      let criticalOptions = try fields.string()
      _ = try fields.string()  // Extensions.
      _ = try fields.string()  // Reserved.
      let authorityKey = try fields.string()
      let signed = encoded.part(0, encoded.count - fields.rest.count)
      let signature = try fields.string()
      try fields.end()
      guard use == 1 || use == 2 else { throw .value }
      return HostCertificate(
        key: key, isForHost: use == 2, principals: principals, validAfter: validAfter,
        validBefore: validBefore,
        hasCriticalOptions: !criticalOptions.isEmpty, authorityKey: Array(authorityKey),
        signed: Array(signed),
        signature: Array(signature))
    }
  }

  private init(
    key: PublicKey, isForHost: Bool, principals: [ByteString], validAfter: UInt64, validBefore: UInt64,
    hasCriticalOptions: Bool, authorityKey: [UInt8], signed: [UInt8], signature: [UInt8]
  ) {
    self.key = key
    self.isForHost = isForHost
    self.principals = principals
    self.validAfter = validAfter
    self.validBefore = validBefore
    self.hasCriticalOptions = hasCriticalOptions
    self.authorityKey = authorityKey
    self.signed = signed
    self.signature = signature
  }

  private static func strings(in bytes: UnsafeRawBufferPointer) throws(WireError) -> [ByteString] {
    var fields = WireReader(bytes)
    var strings: [ByteString] = []
    while !fields.rest.isEmpty {
      guard strings.count < maximumPrincipals else { throw .value }
      strings.append(ByteString(try fields.string()))
    }
    return strings
  }

  /// Whether it is valid at that time, in seconds since the Unix epoch.
  package func isValid(at seconds: UInt64) -> Bool { validAfter <= seconds && seconds < validBefore }
}
