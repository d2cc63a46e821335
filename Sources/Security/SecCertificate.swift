public import Foundation

/// A reference to a certificate in the keychain, or to one to add. It is only stored and found; nothing is verified.
public final class SecCertificate: Sendable {
  let data: Data
  let fields: CertificateFields

  /// Parses a certificate in DER; `nil` for anything else.
  init?(_ data: Data) {
    guard let fields = CertificateFields([UInt8](data)) else { return nil }
    self.data = data
    self.fields = fields
  }
}

/// Returns the certificate with this encoding.
///
/// - Parameters:
///   - allocator: `nil`.
///   - data: an X.509 certificate in DER.
/// - Returns: `nil` if the data is anything else.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  SecCertificate(data)
}

/// The certificate's encoding in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
  certificate.data
}
