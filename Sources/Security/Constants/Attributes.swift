/// When an item can be read (`kSecAttrAccessible…`). Stored, but without effect on Linux.
public let kSecAttrAccessible: CFString = "pdmn"

/// Which programs may use an item on macOS (`SecAccess`). Refused: Linux has nothing like it.
public let kSecAttrAccess: CFString = "acls"

/// An item's access control (``SecAccessControl``).
public let kSecAttrAccessControl: CFString = "accc"

/// The access group, a `String`; part of the primary key, but not a security boundary on Linux.
public let kSecAttrAccessGroup: CFString = "agrp"

/// Whether an item is marked for synchronization, a `Bool`; part of the primary key. Nothing is sent.
public let kSecAttrSynchronizable: CFString = "sync"

/// The value of `kSecAttrSynchronizable` that finds both kinds of items.
public let kSecAttrSynchronizableAny: CFString = "syna"

/// When an item was added, a `Date`. Set by the keychain.
public let kSecAttrCreationDate: CFString = "cdat"

/// When an item was last changed, a `Date`. Set by the keychain.
public let kSecAttrModificationDate: CFString = "mdat"

/// The kind of item, for people, a `String`.
public let kSecAttrDescription: CFString = "desc"

/// A remark for people, a `String`.
public let kSecAttrComment: CFString = "icmt"

/// The program that made the item, a four-character code as a number.
public let kSecAttrCreator: CFString = "crtr"

/// The program's own type of item, a four-character code as a number.
public let kSecAttrType: CFString = "type"

/// The name for people, a `String`.
public let kSecAttrLabel: CFString = "labl"

/// Whether programs that list items should leave this one out, a `Bool`.
public let kSecAttrIsInvisible: CFString = "invi"

/// Whether the item stands for a password that must not be stored, a `Bool`.
public let kSecAttrIsNegative: CFString = "nega"

/// The user name, a `String`; part of the primary key.
public let kSecAttrAccount: CFString = "acct"

/// A generic password's service, a `String`; part of the primary key.
public let kSecAttrService: CFString = "svce"

/// A generic password's own attribute, `Data`.
public let kSecAttrGeneric: CFString = "gena"

/// An internet password's security domain, a `String`; part of the primary key.
public let kSecAttrSecurityDomain: CFString = "sdmn"

/// An internet password's host, a `String`; part of the primary key.
public let kSecAttrServer: CFString = "srvr"

/// An internet password's protocol (`kSecAttrProtocol…`); part of the primary key.
public let kSecAttrProtocol: CFString = "ptcl"

/// An internet password's scheme (`kSecAttrAuthenticationType…`); part of the primary key.
public let kSecAttrAuthenticationType: CFString = "atyp"

/// An internet password's port, a number; part of the primary key. 0 is none.
public let kSecAttrPort: CFString = "port"

/// An internet password's path, a `String`; part of the primary key.
public let kSecAttrPath: CFString = "path"

/// Where the item would be synchronized, a `String`. Stored, but without effect on Linux.
public let kSecAttrSyncViewHint: CFString = "vwht"

/// The token that holds the item. Refused: there are none on Linux.
public let kSecAttrTokenID: CFString = "tkid"

/// The persistent reference as an attribute, in its first spelling. Refused.
public let kSecAttrPersistantReference: CFString = "persistref"

/// The persistent reference as an attribute. Refused: `kSecValuePersistentRef` finds an item by it.
public let kSecAttrPersistentReference: CFString = "persistref"

/// The token of the Secure Enclave.
public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

/// The access group of items on tokens.
public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
