import Bytes

/// How a person can sign in to a place.
package struct SignInMethod: ~Copyable {
  /// Who llavero is there.
  package var client: ClientRegistration
  /// The service, if it is a known one.
  package let service: KnownService?
  /// Whether neither the settings nor the table of services name the server: only it says itself which service it is,
  /// or the settings are for every server. A stranger can name such a server, in a submodule for example.
  package let isClaimed: Bool
  /// The path of the setting that names the client, below which its tokens answer; `nil` for the whole server.
  package var path: String?
  /// The ways that configuration allows: the browser, a code.
  package var ways: Set<Way> = [.browser, .device]

  package init(client: consuming ClientRegistration, service: KnownService?, isClaimed: Bool = false) {
    self.client = client
    self.service = service
    self.isClaimed = isClaimed
  }

  /// A way to sign in.
  package enum Way: String {
    case browser, device, paste
  }
}

/// Why there is no way to sign in.
package enum NoSignInMethod: Error {
  /// Neither configuration nor the server says how.
  case unknownPlace
  /// The service is known, but llavero isn't registered there.
  case noClient(KnownService?)
  /// A setting has a value that can't be used.
  case unusableSetting(String)
  /// The server was asked for its endpoints, and there was no answer.
  case fault(SignInFault)

  /// Whether something was meant, and is wrong.
  package var isMistake: Bool {
    if case .unusableSetting = self { true } else { false }
  }
}

extension SignInMethod {
  /// What the command line says.
  package struct Options {
    package var clientID: String?
    package var scope: String?

    package init(clientID: String? = nil, scope: String? = nil) {
      self.clientID = clientID
      self.scope = scope
    }
  }

  /// Finds out how to sign in: from the settings first, then by the host, then by the name that the server gives
  /// itself, and at last from the server's metadata.
  ///
  /// - Parameters:
  ///   - headers: the `WWW-Authenticate` headers of the refusal, if there was one.
  ///   - transport: asks the server for its metadata if nothing else says its endpoints; `nil` to ask nobody.
  /// - Throws: ``NoSignInMethod``.
  package static func find(
    for place: SignInPlace, _ settings: CredentialSettings, _ options: Options = Options(),
    headers: [String] = [],
    over transport: (any Transport)?
  ) throws(NoSignInMethod) -> SignInMethod {
    let onHost = KnownService.on(host: place.server.host)
    let known = settings.value("provider").flatMap { KnownService.named($0) } ?? onHost
    let service = known ?? KnownService.calling(itself: headers)
    var found = try Endpoints(settings, at: place)
    if let service { found.take(service, at: place) }
    var metadata: ServerMetadata?
    if found.token == nil, let transport {
      metadata = try discover(place, over: transport)
      if let metadata { found.take(metadata) }
    } else if let service, service.provider == "gitea", found.device == nil, let transport {
      // Newer ones have a device endpoint.
      if let metadata = try? discover(place, over: transport) { found.device = metadata.deviceEndpoint }
    }
    guard let token = found.token else { throw service == nil ? .unknownPlace : .noClient(service) }
    let own = service?.settingsPrefix
    let configured =
      settings.value("oauthClientId", environment: "CLIENTID")
      ?? own.flatMap { settings.value($0 + "ClientId") }
    guard let clientID = options.clientID ?? configured ?? service?.builtInClient else {
      throw .noClient(service)
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
      settings.isSetForThePlace(
        "provider", "oauthClientId", "oauthTokenEndpoint", "oauthTokenURL")
      || own.map { settings.isSetForThePlace($0 + "ClientId") } ?? false
    let isClaimed = onHost == nil && !isNamed && options.clientID == nil
    var method = SignInMethod(client: client, service: service, isClaimed: isClaimed)
    if options.clientID == nil {
      method.path = settings.path(
        of: configured == nil ? ["provider"] : ["oauthClientId"] + (own.map { [$0 + "ClientId"] } ?? []))
    }
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

  /// Where a client's tokens can be revoked, if the server says so itself; `nil` if it doesn't, or if it isn't the
  /// server that gave them.
  package static func revocationEndpoint(
    of client: borrowing ClientRegistration, at place: SignInPlace, over transport: any Transport
  ) -> EndpointURL? {
    guard let metadata = try? discover(place, over: transport), metadata.tokenEndpoint == client.tokenEndpoint
    else {
      return nil
    }
    return metadata.revocationEndpoint
  }

  /// The endpoints that the server itself names.
  private static func discover(
    _ place: SignInPlace, over transport: any Transport
  ) throws(NoSignInMethod) -> ServerMetadata? {
    for url in ServerMetadata.places(of: place.server) {
      let reply: HTTPReply
      do throws(TransportFault) {
        reply = try transport.exchange(HTTPRequest(get: url))
      } catch {
        throw .fault(error == .cancelled ? .cancelled : .transport(error))
      }
      guard reply.status == 200 else { continue }
      do throws(ReplyFault) {
        return try ServerMetadata(reply, of: place.server)
      } catch .notUnderstood {
        // Many servers answer every address with a page.
        continue
      } catch {
        throw .fault(.reply(error))
      }
    }
    return nil
  }
}

/// Endpoints that are known so far.
private struct Endpoints {
  var authorize: EndpointURL?
  var token: EndpointURL?
  var device: EndpointURL?
  var revoke: EndpointURL?

  /// Those of the settings. Both programs take addresses and paths.
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

  mutating func take(_ service: KnownService, at place: SignInPlace) {
    // Those of one client: a configured token endpoint of another server gets no codes of this one.
    if token != nil { return }
    authorize = authorize ?? place.server.resolving(service.authorize)
    token = place.server.resolving(service.token)
    device = device ?? service.device.flatMap { place.server.resolving($0) }
    revoke = service.revoke.flatMap { place.server.resolving($0) }
  }

  mutating func take(_ metadata: ServerMetadata) {
    authorize = authorize ?? metadata.authorizationEndpoint
    token = token ?? metadata.tokenEndpoint
    device = device ?? metadata.deviceEndpoint
    revoke = revoke ?? metadata.revocationEndpoint
  }
}
