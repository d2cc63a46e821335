import Bytes
import Keychain

/// The fields of a certificate that become attributes of its item (RFC 5280 section 4.1). Nothing is verified.
struct CertificateFields: Hashable, Sendable {
  /// 1, 2 or 3.
  let version: Int
  /// The issuer's name in DER.
  let issuer: ByteString
  /// The subject's name in DER.
  let subject: ByteString
  /// The serial number, as the certificate encodes it.
  let serialNumber: ByteString
  private(set) var subjectKeyIdentifier: ByteString?
  /// The subject's common name, if it is UTF-8 or ASCII.
  let commonName: ByteString?

  init?(_ der: [UInt8]) {
    var outside = DERReader(der[...])
    guard let certificate = outside.next(DERTag.sequence), outside.isAtEnd else { return nil }
    var parts = DERReader(certificate.contents)
    guard let signed = parts.next(DERTag.sequence), parts.next(DERTag.sequence) != nil,
      parts.next(DERTag.bitString) != nil, parts.isAtEnd
    else { return nil }
    var fields = DERReader(signed.contents)
    guard let version = Self.version(&fields) else { return nil }
    self.version = version
    guard let serialNumber = fields.next(DERTag.integer), !serialNumber.contents.isEmpty,
      fields.next(DERTag.sequence) != nil,
      let issuer = fields.next(DERTag.sequence),
      fields.next(DERTag.sequence) != nil,
      let subject = fields.next(DERTag.sequence),
      fields.next(DERTag.sequence) != nil
    else { return nil }
    self.serialNumber = ByteString(Array(serialNumber.contents))
    self.issuer = ByteString(Array(issuer.whole))
    self.subject = ByteString(Array(subject.whole))
    commonName = Self.commonName(subject.contents)
    guard readExtensions(&fields, version) else { return nil }
  }

  private static let subjectKeyIdentifierOID: [UInt8] = [0x55, 0x1d, 0x0e]
  private static let commonNameOID: [UInt8] = [0x55, 0x04, 0x03]

  private static func version(_ fields: inout DERReader<ArraySlice<UInt8>>) -> Int? {
    guard fields.nextTag == DERTag.tagged(0) else { return 1 }
    guard let tagged = fields.next() else { return nil }
    var inside = DERReader(tagged.contents)
    guard let number = inside.next(DERTag.integer), inside.isAtEnd, number.contents.count == 1,
      let value = number.contents.first, value <= 2
    else { return nil }
    return Int(value) + 1
  }

  private mutating func readExtensions(_ fields: inout DERReader<ArraySlice<UInt8>>, _ version: Int) -> Bool {
    for tag in [DERTag.taggedBytes(1), DERTag.taggedBytes(2)] where fields.nextTag == tag {
      guard fields.next() != nil else { return false }
    }
    if fields.isAtEnd { return true }
    guard version == 3, let tagged = fields.next(DERTag.tagged(3)), fields.isAtEnd else { return false }
    var inside = DERReader(tagged.contents)
    guard let list = inside.next(DERTag.sequence), inside.isAtEnd else { return false }
    var extensions = DERReader(list.contents)
    while !extensions.isAtEnd {
      guard let element = extensions.next(DERTag.sequence) else { return false }
      var parts = DERReader(element.contents)
      guard let identifier = parts.next(DERTag.objectIdentifier) else { return false }
      if parts.nextTag == DERTag.boolean, parts.next() == nil { return false }
      guard let value = parts.next(DERTag.octetString), parts.isAtEnd else { return false }
      if identifier.contents.elementsEqual(Self.subjectKeyIdentifierOID) {
        var inside = DERReader(value.contents)
        guard let key = inside.next(DERTag.octetString), inside.isAtEnd else { return false }
        subjectKeyIdentifier = ByteString(Array(key.contents))
      }
    }
    return true
  }

  private static func commonName(_ name: ArraySlice<UInt8>) -> ByteString? {
    var sets = DERReader(name)
    while let set = sets.next(DERTag.set) {
      var attributes = DERReader(set.contents)
      while let attribute = attributes.next(DERTag.sequence) {
        var parts = DERReader(attribute.contents)
        guard let identifier = parts.next(DERTag.objectIdentifier), let value = parts.next() else {
          continue
        }
        // UTF8String, PrintableString, IA5String.
        guard identifier.contents.elementsEqual(commonNameOID), [0x0c, 0x13, 0x16].contains(value.tag) else {
          continue
        }
        let text = ByteString(Array(value.contents))
        if text.text != nil { return text }
      }
    }
    return nil
  }
}
