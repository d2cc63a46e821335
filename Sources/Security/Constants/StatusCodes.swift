/// The result of a function: 0 for success, otherwise one of `errSec…`.
public typealias OSStatus = Int32

/// No error, by its older name.
public let noErr: OSStatus = 0

/// No error.
public let errSecSuccess: OSStatus = 0

/// The function is not implemented.
public let errSecUnimplemented: OSStatus = -4

/// The disk is full.
public let errSecDiskFull: OSStatus = -34

/// Reading or writing failed.
public let errSecIO: OSStatus = -36

/// A parameter is not valid: a key, a value or a combination of these.
public let errSecParam: OSStatus = -50

/// The keychain is not writable.
public let errSecWrPerm: OSStatus = -61

/// There is not enough memory.
public let errSecAllocate: OSStatus = -108

/// The user declined.
public let errSecUserCanceled: OSStatus = -128

/// The request makes no sense in this state.
public let errSecBadReq: OSStatus = -909

/// Only programs with an entitlement may do this.
public let errSecMissingEntitlement: OSStatus = -34_018

/// No keychain can be used.
public let errSecNotAvailable: OSStatus = -25_291

/// The keychain can't be changed.
public let errSecReadOnly: OSStatus = -25_292

/// The passphrase is wrong.
public let errSecAuthFailed: OSStatus = -25_293

/// There is no such keychain.
public let errSecNoSuchKeychain: OSStatus = -25_294

/// The keychain is damaged, or is not a keychain.
public let errSecInvalidKeychain: OSStatus = -25_295

/// There is already a keychain with that name.
public let errSecDuplicateKeychain: OSStatus = -25_296

/// There is already an item with this primary key.
public let errSecDuplicateItem: OSStatus = -25_299

/// No item matches.
public let errSecItemNotFound: OSStatus = -25_300

/// There is not enough memory for the item.
public let errSecBufferTooSmall: OSStatus = -25_301

/// An attribute or the secret is too long.
public let errSecDataTooLarge: OSStatus = -25_302

/// Items of this class have no such attribute.
public let errSecNoSuchAttr: OSStatus = -25_303

/// The reference is to something other than an item, or to one that is gone.
public let errSecInvalidItemRef: OSStatus = -25_304

/// The keychain can't be searched.
public let errSecInvalidSearchRef: OSStatus = -25_305

/// There is no such class.
public let errSecNoSuchClass: OSStatus = -25_306

/// There is no default keychain.
public let errSecNoDefaultKeychain: OSStatus = -25_307

/// The keychain is locked, and nobody could or should be asked.
public let errSecInteractionNotAllowed: OSStatus = -25_308

/// The attribute can't be changed.
public let errSecReadOnlyAttr: OSStatus = -25_309

/// A newer version wrote the keychain.
public let errSecWrongSecVersion: OSStatus = -25_310

/// The user must be asked, which is not allowed.
public let errSecInteractionRequired: OSStatus = -25_315

/// The secret can't be read.
public let errSecDataNotAvailable: OSStatus = -25_316

/// The secret can't be changed.
public let errSecDataNotModifiable: OSStatus = -25_317

/// The stored data can't be understood.
public let errSecDecode: OSStatus = -26_275
