/// Whether a key is public, private or symmetric (`kSecAttrKeyClass…`); part of the primary key.
public let kSecAttrKeyClass: CFString = "kcls"

/// A key's label for programs, `Data`, usually a hash; part of the primary key.
public let kSecAttrApplicationLabel: CFString = "klbl"

/// Whether a key is stored in the keychain, a `Bool`.
public let kSecAttrIsPermanent: CFString = "perm"

/// Whether a key leaves the keychain only encrypted, a `Bool`. Stored, but without effect on Linux.
public let kSecAttrIsSensitive: CFString = "sens"

/// Whether a key can leave the keychain, a `Bool`. Stored, but without effect on Linux.
public let kSecAttrIsExtractable: CFString = "extr"

/// A key's tag for programs, `Data`; part of the primary key.
public let kSecAttrApplicationTag: CFString = "atag"

/// A key's algorithm (`kSecAttrKeyType…`); part of the primary key.
public let kSecAttrKeyType: CFString = "type"

/// The pseudorandom function of a key derivation. Refused: keys are not derived here.
public let kSecAttrPRF: CFString = "prf"

/// The salt of a key derivation. Refused.
public let kSecAttrSalt: CFString = "salt"

/// The rounds of a key derivation. Refused.
public let kSecAttrRounds: CFString = "rounds"

/// A key's size in bits, a number; part of the primary key.
public let kSecAttrKeySizeInBits: CFString = "bsiz"

/// The number of effective bits of a key; part of the primary key.
public let kSecAttrEffectiveKeySize: CFString = "esiz"

/// Whether a key can encrypt, a `Bool`.
public let kSecAttrCanEncrypt: CFString = "encr"

/// Whether a key can decrypt, a `Bool`.
public let kSecAttrCanDecrypt: CFString = "decr"

/// Whether keys can be derived from a key, a `Bool`.
public let kSecAttrCanDerive: CFString = "drve"

/// Whether a key can sign, a `Bool`.
public let kSecAttrCanSign: CFString = "sign"

/// Whether a key can verify signatures, a `Bool`.
public let kSecAttrCanVerify: CFString = "vrfy"

/// Whether a key can wrap another, a `Bool`.
public let kSecAttrCanWrap: CFString = "wrap"

/// Whether a key can unwrap another, a `Bool`.
public let kSecAttrCanUnwrap: CFString = "unwp"

/// The key for attributes of the private key when a pair is generated.
public let kSecPrivateKeyAttrs: CFString = "private"

/// The key for attributes of the public key when a pair is generated.
public let kSecPublicKeyAttrs: CFString = "public"

/// The class of public keys.
public let kSecAttrKeyClassPublic: CFString = "0"

/// The class of private keys.
public let kSecAttrKeyClassPrivate: CFString = "1"

/// The class of symmetric keys.
public let kSecAttrKeyClassSymmetric: CFString = "2"

/// RSA.
public let kSecAttrKeyTypeRSA: CFString = "42"

/// DSA.
public let kSecAttrKeyTypeDSA: CFString = "43"

/// AES.
public let kSecAttrKeyTypeAES: CFString = "2147483649"

/// DES.
public let kSecAttrKeyTypeDES: CFString = "14"

/// Triple DES.
public let kSecAttrKeyType3DES: CFString = "17"

/// RC4.
public let kSecAttrKeyTypeRC4: CFString = "25"

/// RC2.
public let kSecAttrKeyTypeRC2: CFString = "23"

/// CAST.
public let kSecAttrKeyTypeCAST: CFString = "56"

/// Elliptic curves, by the name of their signatures.
public let kSecAttrKeyTypeECDSA: CFString = "73"

/// Elliptic curves.
public let kSecAttrKeyTypeEC: CFString = "73"

/// Elliptic curves over prime fields (SEC 2).
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"

/// HMAC with SHA-1.
public let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1"

/// HMAC with SHA-224.
public let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224"

/// HMAC with SHA-256.
public let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256"

/// HMAC with SHA-384.
public let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384"

/// HMAC with SHA-512.
public let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512"
