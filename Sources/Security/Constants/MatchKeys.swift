/// The policy that a certificate must satisfy. Refused: no certificate is verified here.
public let kSecMatchPolicy: CFString = "m_Policy"

/// The items to choose from: an array of references, or of persistent ones.
public let kSecMatchItemList: CFString = "m_ItemList"

/// The keychains to search, on macOS. Refused: there is only one.
public let kSecMatchSearchList: CFString = "m_SearchList"

/// The issuers, one of which must be in a certificate's chain. Refused.
public let kSecMatchIssuers: CFString = "m_Issuers"

/// The email address that a certificate must be for, if it has any. Refused.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// Text that a certificate's subject must contain. Refused.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// The host that an internet password's server must equal or be a subdomain of.
public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// Text that a certificate's subject must start with. Refused.
public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// Text that a certificate's subject must end with. Refused.
public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// Text that a certificate's subject must equal. Refused.
public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// Whether text matches without regard to case, a `Bool`.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether text matches without regard to diacritics. Refused if true.
public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether text matches without regard to the width of characters. Refused if true.
public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Whether only trusted certificates match. Refused if true.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// The date on which a certificate must be valid. Refused.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

/// The maximum number of items to return: a number, or `kSecMatchLimit…`.
public let kSecMatchLimit: CFString = "m_Limit"

/// Only the first item that matches. This is the default.
public let kSecMatchLimitOne: CFString = "m_LimitOne"

/// All items that match.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
