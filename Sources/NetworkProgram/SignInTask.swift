import Bytes
import Glibc
import SignIn
import ToolCommands

struct SignInTask {
  /// By how many seconds a clock may be wrong without a warning.
  private static let clockTolerance = 120

  private let transport: WatchingTransport
  private let place: SignInPlace
  private let mayUseTerminal: Bool

  init(at place: SignInPlace, over transport: any Transport, mayUseTerminal: Bool) {
    self.place = place
    self.transport = WatchingTransport(transport)
    self.mayUseTerminal = mayUseTerminal
  }

  private var terminal: Terminal? { mayUseTerminal ? Terminal() : nil }

  func outcome(of work: consuming SignInWork) -> SignInOutcome {
    switch work.task {
    case .renew: renew(work)
    case .signIn: signIn(work)
    case .revoke: revoke(work)
    case .describe: describe(work)
    case .install: install(work)
    case .exchange: exchange(work)
    }
  }

  private func failed(_ text: SignInText.Text, pause: Int = 0) -> SignInOutcome {
    sayClockDifference()
    return .failed(message: text.message, hint: text.hint, pause: pause)
  }

  private func failed(
    _ fault: SignInFault, asking endpoint: EndpointURL, instead: String? = nil
  ) -> SignInOutcome {
    failed(SignInText.text(fault, from: endpoint, at: place, instead: instead), pause: fault.pause)
  }

  /// A wrong clock makes tokens seem to expire early or late, and the reason is hard to guess.
  private func sayClockDifference() {
    guard let difference = transport.clockDifference, abs(difference) > Self.clockTolerance else { return }
    let minutes = abs(difference) / 60
    StandardStreams.say(
      "the clock of this machine is \(minutes) minutes \(difference > 0 ? "behind" : "ahead of") that of \(place.server.host)"
    )
  }

  private func method(
    _ work: borrowing SignInWork, _ settings: [GitSetting] = GitConfigCommand.credentialSettings(),
    asking transport: (any Transport)?
  ) throws(NoSignInMethod) -> SignInMethod {
    try SignInMethod.find(
      for: place, CredentialSettings(for: place, settings, variable: Variables.value), work.options,
      headers: work.headers, over: transport)
  }

  // MARK: Renewing

  private func renew(_ work: borrowing SignInWork) -> SignInOutcome {
    // If another helper has signed in, the same settings tell where.
    guard let client = work.client.lend({ $0.copy() }) ?? (try? method(work, asking: nil).client.copy())
    else {
      return .unknownPlace
    }
    return work.refreshToken.lend { renew($0, client, account: work.account) } ?? .unknownPlace
  }

  private func renew(
    _ token: borrowing Secret, _ client: borrowing ClientRegistration, account: ByteString?
  ) -> SignInOutcome {
    let start = SystemClock.date / 1000
    do throws(SignInFault) {
      let tokens = try client.refresh(token, over: transport)
      return signedIn(tokens, client.copy(), account: account, from: start)
    } catch {
      if case .refused(let refusal) = error, refusal.kind == .invalidGrant { return .refreshRefused }
      return failed(error, asking: client.tokenEndpoint)
    }
  }

  private func signedIn(
    _ tokens: borrowing Tokens, _ client: consuming ClientRegistration, account: ByteString?,
    path: String? = nil, from start: Int
  ) -> SignInOutcome {
    sayClockDifference()
    let expiry = tokens.life.map { Int64(start) + $0 }
    let account = account ?? ByteString(client.userName)
    var signedIn = SignedIn(
      accessToken: tokens.accessToken.copy(), refreshToken: tokens.refreshToken.lend { $0.copy() },
      expiry: expiry, account: account, client: client)
    signedIn.path = path.map { ByteString($0) }
    return .tokens(signedIn)
  }

  /// The requested account, if the service's tokens depend on it: a name in git's question may be an organisation's,
  /// and some services want a fixed name with every token.
  private func account(_ work: borrowing SignInWork, _ method: borrowing SignInMethod) -> ByteString? {
    guard method.client.ignoresNamesInURLs else { return work.account }
    return work.onlyIfConfigured || method.service?.userName != nil ? nil : work.account
  }

  // MARK: Signing in

  private func signIn(_ work: borrowing SignInWork) -> SignInOutcome {
    let settings = GitConfigCommand.credentialSettings()
    var method: SignInMethod
    do throws(NoSignInMethod) {
      method = try self.method(work, settings, asking: work.onlyIfConfigured ? nil : transport)
    } catch {
      if let kept = kept(work, for: error) {
        method = kept
      } else if work.onlyIfConfigured, !error.isMistake {
        // Nobody asked to sign in.
        return .unknownPlace
      } else {
        return failed(SignInText.text(error, at: place, way: work.way))
      }
    }
    if let service = serviceWithoutSecret(method, work) {
      return failed(SignInText.noClientSecret(at: place, service))
    }
    if place.isOfMail {
      guard let person = work.account else { return failed(SignInText.nobodyNamed(at: place)) }
      method.loginHint = person
    }
    let said = CredentialSettings(for: place, settings, variable: Variables.value).forbidsQuestions
    if work.onlyIfConfigured, let said { return failed(SignInText.questionsForbidden(by: said, at: place)) }
    if work.onlyIfConfigured, method.isClaimed {
      guard wantsToSignIn(method.service) else { return .unknownPlace }
    }
    let isClaimed = method.isClaimed
    if method.isPlaceGuessed {
      // Now that somebody signs in, the server may be asked.
      if work.onlyIfConfigured, let found = try? self.method(work, settings, asking: transport) {
        method = found
      }
      if method.isPlaceGuessed, let service = method.service { SignInText.sayGuessed(service, at: place) }
    }
    // A yes to a server doesn't give it a secret that is meant for others.
    if work.onlyIfConfigured, isClaimed { method.client.clientSecret = nil }
    if !mayUseTerminal, usualWay(method) != .browser {
      return failed(SignInText.questionsForbidden(by: "GIT_TERMINAL_PROMPT", at: place))
    }
    do throws(TransportFault) {
      try transport.passProxy(to: method.client.tokenEndpoint)
    } catch {
      return failed(.transport(error), asking: method.client.tokenEndpoint)
    }
    let start = SystemClock.date / 1000
    let person = TerminalPerson(at: place)
    defer { person.finish() }
    do throws(SignInFault) {
      let tokens = try tokens(method, work.way, person)
      if let given = tokens.scope { sayReducedScope(asked: method.client.scope, given: given) }
      return signedIn(
        tokens, method.client.copy(), account: account(work, method), path: method.path, from: start)
    } catch {
      person.finish()
      return failed(
        error, asking: method.client.tokenEndpoint,
        instead: work.onlyIfConfigured ? nil : others(than: work.way, method.client))
    }
  }

  /// The service at this place if it is known to refuse a configured client for want of its secret.
  private func serviceWithoutSecret(
    _ method: borrowing SignInMethod, _ work: borrowing SignInWork
  ) -> KnownService? {
    guard work.options.clientID == nil, let service = method.service, KnownService.at(place) != nil,
      service.needsSecret, method.client.clientSecret == nil
    else { return nil }
    let way = work.way ?? usualWay(method)
    return way == .device && service.sparesSecretForCodes ? nil : service
  }

  /// The other ways available here, for a hint.
  private func others(than way: SignInMethod.Way?, _ client: borrowing ClientRegistration) -> String? {
    var ways: [SignInMethod.Way] = []
    let hasPage = client.authorizationEndpoint != nil
    if hasPage, client.responseMode != .fragment { ways.append(.browser) }
    if client.deviceEndpoint != nil { ways.append(.device) }
    if hasPage, terminal != nil { ways.append(.paste) }
    let others = ways.filter { $0 != way }.map { "--\($0.rawValue)" }
    return others.isEmpty ? nil : "use \(others.joined(separator: " or "))"
  }

  /// Whether a person who didn't ask for it wants to sign in to a server that only vouches for itself.
  private func wantsToSignIn(_ service: KnownService?) -> Bool {
    guard let terminal else { return false }
    let claim: TextForTerminal =
      if let service {
        "\(place.hostAndPort) says that it is \(service.name)."
      } else {
        "The settings for signing in are for every server, and so for \(place.hostAndPort)."
      }
    return terminal.confirms(claim + " Sign in there?")
  }

  /// The client of an earlier sign-in, if no setting names one.
  private func kept(_ work: borrowing SignInWork, for obstacle: NoSignInMethod) -> SignInMethod? {
    if work.options.clientID != nil { return nil }
    switch obstacle {
    case .noClient, .unknownPlace: break
    case .unusableSetting, .fault: return nil
    }
    return work.client.lend { client in
      var client = client.copy()
      client.scope = work.options.scope ?? client.scope
      return SignInMethod(client: client, service: nil)
    }
  }

  private func tokens(
    _ method: borrowing SignInMethod, _ way: SignInMethod.Way?, _ person: TerminalPerson
  ) throws(SignInFault) -> Tokens {
    let usual = usualWay(method)
    // Nobody would see the code or the address, so waiting is in vain.
    if way == nil, usual != .browser, terminal == nil { throw .noTerminal }
    switch way ?? usual {
    case .browser: return try byBrowser(method)
    case .paste: return try byPasting(method)
    case .device:
      do throws(SignInFault) {
        return try byDevice(method.client, person)
      } catch .refused(let refusal) where refusal.kind == .unsupported && way == nil {
        return try byPasting(method)
      }
    }
  }

  private func usualWay(_ method: borrowing SignInMethod) -> SignInMethod.Way {
    let hasBrowser =
      method.client.authorizationEndpoint != nil && method.client.responseMode != .fragment
      && method.ways.contains(.browser)
    if hasBrowser, BrowserProgram.isThere { return .browser }
    if method.client.deviceEndpoint != nil, method.ways.contains(.device) { return .device }
    return .paste
  }

  private func byDevice(
    _ client: borrowing ClientRegistration, _ person: TerminalPerson
  ) throws(SignInFault) -> Tokens {
    let flow = DeviceFlow(over: transport, with: person, clock: { SystemClock.awake })
    while true {
      do throws(SignInFault) {
        return try flow.run(client)
      } catch .tooLate {
        person.finish()
        guard let terminal,
          terminal.answer(to: "The code has expired. Press Enter for a new one. ") != nil
        else { throw .tooLate }
      }
    }
  }

  private func byBrowser(_ method: borrowing SignInMethod) throws(SignInFault) -> Tokens {
    guard let redirection = Redirection(method.client.redirectURI), method.client.authorizationEndpoint != nil
    else {
      throw .noFlow
    }
    let mode = method.client.responseMode
    if mode == .fragment {
      TerminalPerson.show(
        "A browser keeps the fragment to itself, in which \(place.hostAndPort) sends the code.\n")
      return try byPasting(method)
    }
    guard let listener = LoopbackListener(for: redirection, isForm: mode == .formPost) else {
      TerminalPerson.show(
        "Port \(redirection.port ?? 0) is in use, and \(place.hostAndPort) sends the browser only there.\n")
      return try byPasting(method)
    }
    let request = try AuthorizationRequest(
      method.client, port: listener.port, mode: mode, person: method.loginHint)
    return try listener.code(
      from: request.url, to: "sign in to \(place.hostAndPort)", backAt: request.path, then: .signedIn,
      check: { (text) throws(SignInFault) in try request.check(text) },
      use: { (code) throws(SignInFault) in
        try request.redeem(code, by: method.client, over: transport)
      })
  }

  private func byPasting(_ method: borrowing SignInMethod) throws(SignInFault) -> Tokens {
    // A form leaves nothing in the address to copy.
    let mode = method.client.responseMode == .fragment ? method.client.responseMode : .query
    let request = try AuthorizationRequest(
      method.client, port: nil, mode: mode, person: method.loginHint)
    guard let terminal else { throw .noTerminal }
    let advice = """
      In the end, the browser shows a page that it can't reach. Copy the whole address of that page, and paste it \
      here; it isn't shown.
      """
    terminal.show(
      """
      To sign in to \(place.hostAndPort), open this page in a browser on any machine:

          \(request.url)

      \(paragraph(advice, wrappedTo: min(TerminalStyle().width ?? 80, 80)))
      """)
    for _ in 0..<3 {
      guard case .line(let line) = terminal.askForSecret("Address: ") else { throw .cancelled }
      let returned = try line.withUnsafeBytes { (text) throws(SignInFault) -> AuthorizationRequest.Return in
        let fragment = text.firstIndex(of: UInt8(ascii: "#"), from: 0) ?? text.count
        if mode == .fragment {
          return try request.check(
            text.part(min(fragment + 1, text.count), max(0, text.count - fragment - 1)))
        }
        guard let mark = text.firstIndex(of: UInt8(ascii: "?"), from: 0), mark < fragment else {
          return .foreign
        }
        return try request.check(text.part(mark + 1, fragment - mark - 1))
      }
      switch consume returned {
      case .foreign:
        terminal.show(
          "That isn't the address. It begins with \(method.client.redirectURI), and has a code in it.\n")
      case .refusal(let refusal): throw .refused(refusal)
      case .code(let code): return try request.redeem(code, by: method.client, over: transport)
      }
    }
    throw .cancelled
  }

  /// Says which scopes are missing, because later failures won't.
  private func sayReducedScope(asked: String, given: String) {
    let given = Set(given.split { $0 == " " || $0 == "," })
    let missing = asked.split(separator: " ").filter { !given.contains($0) && $0 != "offline_access" }
    if missing.isEmpty || given.isEmpty { return }
    StandardStreams.say(
      "\(place.hostAndPort) gave less than was asked for: without \(missing.joined(separator: ", "))")
  }

  // MARK: The rest

  private func revoke(_ work: borrowing SignInWork) -> SignInOutcome {
    guard var client = work.client.lend({ $0.copy() }) else { return .unknownPlace }
    client.revocationEndpoint =
      client.revocationEndpoint ?? SignInMethod.revocationEndpoint(of: client, at: place, over: transport)
    guard let endpoint = client.revocationEndpoint else { return .unknownPlace }
    do throws(SignInFault) {
      // The refresh token first: with it, its access tokens end too (RFC 7009 section 2.1).
      try work.refreshToken.lend { (token) throws(SignInFault) in
        try client.revoke(token, isRefreshToken: true, over: transport)
      }
      try work.accessToken.lend { (token) throws(SignInFault) in
        try client.revoke(token, isRefreshToken: false, over: transport)
      }
      return .done
    } catch {
      return failed(error, asking: endpoint)
    }
  }

  /// How many seconds before its end a minted token is replaced (of an hour).
  private static let mintedMargin: Int64 = 240

  private func install(_ work: borrowing SignInWork) -> SignInOutcome {
    work.app.lend(install) ?? .unknownPlace
  }

  private func install(_ app: borrowing GitHubApp) -> SignInOutcome {
    do throws(GitHubAppFault) {
      let minted = try app.token(
        for: place, at: SystemClock.date / 1000, signing: RSASigner(), over: transport)
      sayClockDifference()
      // A keychain renews a minute before the end; this adds up to five.
      return .minted(
        MintedToken(token: minted.token.copy(), expiry: minted.expiry.map { $0 - Self.mintedMargin }))
    } catch {
      return failed(SignInText.text(error, at: place))
    }
  }

  private func exchange(_ work: borrowing SignInWork) -> SignInOutcome {
    work.exchange.lend { exchange in work.subjectToken.lend { self.exchange(exchange, $0) } ?? .unknownPlace }
      ?? .unknownPlace
  }

  private func exchange(_ exchange: borrowing TokenExchange, _ subject: borrowing Secret) -> SignInOutcome {
    do throws(SignInFault) {
      let minted = try exchange.token(for: subject, at: SystemClock.date / 1000, over: transport)
      sayClockDifference()
      return .minted(minted)
    } catch {
      return failed(error, asking: exchange.tokenEndpoint)
    }
  }

  private func describe(_ work: borrowing SignInWork) -> SignInOutcome {
    let settings = GitConfigCommand.credentialSettings()
    do throws(NoSignInMethod) {
      return described(try method(work, settings, asking: nil), work, settings)
    } catch {
      return kept(work, for: error).lend { described($0, work, settings) } ?? .unknownPlace
    }
  }

  private func described(
    _ method: borrowing SignInMethod, _ work: borrowing SignInWork, _ settings: [GitSetting]
  ) -> SignInOutcome {
    var description = SignInDescription(usualWay(method), at: method.client.tokenEndpoint.hostAndPort)
    description.service = method.service?.name
    description.account = account(work, method) ?? ByteString(method.client.userName)
    description.path = method.path.map { ByteString($0) }
    description.setting = method.clientSetting
    description.forbidden =
      CredentialSettings(for: place, settings, variable: Variables.value).forbidsQuestions
    return .described(description)
  }
}

/// Notes the servers' time.
private final class WatchingTransport: Transport {
  private let transport: any Transport
  private(set) var clockDifference: Int?

  init(_ transport: any Transport) {
    self.transport = transport
  }

  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    let reply = try transport.exchange(request)
    clockDifference = reply.clockDifference ?? clockDifference
    return reply
  }

  func passProxy(to url: EndpointURL) throws(TransportFault) { try transport.passProxy(to: url) }
}
