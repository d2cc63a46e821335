import Bytes
import CGcrypt
import Forwarding

/// The verification of hosts with libgcrypt.
struct GcryptCryptography: HostCryptography {
  private static let isUsable = cgcrypt_start()

  /// Initializes the library. Traps if it is older than the one at build time.
  init() {
    precondition(Self.isUsable, "libgcrypt can't be used")
  }

  func verifies(_ signature: HostSignature, of message: [UInt8], by key: PublicKey) -> Bool {
    switch (signature, key) {
    case (.ed25519(let signature), .ed25519(let key)):
      return lend(key, signature, message) { cgcrypt_verify_ed25519($0[0], $0[1], $0[2]) }
    case (.ecdsa(let signatureCurve, let r, let s), .ecdsa(let curve, let point)):
      guard signatureCurve == curve else { return false }
      return lend(point, r, s, message) {
        cgcrypt_verify_ecdsa(curve.gcryptName, curve.hashName, $0[0], $0[1], $0[2], $0[3])
      }
    case (.rsa(let hash, let signature), .rsa(let exponent, let modulus)):
      return lend(modulus, exponent, signature, message) {
        cgcrypt_verify_rsa(hash.name, $0[0], $0[1], $0[2], $0[3])
      }
    default: return false
    }
  }

  /// HMAC-SHA1 (RFC 2104); no bytes if the library refuses it, which match nothing.
  func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 20) { output, count in
      count = lend(key, message) { cgcrypt_hmac_sha1($0[0], $0[1], output.baseAddress) } ? 20 : 0
    }
  }

  func sha256(_ message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      lend(message) { cgcrypt_sha256($0[0], output.baseAddress) }
      count = 32
    }
  }

  /// Lends the bytes of several arrays for a call.
  private func lend<Result>(_ arrays: [UInt8]..., body: ([cgcrypt_bytes]) -> Result) -> Result {
    func next(_ rest: ArraySlice<[UInt8]>, _ lent: [cgcrypt_bytes]) -> Result {
      guard let array = rest.first else { return body(lent) }
      return array.withUnsafeBytes {
        next(rest.dropFirst(), lent + [cgcrypt_bytes(start: $0.start, count: $0.count)])
      }
    }
    return next(arrays[...], [])
  }
}

extension PublicKey.Curve {
  fileprivate var gcryptName: String {
    switch self {
    case .nistp256: "NIST P-256"
    case .nistp384: "NIST P-384"
    case .nistp521: "NIST P-521"
    }
  }

  /// RFC 5656, section 6.2.1.
  fileprivate var hashName: String {
    switch self {
    case .nistp256: "SHA256"
    case .nistp384: "SHA384"
    case .nistp521: "SHA512"
    }
  }
}

extension HostSignature.RSAHash {
  fileprivate var name: String {
    switch self {
    case .sha256: "sha256"
    case .sha512: "sha512"
    }
  }
}
