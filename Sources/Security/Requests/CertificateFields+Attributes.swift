import Keychain

extension CertificateFields {
  var attributes: [ItemAttribute: ByteString] {
    var attributes: [ItemAttribute: ByteString] = [
      .known("ctyp"): ByteString(String(version)), .known("cenc"): Self.encodingDER,
      .known("issr"): issuer, .known("subj"): subject, .known("slnr"): serialNumber,
    ]
    attributes[.known("skid")] = subjectKeyIdentifier
    attributes[.known("labl")] = commonName
    return attributes
  }

  // CSSM_CERT_ENCODING_DER in cssmtype.h; the types there are the version numbers.
  private static let encodingDER: ByteString = "3"
}
