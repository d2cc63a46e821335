import Bytes

/// A host's key, without a certificate around it.
package enum PublicKey: Equatable, Sendable {
  /// 32 bytes (RFC 8709, section 4).
  case ed25519([UInt8])
  /// A point, uncompressed (RFC 5656, section 3.1).
  case ecdsa(Curve, [UInt8])
  /// Exponent and modulus, without leading zeros (RFC 4253, section 6.6).
  case rsa(exponent: [UInt8], modulus: [UInt8])

  /// The curves of RFC 5656, section 10.1.
  package enum Curve: String, CaseIterable, Hashable, Sendable {
    case nistp256, nistp384, nistp521

    /// The size of a coordinate, in bytes.
    package var coordinateSize: Int {
      switch self {
      case .nistp256: 32
      case .nistp384: 48
      case .nistp521: 66
      }
    }
  }

  /// The accepted sizes of an RSA modulus, in bits, as in OpenSSH.
  package static let moduli = 1024...16384

  /// Parses a key in SSH's encoding.
  ///
  /// - Throws: ``HostKeyError/unsupported`` for any other type of key, also a security key's;
  ///   ``HostKeyError/malformed`` if it isn't encoded correctly.
  package init(parsing encoded: UnsafeRawBufferPointer) throws(HostKeyError) {
    self = try malformed { () throws(WireError) in
      var fields = WireReader(encoded)
      guard let type = KeyType(name: try fields.string()), !type.isCertificate else { return nil }
      let key = try type.readKey(&fields)
      try fields.end()
      return key
    }
  }
}

/// Why a host's key, certificate or signature isn't accepted.
package enum HostKeyError: Error, Equatable, Sendable {
  /// A type that is unknown or not trusted.
  case unsupported
  case malformed
}

/// Runs a parser that returns `nil` for an unsupported type.
func malformed<Value>(_ parse: () throws(WireError) -> Value?) throws(HostKeyError) -> Value {
  let value: Value?
  do throws(WireError) {
    value = try parse()
  } catch {
    throw .malformed
  }
  guard let value else { throw .unsupported }
  return value
}

/// A type of keys, with its name in SSH's encoding.
struct KeyType: Equatable {
  enum Base: Equatable {
    case ed25519
    case ecdsa(PublicKey.Curve)
    case rsa
  }

  let base: Base
  let isCertificate: Bool

  /// `nil` for a type that isn't supported.
  init?(name: UnsafeRawBufferPointer) {
    guard let text = ByteString(name).text else { return nil }
    let suffix = "-cert-v01@openssh.com"
    isCertificate = text.hasSuffix(suffix)
    switch isCertificate ? String(text.dropLast(suffix.count)) : text {
    case "ssh-ed25519": base = .ed25519
    case "ssh-rsa": base = .rsa
    case let name:
      guard name.hasPrefix("ecdsa-sha2-"),
        let curve = PublicKey.Curve(rawValue: String(name.dropFirst("ecdsa-sha2-".count)))
      else { return nil }
      base = .ecdsa(curve)
    }
  }

  func readKey(_ fields: inout WireReader) throws(WireError) -> PublicKey {
    switch base {
    case .ed25519:
      let key = try fields.string()
      guard key.count == 32 else { throw .value }
      return .ed25519(Array(key))
    case .ecdsa(let curve):
      guard ByteString(try fields.string()) == ByteString(curve.rawValue) else { throw .value }
      let point = try fields.string()
      guard point.count == 1 + 2 * curve.coordinateSize, point.first == 4 else { throw .value }
      return .ecdsa(curve, Array(point))
    case .rsa:
      let exponent = try fields.unsignedInteger()
      let modulus = try fields.unsignedInteger()
      guard let first = modulus.first, !exponent.isEmpty, exponent.count <= 8 else { throw .value }
      let bits = modulus.count * 8 - first.leadingZeroBitCount
      guard PublicKey.moduli ~= bits else { throw .value }
      return .rsa(exponent: Array(exponent), modulus: Array(modulus))
    }
  }
}
