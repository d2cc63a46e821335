import Bytes
import Keychain
import Properties

@testable import Security

/// The properties of any bytes as a certificate.
enum CertificateProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let bytes = Array(input)
    guard let fields = CertificateFields(bytes) else { return }
    try require(1...3 ~= fields.version, "the version is one that there is")
    try require(CertificateFields(bytes) == fields, "it is read alike twice")
    try require(CertificateFields(bytes + [0]) == nil, "nothing may follow it")
    try require(CertificateFields(Array(bytes.dropLast())) == nil, "nothing may be missing")
    try require(!fields.serialNumber.isEmpty, "there is a serial number")
    for name in [fields.issuer, fields.subject] {
      try require(name.bytes.first == DERTag.sequence, "a name is a sequence")
      var reader = DERReader(name.bytes[...])
      try require(reader.next() != nil && reader.isAtEnd, "a name is one element")
    }
    for part in [
      fields.issuer, fields.subject, fields.serialNumber, fields.subjectKeyIdentifier ?? "",
      fields.commonName ?? "",
    ] { try require(contains(bytes, part.bytes), "what is read stands in the certificate") }
    try require(fields.commonName.map { $0.text != nil } ?? true, "the common name is text")
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    if part.isEmpty { return true }
    return bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}
