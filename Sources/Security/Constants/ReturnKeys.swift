/// Whether the secret is returned, as `Data`.
public let kSecReturnData: CFString = "r_Data"

/// Whether the attributes are returned, as a dictionary.
public let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether a reference is returned, a ``SecKeychainItem``.
public let kSecReturnRef: CFString = "r_Ref"

/// Whether a persistent reference is returned, `Data` that can be saved.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
