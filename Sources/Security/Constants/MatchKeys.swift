/// The policy that a certificate has to satisfy. Refused: no certificate is verified here.
public let kSecMatchPolicy: CFString = "m_Policy"

/// The items to choose among: an array of references, or of persistent ones.
public let kSecMatchItemList: CFString = "m_ItemList"

/// The keychains to search, on macOS. Refused: there is one.
public let kSecMatchSearchList: CFString = "m_SearchList"

/// The issuers, one of which has to be in a certificate's chain. Refused.
public let kSecMatchIssuers: CFString = "m_Issuers"

/// The address that a certificate has to be for, if it is for any. Refused.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// What a certificate's subject has to contain. Refused.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// The host that an internet password's server is, or is a subdomain of.
public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// What a certificate's subject has to start with. Refused.
public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// What a certificate's subject has to end with. Refused.
public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// What a certificate's subject has to be. Refused.
public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// Whether text matches without regard to case, a `Bool`.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether text matches without regard to diacritics. Refused if true.
public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether text matches without regard to the width of characters. Refused if true.
public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Whether only trusted certificates match. Refused if true.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// The date on which a certificate has to be valid. Refused.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

/// How many items are returned at most: a number, or `kSecMatchLimit…`.
public let kSecMatchLimit: CFString = "m_Limit"

/// The first item that matches. This is the default without a limit.
public let kSecMatchLimitOne: CFString = "m_LimitOne"

/// Every item that matches.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
