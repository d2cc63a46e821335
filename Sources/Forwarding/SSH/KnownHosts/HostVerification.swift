import Bytes

/// The cryptography for verifying hosts, a parameter so that this module links no library.
package protocol HostCryptography {
  func verifies(_ signature: HostSignature, of message: [UInt8], by key: PublicKey) -> Bool
  /// HMAC-SHA1 (RFC 2104): 20 bytes.
  func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8]
  /// SHA-256: 32 bytes.
  func sha256(_ message: [UInt8]) -> [UInt8]
}

/// A host's key that was proven by its signature, and the certificate around it.
package struct HostKey: Equatable, Sendable {
  /// The negotiated key in SSH's encoding: a certificate, or the plain key.
  package let encoded: [UInt8]
  package let key: PublicKey
  /// The certificate, if it is one. Its authority has not been verified yet.
  package let certificate: HostCertificate?

  package init(parsing encoded: [UInt8]) throws(HostKeyError) {
    self = try encoded.lendingBytes { (bytes) throws(HostKeyError) -> HostKey in
      let certificate = try HostCertificate(parsing: bytes)
      let key = if let certificate { certificate.key } else { try PublicKey(parsing: bytes) }
      return HostKey(
        encoded: encoded, key: key, certificate: certificate)
    }
  }

  private init(encoded: [UInt8], key: PublicKey, certificate: HostCertificate?) {
    self.encoded = encoded
    self.key = key
    self.certificate = certificate
  }

  package var plain: [UInt8] { certificate == nil ? encoded : key.encoded }

  /// The fingerprint of the plain key as `ssh-keygen -l` prints it, `SHA256:` and base64.
  package func fingerprint(_ cryptography: some HostCryptography) -> String {
    "SHA256:" + cryptography.sha256(plain).withUnsafeBytes { Base64.encode($0) }
  }
}

extension SessionBind {
  /// The host's key, if it has signed the session identifier: its owner has taken part in that session once. It proves
  /// neither who speaks now, nor the purpose of the connection. Returns `nil` for a signature that isn't the key's, and
  /// for keys and algorithms that aren't accepted.
  package func verifiedHostKey(_ cryptography: some HostCryptography) -> HostKey? {
    do throws(HostKeyError) {
      let host = try HostKey(parsing: hostKey)
      let signature = try signature.lendingBytes { (bytes) throws(HostKeyError) in
        try HostSignature(parsing: bytes)
      }
      guard signature.belongs(to: host.key), cryptography.verifies(signature, of: sessionID, by: host.key)
      else {
        return nil
      }
      return host
    } catch {
      return nil
    }
  }
}

extension KnownHosts {
  /// Whether the key is the host's: a line names it, or a certificate around it is valid for the host and was issued by
  /// an authority that a line names (OpenSSH's PROTOCOL.certkeys). A revoked key is nobody's. As in OpenSSH, lines for
  /// the name without its port count if none of their kind has the port.
  ///
  /// - Parameters:
  ///   - host: the name as in `known_hosts`.
  ///   - key: the host's key, with proven ownership.
  ///   - now: the present time, in seconds since the Unix epoch.
  package func identifies(
    _ host: HostName, by key: HostKey, at now: UInt64, _ cryptography: some HostCryptography
  ) -> Bool {
    let hash: HostNameHash = { cryptography.hmacSHA1(key: $0, $1) }
    if isRevoked(key.encoded) || isRevoked(key.plain) { return false }
    if names(key.plain, of: listed(host, marker: nil, hash), hash) { return true }
    guard let certificate = key.certificate, !isRevoked(certificate.authorityKey),
      certificate.isForHost, certificate.isValid(at: now), !certificate.hasCriticalOptions,
      certificate.principals.contains(where: {
        WildcardPattern.matches($0.lowercased.bytes, host.withoutPort.bytes)
      }),
      trusts(
        authority: certificate.authorityKey, for: listed(host, marker: .certificateAuthority, hash), hash)
    else { return false }
    return certificate.isSignedByItsAuthority(cryptography)
  }

  /// The lines that may concern a host, whatever its key. For hashed names, finding them costs an HMAC for each line.
  package func lines(about host: HostName, _ cryptography: some HostCryptography) -> KnownHosts {
    let hash: HostNameHash = { cryptography.hmacSHA1(key: $0, $1) }
    let whole = HostName(host.withoutPort)
    return filtered { entry in
      entry.marker == .revoked || entry.hosts.match(host, hash)
        || whole.map { entry.hosts.match($0, hash) } ?? false
    }
  }

  private func listed(_ host: HostName, marker: Entry.Marker?, _ hash: HostNameHash) -> HostName {
    let isListed = entries.contains { $0.marker == marker && $0.hosts.match(host, hash) }
    return isListed ? host : HostName(host.withoutPort) ?? host
  }
}

extension HostCertificate {
  /// Whether the certificate's own authority has signed it.
  func isSignedByItsAuthority(_ cryptography: some HostCryptography) -> Bool {
    do throws(HostKeyError) {
      let authority = try authorityKey.lendingBytes { (bytes) throws(HostKeyError) in
        try PublicKey(parsing: bytes)
      }
      let signature = try signature.lendingBytes { (bytes) throws(HostKeyError) in
        try HostSignature(parsing: bytes)
      }
      return signature.belongs(to: authority) && cryptography.verifies(signature, of: signed, by: authority)
    } catch {
      return false
    }
  }
}

extension PublicKey {
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .ed25519(let key):
      bytes.append(wireString: "ssh-ed25519")
      bytes.append(wireString: key)
    case .ecdsa(let curve, let point):
      bytes.append(wireString: Array("ecdsa-sha2-\(curve.rawValue)".utf8))
      bytes.append(wireString: Array(curve.rawValue.utf8))
      bytes.append(wireString: point)
    case .rsa(let exponent, let modulus):
      bytes.append(wireString: "ssh-rsa")
      for number in [exponent, modulus] {
        bytes.append(wireString: number.first.map { $0 & 0x80 != 0 } ?? false ? [0] + number : number)
      }
    }
    return bytes
  }
}
