import Glibc

/// The result of a function of Keychain Services (`OSStatus`), named as in its header: `errSecItemNotFound` is
/// ``itemNotFound``.
package struct SecurityStatus: Hashable, Sendable, RawRepresentable {
  /// The number.
  package let rawValue: Int32

  /// Creates a status from any number.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  private init(_ rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let success = SecurityStatus(0)
  package static let unimplemented = SecurityStatus(-4)
  package static let diskFull = SecurityStatus(-34)
  package static let io = SecurityStatus(-36)
  package static let param = SecurityStatus(-50)
  package static let wrPerm = SecurityStatus(-61)
  package static let allocate = SecurityStatus(-108)
  package static let userCanceled = SecurityStatus(-128)
  package static let badReq = SecurityStatus(-909)
  package static let missingEntitlement = SecurityStatus(-34018)
  package static let notAvailable = SecurityStatus(-25291)
  package static let readOnly = SecurityStatus(-25292)
  package static let authFailed = SecurityStatus(-25293)
  package static let noSuchKeychain = SecurityStatus(-25294)
  package static let invalidKeychain = SecurityStatus(-25295)
  package static let duplicateKeychain = SecurityStatus(-25296)
  package static let duplicateItem = SecurityStatus(-25299)
  package static let itemNotFound = SecurityStatus(-25300)
  package static let bufferTooSmall = SecurityStatus(-25301)
  package static let dataTooLarge = SecurityStatus(-25302)
  package static let noSuchAttr = SecurityStatus(-25303)
  package static let invalidItemRef = SecurityStatus(-25304)
  package static let invalidSearchRef = SecurityStatus(-25305)
  package static let noSuchClass = SecurityStatus(-25306)
  package static let noDefaultKeychain = SecurityStatus(-25307)
  package static let interactionNotAllowed = SecurityStatus(-25308)
  package static let readOnlyAttr = SecurityStatus(-25309)
  package static let wrongSecVersion = SecurityStatus(-25310)
  package static let interactionRequired = SecurityStatus(-25315)
  package static let dataNotAvailable = SecurityStatus(-25316)
  package static let dataNotModifiable = SecurityStatus(-25317)
  package static let decode = SecurityStatus(-26275)

  /// The exit status of a process that ends with this status: its low byte, as exit(3) keeps it.
  package var exitStatus: Int32 { rawValue & 0xff }

  /// The message of Keychain Services for it (`SecCopyErrorMessageString`), which scripts look for.
  package var message: String {
    switch self {
    case .success: "No error."
    case .unimplemented: "Function or operation not implemented."
    case .diskFull: "The disk is full."
    case .io: "I/O error."
    case .param: "One or more parameters passed to a function were not valid."
    case .wrPerm: "Write permissions error."
    case .allocate: "Failed to allocate memory."
    case .userCanceled: "User canceled the operation."
    case .badReq: "Bad parameter or invalid state for operation."
    case .missingEntitlement: "A required entitlement isn't present."
    case .notAvailable: "No keychain is available. You may need to restart your computer."
    case .readOnly: "This keychain cannot be modified."
    case .authFailed: "The user name or passphrase you entered is not correct."
    case .noSuchKeychain: "The specified keychain could not be found."
    case .invalidKeychain: "The specified keychain is not a valid keychain file."
    case .duplicateKeychain: "A keychain with the same name already exists."
    case .duplicateItem: "The specified item already exists in the keychain."
    case .itemNotFound: "The specified item could not be found in the keychain."
    case .bufferTooSmall: "There is not enough memory available to use the specified item."
    case .dataTooLarge:
      "This item contains information which is too large or in a format that cannot be displayed."
    case .noSuchAttr: "The specified attribute does not exist."
    case .invalidItemRef: "The specified item is no longer valid. It may have been deleted from the keychain."
    case .invalidSearchRef: "Unable to search the current keychain."
    case .noSuchClass: "The specified item does not appear to be a valid keychain item."
    case .noDefaultKeychain: "A default keychain could not be found."
    case .interactionNotAllowed: "User interaction is not allowed."
    case .readOnlyAttr: "The specified attribute could not be modified."
    case .wrongSecVersion:
      "This keychain was created by a different version of the system software and cannot be opened."
    case .interactionRequired: "User interaction is required, but is currently not allowed."
    case .dataNotAvailable: "The contents of this item cannot be retrieved."
    case .dataNotModifiable: "The contents of this item cannot be modified."
    case .decode: "Unable to decode the provided data."
    default: "OSStatus \(rawValue)"
    }
  }
}

extension SecurityStatus {
  /// Converts an error of a keychain. This is the only place that does so.
  package init(_ error: KeychainError) {
    switch error {
    case .queryTooBroad, .unusableAttribute(_, .lineBreak),
      .unusableAttribute(_, .controlCharacter), .unusableAttribute(_, .empty):
      self = .param
    case .unusableAttribute(_, .tooLong), .tooLarge: self = .dataTooLarge
    case .unusableAttribute(_, .notText): self = .decode
    case .duplicateItem: self = .duplicateItem
    case .itemNotFound: self = .itemNotFound
    case .sharedItem: self = .wrPerm
    case .locked, .collectionLocked, .itemLocked: self = .interactionNotAllowed
    case .promptDismissed: self = .userCanceled
    case .wrongPassphrase, .wrongPassphraseGiven, .mistypedRecoveryCode, .noSlotOpens, .notMember:
      self = .authFailed
    case .slot(let fault): self.init(fault)
    case .noCollection(nil): self = .noDefaultKeychain
    case .noKeychain, .noCollection, .missing, .elsewhere: self = .noSuchKeychain
    case .noAnswer, .refused, .unavailable, .busy, .mergedInstead: self = .notAvailable
    case .unsafeFile, .wrongIdentity, .otherKey, .damaged, .rolledBack, .replaced, .unmerged,
      .copyLeftOut:
      self = .invalidKeychain
    case .newerFormat: self = .wrongSecVersion
    case .notEnoughMemory: self = .allocate
    case .earlierStatesRemain(let reason): self.init(reason)
    case .system(_, _, ENOSPC), .system(_, _, EDQUOT), .system(_, _, EFBIG): self = .diskFull
    case .system(_, _, EACCES), .system(_, _, EPERM), .system(_, _, EROFS): self = .wrPerm
    case .system(_, _, ENOMEM): self = .allocate
    case .system: self = .io
    case .fault(let fault): self.init(fault.kind)
    case .described(let failure):
      switch failure.status {
      case .done, .keychain: self = .notAvailable
      case .nothingMatched: self = .itemNotFound
      case .usage: self = .param
      }
    }
  }

  private init(_ kind: KeychainError.Kind) {
    switch kind {
    case .unusable: self = .param
    case .noKeychain: self = .noSuchKeychain
    case .locked: self = .interactionNotAllowed
    case .undecided: self = .interactionRequired
    case .notLetIn: self = .authFailed
    case .forbidden: self = .missingEntitlement
    case .notWritable: self = .wrPerm
    case .damaged: self = .invalidKeychain
    case .unreachable, .timedOut, .busy, .unavailable: self = .notAvailable
    }
  }

  private init(_ fault: KeychainError.SlotFault) {
    switch fault {
    case .commandFailed, .commandMismatch, .secretMissing, .secretMismatch, .notItsIdentity,
      .noIdentity:
      self = .authFailed
    case .passphraseNeeded: self = .interactionNotAllowed
    case .pluginFailed, .renewalOpensNothing: self = .notAvailable
    case .passphraseLikeCode, .malformedRecipient: self = .param
    case .notFound, .alreadyThere, .lastWayIn, .nothingElseOpens, .tooMany, .notRenewable, .changedMeanwhile,
      .otherIdentityFile,
      .unconfirmed:
      self = .badReq
    }
  }
}
