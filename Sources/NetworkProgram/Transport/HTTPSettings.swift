package import SignIn

/// Git's settings for requests to one URL (git-config(1), `http.*`), as far as they apply to requests that aren't
/// git's.
///
/// `http.extraHeader` isn't among them: those headers are meant for the server with the repositories, and may hold a
/// login.
package struct HTTPSettings {
  /// `http.proxy`; empty for no proxy, `nil` to use curl's variables.
  package private(set) var proxy: String?
  /// The address of the proxy for https; `nil` for none.
  package var proxyAddress: ProxyAddress? {
    (proxy ?? proxyOfVariables).flatMap { $0.isEmpty ? nil : ProxyAddress($0) }
  }
  private var proxyOfVariables: String?
  package private(set) var proxyAuthMethod: String?
  /// `http.sslVerify`.
  package private(set) var verifies = true
  package private(set) var authorities: String?
  package private(set) var authoritiesFolder: String?
  package private(set) var certificate: String?
  package private(set) var key: String?
  package private(set) var certificateType: String?
  package private(set) var keyType: String?
  package private(set) var pinnedKey: String?
  package private(set) var ciphers: String?
  /// `http.sslVersion`: the oldest version of TLS, at least 1.2.
  package private(set) var oldestVersion = 12
  package private(set) var proxyAuthorities: String?
  package private(set) var proxyCertificate: String?
  package private(set) var proxyKey: String?
  package private(set) var userAgent: String?
  package private(set) var cookieFile: String?
  /// `http.curloptResolve`: addresses that replace DNS.
  package private(set) var resolve: [String] = []

  /// From the output of `git config --get-urlmatch http URL`, and git's variables for the same.
  package init(_ settings: [GitSetting], variable: (String) -> String?) {
    for setting in settings where setting.section == "http" { take(setting.name, setting.value) }
    func given(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    // Any value counts, as with git.
    if variable("GIT_SSL_NO_VERIFY") != nil { verifies = false }
    authorities = given("GIT_SSL_CAINFO") ?? authorities
    authoritiesFolder = given("GIT_SSL_CAPATH") ?? authoritiesFolder
    certificate = given("GIT_SSL_CERT") ?? certificate
    key = given("GIT_SSL_KEY") ?? key
    certificateType = given("GIT_SSL_CERT_TYPE") ?? certificateType
    keyType = given("GIT_SSL_KEY_TYPE") ?? keyType
    ciphers = given("GIT_SSL_CIPHER_LIST") ?? ciphers
    if let version = given("GIT_SSL_VERSION") { takeVersion(version) }
    proxyAuthorities = given("GIT_PROXY_SSL_CAINFO") ?? proxyAuthorities
    proxyCertificate = given("GIT_PROXY_SSL_CERT") ?? proxyCertificate
    proxyKey = given("GIT_PROXY_SSL_KEY") ?? proxyKey
    proxyAuthMethod = given("GIT_HTTP_PROXY_AUTHMETHOD") ?? proxyAuthMethod
    userAgent = given("GIT_HTTP_USER_AGENT") ?? userAgent
    // In libcurl's order.
    for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] where proxyOfVariables == nil {
      proxyOfVariables = given(name)
    }
  }

  /// Whether ``authorities`` and ``authoritiesFolder`` replace the system's.
  package private(set) var trustsGivenAuthoritiesAlone = false
  /// The name that the server's certificate must have, instead of the address's.
  package private(set) var serverName: String?

  /// The settings for a keychain program's own exchanges, independent of git's.
  package init(_ setup: ExchangeSetup) {
    authorities = setup.authorities
    authoritiesFolder = setup.authoritiesFolder
    certificate = setup.certificate
    key = setup.key
    serverName = setup.serverName
    trustsGivenAuthoritiesAlone = authorities != nil || authoritiesFolder != nil
  }

  private mutating func take(_ name: String, _ value: String) {
    switch name {
    case "proxy": proxy = value
    case "proxyauthmethod": proxyAuthMethod = value
    case "sslverify": verifies = !["false", "no", "off", "0", ""].contains(value.lowercased())
    case "sslcainfo": authorities = value
    case "sslcapath": authoritiesFolder = value
    case "sslcert": certificate = value
    case "sslkey": key = value
    case "sslcerttype": certificateType = value
    case "sslkeytype": keyType = value
    case "pinnedpubkey": pinnedKey = value
    case "sslcipherlist": ciphers = value
    case "sslversion": takeVersion(value)
    case "proxysslcainfo": proxyAuthorities = value
    case "proxysslcert": proxyCertificate = value
    case "proxysslkey": proxyKey = value
    case "useragent": userAgent = value
    case "cookiefile": cookieFile = value
    case "curloptresolve":
      // An empty one clears the list (git-config(1)).
      if value.isEmpty { resolve = [] } else { resolve.append(value) }
    default: break
    }
  }

  private mutating func takeVersion(_ value: String) {
    oldestVersion = value.lowercased() == "tlsv1.3" ? 13 : 12
  }

  /// Settings that name files, which git expands (git-config(1), `--type=path`).
  package static let files = [
    "sslcainfo", "sslcapath", "sslcert", "sslkey", "proxysslcainfo", "proxysslcert", "proxysslkey",
    "cookiefile",
  ]
}
