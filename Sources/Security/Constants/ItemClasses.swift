/// The key for an item's class, required in every dictionary except one with a reference.
public let kSecClass: CFString = "class"

/// The class of passwords for servers.
public let kSecClassInternetPassword: CFString = "inet"

/// The class of passwords for anything else.
public let kSecClassGenericPassword: CFString = "genp"

/// The class of certificates.
public let kSecClassCertificate: CFString = "cert"

/// The class of cryptographic keys.
public let kSecClassKey: CFString = "keys"

/// The class of a certificate together with its private key.
public let kSecClassIdentity: CFString = "idnt"
