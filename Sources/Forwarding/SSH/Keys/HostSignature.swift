import Bytes

/// A parsed signature by a host's key.
package enum HostSignature: Equatable, Sendable {
  /// 64 bytes (RFC 8709, section 6).
  case ed25519([UInt8])
  /// The numbers r and s, without leading zeros (RFC 5656, section 3.1.2). The hash is the curve's.
  case ecdsa(PublicKey.Curve, r: [UInt8], s: [UInt8])
  /// PKCS #1 v1.5, as long as the modulus, with SHA-256 or SHA-512 (RFC 8332, section 3).
  case rsa(hash: RSAHash, [UInt8])

  /// The hashes of RFC 8332. SHA-1, the meaning of `ssh-rsa` in a signature, is never accepted.
  package enum RSAHash: Equatable, Sendable {
    case sha256, sha512
  }

  /// Parses a signature in SSH's encoding.
  ///
  /// - Throws: ``HostKeyError/unsupported`` for an algorithm that isn't accepted; ``HostKeyError/malformed``.
  package init(parsing encoded: UnsafeRawBufferPointer) throws(HostKeyError) {
    self = try malformed { () throws(WireError) in
      var fields = WireReader(encoded)
      let algorithm = try fields.string()
      let signature = try fields.string()
      try fields.end()
      return try Self.read(signature, algorithm: algorithm)
    }
  }

  private static func read(
    _ signature: UnsafeRawBufferPointer, algorithm: UnsafeRawBufferPointer
  ) throws(WireError) -> HostSignature? {
    if algorithm == "ssh-ed25519" {
      guard signature.count == 64 else { throw .value }
      return .ed25519(Array(signature))
    }
    if algorithm == "rsa-sha2-256" { return .rsa(hash: .sha256, Array(signature)) }
    if algorithm == "rsa-sha2-512" { return .rsa(hash: .sha512, Array(signature)) }
    guard let type = KeyType(name: algorithm), case .ecdsa(let curve) = type.base, !type.isCertificate else {
      return nil
    }
    var numbers = WireReader(signature)
    let r = try numbers.unsignedInteger()
    let s = try numbers.unsignedInteger()
    try numbers.end()
    guard 1...curve.coordinateSize ~= r.count, 1...curve.coordinateSize ~= s.count else { throw .value }
    return .ecdsa(curve, r: Array(r), s: Array(s))
  }

  /// Whether keys of that type make such signatures.
  package func belongs(to key: PublicKey) -> Bool {
    switch (self, key) {
    case (.ed25519, .ed25519): true
    case (.ecdsa(let curve, _, _), .ecdsa(let keyCurve, _)): curve == keyCurve
    case (.rsa(_, let signature), .rsa(_, let modulus)): signature.count <= modulus.count
    default: false
    }
  }
}
