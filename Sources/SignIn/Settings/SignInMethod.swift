package import Bytes

/// How a person can sign in to a place.
package struct SignInMethod: ~Copyable {
  package var client: ClientRegistration
  package let service: KnownService?
  /// Whether neither the settings nor the table of services name the server: it only claims to be a service, or the
  /// settings are for every server. A stranger can name such a server, for example in a submodule.
  package let isClaimed: Bool
  /// The path of the setting that names the client, below which its tokens answer; `nil` for the whole server.
  package var path: String?
  /// Whether it is unknown where on its host the service lies. The server may say it when asked.
  package var isPlaceGuessed = false
  /// The setting or variable that names the client; `nil` if there is none.
  package var clientSetting: String?
  /// The person who should sign in, as a hint for the page (OpenID Connect Core 1.0 section 3.1.2.1); `nil` for anyone.
  package var loginHint: ByteString?
  /// The ways that configuration allows.
  package var ways: Set<Way> = [.browser, .device]

  package init(client: consuming ClientRegistration, service: KnownService?, isClaimed: Bool = false) {
    self.client = client
    self.service = service
    self.isClaimed = isClaimed
  }

  package enum Way: String {
    case browser, device, paste
  }
}

package enum NoSignInMethod: Error {
  case unknownPlace
  /// The service is known, but llavero isn't registered there; with the address above its endpoints.
  case noClient(KnownService?, at: EndpointURL)
  case unusableSetting(String)
  /// The server gave no answer about its endpoints.
  case fault(SignInFault)

  /// Whether the configuration tries to name a way, and is wrong.
  package var isMistake: Bool {
    if case .unusableSetting = self { true } else { false }
  }
}

extension SignInMethod {
  /// The options of the command line.
  package struct Options {
    package var clientID: String?
    package var scope: String?

    package init(clientID: String? = nil, scope: String? = nil) {
      self.clientID = clientID
      self.scope = scope
    }
  }

  /// Finds out how to sign in: from the settings, else from the host, else from the name that the server claims, else
  /// from the server's metadata.
  ///
  /// - Parameters:
  ///   - headers: the `WWW-Authenticate` headers of the refusal, if there was one.
  ///   - transport: asks the server for its metadata if nothing else names its endpoints; `nil` to ask nobody.
  package static func find(
    for place: SignInPlace, _ settings: CredentialSettings, _ options: Options = Options(),
    headers: [String] = [],
    over transport: (any Transport)?
  ) throws(NoSignInMethod) -> SignInMethod {
    let onHost = KnownService.at(place)
    let provider = try Provider(settings, isOfMail: place.isOfMail)
    let service = provider.service(onHost, headers)
    var found = try Endpoints(settings, at: place)
    // A server that only claims to be a service may have it below a path.
    let location =
      onHost != nil || provider.namesService
      ? nil : service.map { ServiceLocation(of: $0, at: place, over: found.token == nil ? transport : nil) }
    let root =
      onHost == nil && provider.namesService ? root(of: place, settings) : location?.root ?? place.server
    let isPlaceGuessed = found.token == nil && location?.isGuessed ?? false
    if let service { found.take(service.of(tenant: EntraTenant(headers)), at: root) }
    var metadata: ServerMetadata?
    if found.token == nil, let transport {
      do throws(NoSignInMethod) {
        metadata = try discover(roots(of: place, root), over: transport)
      } catch .fault(.transport(.unreachable)) where place.isOfMail {
        // Few mail servers are web servers too.
      }
      if let metadata { found.take(metadata) }
    } else if let service, service.provider == "gitea", found.device == nil, let transport {
      // Newer ones have a device endpoint.
      if let metadata = try? discover([root], over: transport) { found.device = metadata.deviceEndpoint }
    }
    guard let token = found.token else { throw service == nil ? .unknownPlace : .noClient(service, at: root) }
    let own = service?.settingsPrefix
    let configured =
      settings.value("oauthClientId", environment: "CLIENTID")
      ?? own.flatMap { settings.value($0 + "ClientId") }
    let builtIn =
      settings.isEmptied("oauthClientId", environment: "CLIENTID") ? nil : service?.builtInClient
    guard let clientID = options.clientID ?? configured ?? builtIn else {
      throw .noClient(service, at: root)
    }
    var client = ClientRegistration(clientID: clientID, tokenEndpoint: token)
    if options.clientID == nil || options.clientID == configured {
      let secret =
        settings.value("oauthClientSecret", environment: "CLIENTSECRET")
        ?? own.flatMap { settings.value($0 + "ClientSecret") }
      client.clientSecret = secret.map { Secret($0) }
    }
    if settings.flag("oauthUseClientAuthHeader", environment: "USE_CLIENT_AUTH_HEADER") == false {
      client.authentication = .body
    }
    client.authorizationEndpoint = found.authorize
    client.deviceEndpoint = found.device
    client.revocationEndpoint = found.revoke
    client.issuer = metadata?.issuer
    client.promisesIssuer = metadata?.promisesIssuer ?? false
    client.redirectURI =
      settings.value("oauthRedirectUri", "oauthRedirectURL", environment: "REDIRECT_URI")
      ?? own.flatMap { settings.value($0 + "RedirectUri") } ?? service?.redirectURI ?? client.redirectURI
    if Redirection(client.redirectURI) == nil { throw .unusableSetting("oauthRedirectUri") }
    if let mode = settings.value("oauthResponseMode", environment: "RESPONSE_MODE") {
      guard let known = ClientRegistration.ResponseMode(rawValue: mode.lowercased()) else {
        throw .unusableSetting("oauthResponseMode")
      }
      client.responseMode = known
    }
    client.scope =
      options.scope ?? settings.value("oauthScopes", environment: "SCOPES") ?? service?.scope ?? ""
    client.userName =
      settings.value("oauthDefaultUserName", environment: "DEFAULT_USERNAME") ?? service?.userName
      ?? client.userName
    client.ignoresNamesInURLs = service?.ignoresNamesInURLs ?? false
    let isNamed =
      settings.isSetForThePlace("oauthClientId", "oauthTokenEndpoint", "oauthTokenURL")
      || provider.namesService && settings.isSetForThePlace("provider")
      || own.map { settings.isSetForThePlace($0 + "ClientId") } ?? false
    let isClaimed = onHost == nil && !isNamed && options.clientID == nil
    var method = SignInMethod(client: client, service: service, isClaimed: isClaimed)
    if options.clientID == nil {
      let names = ["oauthClientId"] + (own.map { [$0 + "ClientId"] } ?? [])
      method.clientSetting = configured == nil ? nil : settings.source(names, environment: "CLIENTID")
      method.path = settings.path(of: configured == nil ? ["provider"] : names) ?? location?.path
    }
    method.isPlaceGuessed = isPlaceGuessed
    if let modes = settings.value("oauthAuthModes", environment: "AUTHMODES") {
      let words = modes.lowercased().split { $0 == " " || $0 == "," }
      if !words.contains("all") {
        method.ways = Set(
          words.compactMap {
            $0 == "browser" ? .browser : $0 == "devicecode" || $0 == "device" ? .device : nil
          })
      }
    }
    return method
  }

  /// Where a client's tokens can be revoked, according to the server; `nil` if it doesn't say, or didn't issue them.
  package static func revocationEndpoint(
    of client: borrowing ClientRegistration, at place: SignInPlace, over transport: any Transport
  ) -> EndpointURL? {
    // A mail server's tokens come from another server.
    let issuers =
      place.isOfMail ? client.tokenEndpoint.at("/").map { [$0] } ?? [] : roots(of: place, place.server)
    guard let metadata = try? discover(issuers, over: transport),
      metadata.tokenEndpoint == client.tokenEndpoint
    else {
      return nil
    }
    return metadata.revocationEndpoint
  }

  /// Where a service named by a setting lies: at the path in the setting's name.
  private static func root(of place: SignInPlace, _ settings: CredentialSettings) -> EndpointURL {
    settings.path(of: ["provider"]).flatMap { place.folder($0) } ?? place.server
  }

  /// Where metadata may be: at the known root, else at the host's, else below the first part of the path, as with
  /// `https://host/gitea`.
  private static func roots(of place: SignInPlace, _ root: EndpointURL) -> [EndpointURL] {
    if root != place.server { return [root] }
    return [root]
      + (place.path.split(separator: "/").first.flatMap { place.folder(String($0)) }.map { [$0] } ?? [])
  }

  /// The endpoints in the server's metadata.
  private static func discover(
    _ issuers: [EndpointURL], over transport: any Transport
  ) throws(NoSignInMethod) -> ServerMetadata? {
    for issuer in issuers {
      for url in ServerMetadata.places(of: issuer) {
        let reply: HTTPReply
        do throws(TransportFault) {
          reply = try transport.exchange(HTTPRequest(get: url))
        } catch {
          throw .fault(error == .cancelled ? .cancelled : .transport(error))
        }
        guard reply.status == 200 else { continue }
        do throws(ReplyFault) {
          return try ServerMetadata(reply, of: issuer)
        } catch .notUnderstood {
          // Many servers answer every address with a page.
          continue
        } catch {
          throw .fault(.reply(error))
        }
      }
    }
    return nil
  }
}

/// The value of `credential.URL.provider`, as Git Credential Manager reads it.
private enum Provider {
  /// None: the host, or the server itself, names the service.
  case detected
  /// No service of the table: only the settings and the server's metadata count.
  case generic
  case named(KnownService)

  /// - Throws: ``NoSignInMethod/unusableSetting(_:)`` for an unknown name. Ignoring it would leave it to the server to
  ///   say which service it is.
  init(_ settings: CredentialSettings, isOfMail: Bool) throws(NoSignInMethod) {
    guard let name = settings.value("provider")?.lowercased(), name != "auto" else {
      self = .detected
      return
    }
    if name == "generic" {
      self = .generic
    } else if let service = KnownService.named(name) {
      // A setting for all of git's servers doesn't apply to mail.
      self = service.isOfMail == isOfMail ? .named(service) : .detected
    } else {
      throw .unusableSetting("provider")
    }
  }

  var namesService: Bool { if case .named = self { true } else { false } }

  func service(_ onHost: KnownService?, _ headers: [String]) -> KnownService? {
    switch self {
    case .detected: onHost ?? KnownService.calling(itself: headers)
    case .generic: nil
    case .named(let service): service
    }
  }
}

private struct Endpoints {
  var authorize: EndpointURL?
  var token: EndpointURL?
  var device: EndpointURL?
  var revoke: EndpointURL?

  /// The settings' endpoints. Both programs take addresses and paths.
  init(_ settings: CredentialSettings, at place: SignInPlace) throws(NoSignInMethod) {
    func endpoint(_ name: String, _ other: String, _ environment: String) throws(NoSignInMethod)
      -> EndpointURL?
    {
      guard let text = settings.value(name, other, environment: environment) else { return nil }
      guard let url = place.server.resolving(text) else { throw .unusableSetting(name) }
      return url
    }
    authorize = try endpoint("oauthAuthorizeEndpoint", "oauthAuthURL", "AUTHORIZE_ENDPOINT")
    token = try endpoint("oauthTokenEndpoint", "oauthTokenURL", "TOKEN_ENDPOINT")
    device = try endpoint("oauthDeviceEndpoint", "oauthDeviceAuthURL", "DEVICE_ENDPOINT")
  }

  /// The endpoints of a service below an address.
  mutating func take(_ service: KnownService, at root: EndpointURL) {
    // All are one client's: a configured token endpoint of another server gets no codes of this one.
    if token != nil { return }
    authorize = authorize ?? root.below(service.authorize)
    token = root.below(service.token)
    device = device ?? service.device.flatMap { root.below($0) }
    revoke = service.revoke.flatMap { root.below($0) }
  }

  mutating func take(_ metadata: ServerMetadata) {
    authorize = authorize ?? metadata.authorizationEndpoint
    token = token ?? metadata.tokenEndpoint
    device = device ?? metadata.deviceEndpoint
    revoke = revoke ?? metadata.revocationEndpoint
  }
}

extension EndpointURL {
  /// A whole address, or a path below this one.
  package func below(_ reference: String) -> EndpointURL? {
    guard reference.hasPrefix("/"), pathAndQuery != "/" else { return resolving(reference) }
    return at(pathAndQuery + reference)
  }
}
