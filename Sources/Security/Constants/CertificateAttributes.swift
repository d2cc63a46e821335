/// A certificate's subject name, its DER as `Data`.
public let kSecAttrSubject: CFString = "subj"

/// A certificate's issuer name, its DER as `Data`; part of the primary key.
public let kSecAttrIssuer: CFString = "issr"

/// A certificate's serial number, its bytes as `Data`; part of the primary key.
public let kSecAttrSerialNumber: CFString = "slnr"

/// A certificate's subject key identifier, `Data`.
public let kSecAttrSubjectKeyID: CFString = "skid"

/// The SHA-1 of a certificate's public key, `Data`.
public let kSecAttrPublicKeyHash: CFString = "pkhh"

/// A certificate's type, a number; part of the primary key.
public let kSecAttrCertificateType: CFString = "ctyp"

/// A certificate's encoding, a number.
public let kSecAttrCertificateEncoding: CFString = "cenc"
