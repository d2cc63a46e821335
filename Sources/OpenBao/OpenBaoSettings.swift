package import Bytes
package import SignIn

/// The settings of a keychain in OpenBao or Vault, given when it is added.
///
/// | option | meaning; default |
/// |---|---|
/// | `mount` | where the key-value store is mounted; `secret` |
/// | `namespace` | the namespace; the root |
/// | `prefix` | the keychain's folder in the store; all of it |
/// | `address` | the addresses of further nodes, separated by commas |
/// | `login` | `token`, `approle`, `userpass`, `jwt`, `kubernetes`, `cert` or `oidc`; `token` |
/// | `login-mount` | where the login method is mounted; the method's name |
/// | `role` | the role's identifier (`approle`), the role (`jwt`, `kubernetes`, `oidc`), or its name (`cert`) |
/// | `user` | the user's name (`userpass`), or the name of one of several tokens in one's own keychain (`token`) |
/// | `token-from` | where the token is, whatever the variables' address: `variable`, `helper` or `file` (`token`) |
/// | `callback-port` | the port of this machine to which the browser comes back (`oidc`); 8250 |
/// | `jwt-file` | the file with the token of another service (`jwt`, `kubernetes`) |
/// | `ca`, `ca-folder` | the authorities to trust, in place of the system's |
/// | `cert`, `key` | the client certificate and its key |
/// | `server-name` | the name required in the nodes' certificates |
/// | `max-age` | the greatest age of a copy on this machine that answers; `24h`, `0` for no copies |
/// | `fresh` | the age from which a copy is renewed; `60s` |
/// | `prefetch` | the items to copy in advance: the beginnings of their paths, separated by commas |
package struct OpenBaoSettings: Equatable, Sendable {
  package private(set) var server: OpenBaoServer
  package let login: LoginMethod
  /// The file with the token of another service; `nil` if it is in a keychain.
  package let tokenFile: String?
  /// Where the token is, if given (``LoginMethod/token(name:)``).
  package let tokenSource: TokenSource?
  package private(set) var setup: ExchangeSetup
  package let hasNamespace: Bool
  package let copies: Copies

  /// Where the original clients keep a person's token. None of these places says which server it is for.
  package enum TokenSource: String, Hashable, Sendable, CaseIterable {
    /// The variable `BAO_TOKEN` or `VAULT_TOKEN`.
    case variable
    /// The token helper named in `~/.bao` or `~/.vault`.
    case helper
    /// The file `~/.vault-token`.
    case file
  }

  package struct Copies: Equatable, Sendable {
    /// The greatest age of a copy that answers, in seconds; 0 for no copies.
    package var maximumAge = 86_400
    /// The age from which a copy is renewed after its answer, in seconds.
    package var freshness = 60
    /// The beginnings of the paths of items to copy in advance.
    package var prefetched: [String] = []

    package init() {}
  }

  /// The original clients' port for the browser's return.
  private static let callbackPort: UInt16 = 8250

  /// Where Kubernetes puts a service account's token in a container.
  package static let serviceAccountFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

  /// A mistake in the settings. No case has a value that may be secret.
  package enum Fault: Error, Equatable, Sendable {
    /// The address is neither https, nor http on this machine.
    case address(String)
    case unknown(option: String)
    case twice(option: String)
    /// The option needs another value, described in words.
    case value(option: String, needed: String)
    case missing(option: String, login: String)
    case useless(option: String, login: String)

    package var text: String {
      switch self {
      // It may be a secret.
      case .address(let text) where text.utf8.contains(UInt8(ascii: "@")):
        "the address of a server has no login in it; keep the login in a keychain of your own"
      case .address(let text) where text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }:
        "the address of a server has nothing after its path"
      case .address(let text):
        "'\(text)' is not the address of a server: it has to be https, or http on this machine"
      case .unknown(let option): "a keychain in OpenBao has no option '\(option)'"
      case .twice(let option): "the option '\(option)' is given twice"
      case .value(let option, let needed): "the option '\(option)' has to be \(needed)"
      case .missing(let option, let login): "the login '\(login)' needs the option '\(option)'"
      case .useless(let option, let login): "the login '\(login)' has no use for the option '\(option)'"
      }
    }
  }

  private static let names = [
    "mount", "namespace", "prefix", "address", "login", "login-mount", "role", "user", "jwt-file",
    "token-from", "callback-port", "ca", "ca-folder", "cert", "key", "server-name", "max-age", "fresh",
    "prefetch",
  ]

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - place: the address of the server.
  ///   - options: the names and values of the options, in order.
  package init(place: String, options: [(name: String, value: String)]) throws(Fault) {
    // There are few. Setting up a dictionary's type takes as long as an answer's cryptography.
    for (index, option) in options.enumerated() {
      guard Self.names.contains(option.name) else { throw .unknown(option: option.name) }
      if options[..<index].contains(where: { $0.name == option.name }) { throw .twice(option: option.name) }
      if option.value.isEmpty { throw .value(option: option.name, needed: "more than nothing") }
    }
    func one(_ name: String) -> String? { options.first { $0.name == name }?.value }
    func several(_ name: String) -> [String] {
      one(name)?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? []
    }
    func path(_ name: String) throws(Fault) -> String? {
      guard var text = one(name) else { return nil }
      while text.hasSuffix("/") { text.removeLast() }
      guard PlainPath.isOne(text) else {
        throw .value(
          option: name, needed: "components of letters, digits and '-._~', with slashes between them")
      }
      return text
    }
    func file(_ name: String) throws(Fault) -> String? {
      guard let text = one(name) else { return nil }
      guard text.hasPrefix("/"), !text.utf8.contains(0) else {
        throw .value(option: name, needed: "an absolute path")
      }
      return text
    }

    var addresses: [EndpointURL] = []
    for text in [place] + several("address") {
      guard let url = EndpointURL(typed: text), !url.pathAndQuery.utf8.contains(UInt8(ascii: "?")),
        Self.isPlain(url.pathAndQuery)
      else {
        throw .address(text)
      }
      addresses.append(url)
    }
    let namespace = try path("namespace")
    hasNamespace = namespace != nil
    server = OpenBaoServer(
      addresses, namespace: namespace ?? "", mount: try path("mount") ?? "secret",
      folder: try path("prefix") ?? "")

    let method = one("login") ?? "token"
    let mount = try path("login-mount") ?? method
    func needed(_ name: String) throws(Fault) -> ByteString {
      guard let text = one(name) else { throw .missing(option: name, login: method) }
      return ByteString(text)
    }
    var uses: [String] = method == "token" ? [] : ["login-mount"]
    switch method {
    case "token":
      login = .token(name: one("user").map { ByteString($0) })
      uses += ["user", "token-from"]
    case "approle":
      login = .appRole(mount: mount, role: try needed("role"))
      uses.append("role")
    case "userpass":
      let name = try needed("user")
      guard PlainPath.isOne(name.description), !name.bytes.contains(UInt8(ascii: "/")) else {
        throw .value(option: "user", needed: "letters, digits and '-._~'")
      }
      login = .userPassword(mount: mount, name: name)
      uses.append("user")
    case "jwt":
      login = .jwt(mount: mount, role: try needed("role"))
      uses += ["role", "jwt-file"]
    case "kubernetes":
      login = .kubernetes(mount: mount, role: try needed("role"))
      uses += ["role", "jwt-file"]
    case "cert":
      guard one("cert") != nil else { throw .missing(option: "cert", login: method) }
      login = .certificate(mount: mount, name: one("role").map { ByteString($0) })
      uses.append("role")
    case "oidc":
      var port = Self.callbackPort
      if let text = one("callback-port") {
        guard let number = UInt16(text), number > 0 else {
          throw .value(option: "callback-port", needed: "a number from 1 to 65535")
        }
        port = number
      }
      login = .oidc(mount: mount, role: one("role").map { ByteString($0) }, port: port)
      uses += ["role", "callback-port"]
    default:
      throw .value(
        option: "login", needed: "'token', 'approle', 'userpass', 'jwt', 'kubernetes', 'cert' or 'oidc'")
    }
    for name in ["login-mount", "role", "user", "jwt-file", "token-from", "callback-port"]
    where one(name) != nil && !uses.contains(name) {
      throw .useless(option: name, login: method)
    }
    var tokenSource: TokenSource?
    if let text = one("token-from") {
      guard let source = TokenSource(rawValue: text) else {
        throw .value(option: "token-from", needed: "'variable', 'helper' or 'file'")
      }
      // Such a token is in no keychain.
      if one("user") != nil { throw .useless(option: "user", login: method) }
      tokenSource = source
    }
    self.tokenSource = tokenSource
    let tokenFile = try file("jwt-file")
    self.tokenFile = method == "kubernetes" ? tokenFile ?? Self.serviceAccountFile : tokenFile

    var setup = ExchangeSetup()
    setup.authorities = try file("ca")
    setup.authoritiesFolder = try file("ca-folder")
    setup.certificate = try file("cert")
    setup.key = try file("key")
    setup.connectTimeout = addresses.count > 1 ? 1000 : 5000
    setup.timeout = 15_000
    if let name = one("server-name") {
      guard EndpointURL("https://\(name)/")?.host == name.lowercased() else {
        throw .value(option: "server-name", needed: "the name of a host")
      }
      setup.serverName = name
    }
    self.setup = setup

    var copies = Copies()
    if let text = one("max-age") {
      guard let seconds = Self.seconds(text) else {
        throw .value(option: "max-age", needed: "a time such as 30m, 24h or 7d, or 0")
      }
      copies.maximumAge = seconds
    }
    if let text = one("fresh") {
      guard let seconds = Self.seconds(text) else {
        throw .value(option: "fresh", needed: "a time such as 60s or 5m, or 0")
      }
      copies.freshness = seconds
    }
    for text in several("prefetch") {
      guard PlainPath.isOne(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
        throw .value(
          option: "prefetch", needed: "the beginning of items' paths, such as https/git.example.com/")
      }
      copies.prefetched.append(text)
    }
    self.copies = copies
  }

  /// Whether the path of an address can precede ours.
  private static func isPlain(_ path: String) -> Bool {
    let inner = path.drop { $0 == "/" }
    return inner.isEmpty
      || PlainPath.isOne(inner.hasSuffix("/") ? String(inner.dropLast()) : String(inner))
  }

  /// Seconds, at most a year, from a text such as `90s`, `15m`, `8h`, `2d` or `0`.
  private static func seconds(_ text: String) -> Int? {
    text == "0" ? 0 : DurationText.seconds(text, upTo: 366 * 86_400)
  }
}

extension OpenBaoSettings {
  /// The settings, completed by the variables of the original clients, OpenBao's before Vault's. The variables count
  /// only if they name this server or none.
  ///
  /// - Parameter variable: returns the value of a variable; `nil` if it isn't set.
  package func completed(by variable: (String) -> String?) -> OpenBaoSettings {
    guard Self.areAbout(server, variable) else { return self }
    func value(_ name: String) -> String? { Self.value(name, variable) }
    var completed = self
    if setup.authorities == nil, setup.authoritiesFolder == nil {
      completed.setup.authorities = value("CACERT")
      completed.setup.authoritiesFolder = value("CAPATH")
    }
    if setup.certificate == nil {
      completed.setup.certificate = value("CLIENT_CERT")
      completed.setup.key = value("CLIENT_KEY")
    }
    completed.setup.serverName = setup.serverName ?? value("TLS_SERVER_NAME")
    if !hasNamespace, var namespace = value("NAMESPACE") {
      while namespace.hasSuffix("/") { namespace.removeLast() }
      if PlainPath.isOne(namespace) {
        completed.server = OpenBaoServer(
          server.addresses, namespace: namespace, mount: server.mount, folder: server.folder)
      }
    }
    return completed
  }

  /// `BAO_NAME`, else `VAULT_NAME`; `nil` if neither is set, or it is empty.
  package static func value(_ name: String, _ variable: (String) -> String?) -> String? {
    ["BAO_" + name, "VAULT_" + name].compactMap(variable).first { !$0.isEmpty }
  }

  /// Whether the variables' address is this server's, or they have none. That is enough for settings of the connection;
  /// a token is sent only if ``name(_:_:)`` is true.
  package static func areAbout(_ server: OpenBaoServer, _ variable: (String) -> String?) -> Bool {
    value("ADDR", variable) == nil || name(server, variable)
  }

  /// Whether the variables' address is this server's: scheme, host and port.
  package static func name(_ server: OpenBaoServer, _ variable: (String) -> String?) -> Bool {
    guard let text = value("ADDR", variable), let url = EndpointURL(typed: text) else { return false }
    return server.addresses.contains { $0.hasSameOrigin(as: url) }
  }

  /// Identifies the login, differently for any two logins to one server. For a login from a file, the file's contents
  /// decide.
  package var identity: ByteString {
    let file: String? =
      switch login {
      case .jwt, .kubernetes: tokenFile
      case .certificate: setup.certificate
      case .token, .appRole, .userPassword, .oidc: nil
      }
    return ByteString(login.account.bytes + (file.map { [UInt8(ascii: " ")] + $0.utf8 } ?? []))
  }
}
