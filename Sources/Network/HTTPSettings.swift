package import SignIn

/// Git's settings for requests to one URL (git-config(1), `http.*`), as far as they matter for one that isn't git's.
///
/// Headers of one's own (`http.extraHeader`) aren't among them: they are meant for the server with the repositories,
/// and may hold a login.
package struct HTTPSettings {
  /// `http.proxy`; empty for no proxy, `nil` for what curl's variables say.
  package private(set) var proxy: String?
  /// The address of the proxy that is used for https; `nil` for none.
  package var proxyAddress: ProxyAddress? {
    (proxy ?? proxyOfVariables).flatMap { $0.isEmpty ? nil : ProxyAddress($0) }
  }
  private var proxyOfVariables: String?
  package private(set) var proxyAuthMethod: String?
  /// `http.sslVerify`: whether certificates are verified.
  package private(set) var verifies = true
  package private(set) var authorities: String?
  package private(set) var authoritiesFolder: String?
  package private(set) var certificate: String?
  package private(set) var key: String?
  package private(set) var certificateType: String?
  package private(set) var keyType: String?
  package private(set) var pinnedKey: String?
  package private(set) var ciphers: String?
  /// `http.sslVersion`: the oldest version of TLS; older ones than 1.2 count as that.
  package private(set) var oldestVersion = 12
  package private(set) var proxyAuthorities: String?
  package private(set) var proxyCertificate: String?
  package private(set) var proxyKey: String?
  package private(set) var userAgent: String?
  package private(set) var cookieFile: String?
  /// `http.curloptResolve`: addresses in place of what the name system says.
  package private(set) var resolve: [String] = []

  /// Takes the settings that `git config --get-urlmatch http URL` prints, and the variables that git has for them.
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

  /// Whether those given as ``authorities`` and ``authoritiesFolder`` are trusted in place of the system's.
  package private(set) var trustsGivenAuthoritiesAlone = false
  /// The name that the server's certificate has to have, in place of that in the address.
  package private(set) var serverName: String?

  /// The settings for exchanges that a program with a keychain asks for, independent of git's.
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

  /// The settings whose values are names of files, which git expands (git-config(1), `--type=path`).
  package static let files = [
    "sslcainfo", "sslcapath", "sslcert", "sslkey", "proxysslcainfo", "proxysslcert", "proxysslkey",
    "cookiefile",
  ]
}
