/// The secret, `Data`.
public let kSecValueData: CFString = "v_Data"

/// A reference to an item, a ``SecKeychainItem``.
public let kSecValueRef: CFString = "v_Ref"

/// A persistent reference to an item, `Data`.
public let kSecValuePersistentRef: CFString = "v_PersistentRef"
