/// Can be read while the device is unlocked.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"

/// Can be read once the device has been unlocked.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"

/// Can always be read.
public let kSecAttrAccessibleAlways: CFString = "dk"

/// Can be read while the device is unlocked and has a passcode; stays on it.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"

/// Can be read while the device is unlocked; stays on it.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"

/// Can be read once the device has been unlocked; stays on it.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"

/// Can always be read; stays on the device.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
