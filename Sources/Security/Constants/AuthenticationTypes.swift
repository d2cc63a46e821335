/// NTLM.
public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"

/// MSN.
public let kSecAttrAuthenticationTypeMSN: CFString = "msna"

/// Distributed Password Authentication.
public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"

/// Remote Passphrase Authentication.
public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"

/// HTTP Basic.
public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"

/// HTTP Digest.
public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"

/// A form in a web page.
public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"

/// The default type, which items without a type have.
public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
