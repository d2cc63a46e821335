import Security

// The compiler checks that these names exist, and DocumentedTableTests that each has the value of its row.

/// All constants that are text, by name.
let textConstants = named(inArticlesOrder: texts) { $0.hasPrefix("\"") }

/// All status codes, by name.
let statusConstants = named(inArticlesOrder: statuses) { Int($0) != nil }

/// The constants with the names that the article lists with such values.
private func named<Value>(
  inArticlesOrder constants: [Value], _ isSuch: (String) -> Bool
) -> [(key: String, value: Value)] {
  let rows = (try? DocumentedTable.read().rows) ?? []
  let names = rows.filter { isSuch($0.cells["Value"] ?? "") }.map(\.name)
  return names.count == constants.count ? Array(zip(names, constants)).map { ($0, $1) } : []
}

private let texts: [CFString] = [
  kSecClass, kSecClassInternetPassword, kSecClassGenericPassword, kSecClassCertificate, kSecClassKey,
  kSecClassIdentity, kSecAttrAccount, kSecAttrService, kSecAttrServer, kSecAttrProtocol, kSecAttrPort,
  kSecAttrPath, kSecAttrSecurityDomain, kSecAttrAuthenticationType, kSecAttrLabel, kSecAttrComment,
  kSecAttrDescription, kSecAttrCreator, kSecAttrType, kSecAttrGeneric, kSecAttrIsInvisible,
  kSecAttrIsNegative, kSecAttrCreationDate, kSecAttrModificationDate, kSecAttrAccessGroup,
  kSecAttrSynchronizable, kSecAttrAccessible, kSecAttrAccessControl, kSecAttrSyncViewHint, kSecAttrAccess,
  kSecAttrTokenID, kSecAttrPersistantReference, kSecAttrPersistentReference, kSecAttrCertificateType,
  kSecAttrCertificateEncoding, kSecAttrSubject, kSecAttrIssuer, kSecAttrSerialNumber, kSecAttrSubjectKeyID,
  kSecAttrPublicKeyHash, kSecAttrKeyClass, kSecAttrApplicationLabel, kSecAttrApplicationTag, kSecAttrKeyType,
  kSecAttrKeySizeInBits, kSecAttrEffectiveKeySize, kSecAttrIsPermanent, kSecAttrIsSensitive,
  kSecAttrIsExtractable, kSecAttrCanEncrypt, kSecAttrCanDecrypt, kSecAttrCanDerive, kSecAttrCanSign,
  kSecAttrCanVerify, kSecAttrCanWrap, kSecAttrCanUnwrap, kSecAttrPRF, kSecAttrSalt, kSecAttrRounds,
  kSecPrivateKeyAttrs, kSecPublicKeyAttrs, kSecAttrProtocolFTP, kSecAttrProtocolFTPAccount,
  kSecAttrProtocolHTTP, kSecAttrProtocolIRC, kSecAttrProtocolNNTP, kSecAttrProtocolPOP3, kSecAttrProtocolSMTP,
  kSecAttrProtocolSOCKS, kSecAttrProtocolIMAP, kSecAttrProtocolLDAP, kSecAttrProtocolAppleTalk,
  kSecAttrProtocolAFP, kSecAttrProtocolTelnet, kSecAttrProtocolSSH, kSecAttrProtocolFTPS,
  kSecAttrProtocolHTTPS, kSecAttrProtocolHTTPProxy, kSecAttrProtocolHTTPSProxy, kSecAttrProtocolFTPProxy,
  kSecAttrProtocolSMB, kSecAttrProtocolRTSP, kSecAttrProtocolRTSPProxy, kSecAttrProtocolDAAP,
  kSecAttrProtocolEPPC, kSecAttrProtocolIPP, kSecAttrProtocolNNTPS, kSecAttrProtocolLDAPS,
  kSecAttrProtocolTelnetS, kSecAttrProtocolIMAPS, kSecAttrProtocolIRCS, kSecAttrProtocolPOP3S,
  kSecAttrAuthenticationTypeNTLM, kSecAttrAuthenticationTypeMSN, kSecAttrAuthenticationTypeDPA,
  kSecAttrAuthenticationTypeRPA, kSecAttrAuthenticationTypeHTTPBasic, kSecAttrAuthenticationTypeHTTPDigest,
  kSecAttrAuthenticationTypeHTMLForm, kSecAttrAuthenticationTypeDefault, kSecAttrAccessibleWhenUnlocked,
  kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways,
  kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
  kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, kSecAttrAccessibleAlwaysThisDeviceOnly,
  kSecAttrSynchronizableAny, kSecAttrAccessGroupToken, kSecAttrTokenIDSecureEnclave, kSecAttrKeyClassPublic,
  kSecAttrKeyClassPrivate, kSecAttrKeyClassSymmetric, kSecAttrKeyTypeRSA, kSecAttrKeyTypeDSA,
  kSecAttrKeyTypeAES, kSecAttrKeyTypeDES, kSecAttrKeyType3DES, kSecAttrKeyTypeRC4, kSecAttrKeyTypeRC2,
  kSecAttrKeyTypeCAST, kSecAttrKeyTypeECDSA, kSecAttrKeyTypeEC, kSecAttrKeyTypeECSECPrimeRandom,
  kSecAttrPRFHmacAlgSHA1, kSecAttrPRFHmacAlgSHA224, kSecAttrPRFHmacAlgSHA256, kSecAttrPRFHmacAlgSHA384,
  kSecAttrPRFHmacAlgSHA512, kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef,
  kSecValueData, kSecValueRef, kSecValuePersistentRef, kSecMatchPolicy, kSecMatchItemList,
  kSecMatchSearchList, kSecMatchIssuers, kSecMatchEmailAddressIfPresent, kSecMatchSubjectContains,
  kSecMatchHostOrSubdomainOfHost, kSecMatchSubjectStartsWith, kSecMatchSubjectEndsWith,
  kSecMatchSubjectWholeString, kSecMatchCaseInsensitive, kSecMatchDiacriticInsensitive,
  kSecMatchWidthInsensitive, kSecMatchTrustedOnly, kSecMatchValidOnDate, kSecMatchLimit, kSecMatchLimitOne,
  kSecMatchLimitAll, kSecUseItemList, kSecUseKeychain, kSecUseOperationPrompt, kSecUseNoAuthenticationUI,
  kSecUseAuthenticationUI, kSecUseAuthenticationContext, kSecUseDataProtectionKeychain,
  kSecUseUserIndependentKeychain, kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail,
  kSecUseAuthenticationUISkip,
]

private let statuses: [OSStatus] = [
  noErr, errSecSuccess, errSecUnimplemented, errSecDiskFull, errSecIO, errSecParam, errSecWrPerm,
  errSecAllocate, errSecUserCanceled, errSecBadReq, errSecMissingEntitlement, errSecNotAvailable,
  errSecReadOnly, errSecAuthFailed, errSecNoSuchKeychain, errSecInvalidKeychain, errSecDuplicateKeychain,
  errSecDuplicateItem, errSecItemNotFound, errSecBufferTooSmall, errSecDataTooLarge, errSecNoSuchAttr,
  errSecInvalidItemRef, errSecInvalidSearchRef, errSecNoSuchClass, errSecNoDefaultKeychain,
  errSecInteractionNotAllowed, errSecReadOnlyAttr, errSecWrongSecVersion, errSecInteractionRequired,
  errSecDataNotAvailable, errSecDataNotModifiable, errSecDecode,
]
