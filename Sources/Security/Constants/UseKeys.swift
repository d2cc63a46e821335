/// The items to work on, deprecated. Refused: use `kSecMatchItemList`.
public let kSecUseItemList: CFString = "u_ItemList"

/// The keychain to add to, on macOS. Refused: there is only one.
public let kSecUseKeychain: CFString = "u_Keychain"

/// The text of a prompt, deprecated. Ignored: the keychain words its own prompts.
public let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether nobody may be asked, a `Bool`, deprecated: like `kSecUseAuthenticationUIFail`.
public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

/// Whether the user may be asked to unlock the keychain (`kSecUseAuthenticationUI…`).
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// An `LAContext`. Refused: Linux has none.
public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// Whether the data-protection keychain is meant. Its rules always apply here.
public let kSecUseDataProtectionKeychain: CFString = "nleg"

/// Whether the keychain of all users is meant. Refused if true.
public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

/// The user may be asked. This is the default.
public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// Nobody is asked: a locked item gives `errSecInteractionNotAllowed`.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// Nobody is asked, and locked items are left out of the result.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
