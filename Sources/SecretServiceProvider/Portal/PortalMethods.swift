import Bytes
import CSecret
import Keychain
import SecretService

extension Provider {
  /// The size in bytes of a sandboxed program's secret, with which it encrypts its data.
  private static let portalSecretSize = 64
  /// The longest identifier of a program, in bytes: that of a name on the bus.
  private static let programLimit = 255

  /// The methods by which the portal gets the secrets of sandboxed programs (xdg-desktop-portal,
  /// "org.freedesktop.impl.portal.Secret").
  func answerPortal(_ call: MethodCall) throws(ServiceError) {
    guard call.member == "RetrieveSecret" else { throw .unknownMethod }
    let arguments = try call.arguments()
    let path = arguments[0].text
    guard path.hasPrefix(ObjectPath.portalRequests + "/") else {
      throw .invalidArguments("a request's path is needed")
    }
    let program = ByteString(arguments[1].text)
    if program.bytes.count > Self.programLimit { throw .invalidArguments("the program's name is too long") }
    let request = PortalRequest(path, call, of: program, to: try call.descriptor(arguments[2]))
    if case .unusable = state { try requireUnlocked() }
    try portalRequests.add(request)
    do throws(ServiceError) {
      if isLocked(CollectionName.login) { try unlock(for: request) } else { try begin(request) }
    } catch {
      portalRequests.remove(request)
      throw error
    }
  }

  /// The methods of a request that waits.
  func answer(_ call: MethodCall, of request: PortalRequest) throws(ServiceError) {
    guard call.member == "Close" else { throw .unknownMethod }
    try call.arguments()
    guard call.sender == request.call.sender else {
      throw .accessDenied("this request belongs to another program")
    }
    call.answer()
    withdrawQuestions(for: request)
    if let prompt = request.prompt { dismiss(prompt) } else { finish(request, .cancelled) }
  }

  private func unlock(for request: PortalRequest) throws(ServiceError) {
    let login = ObjectPath.collection(CollectionName.login)
    let prompt = try prompts.add(for: request.call.sender, of: [login]) { [self] isDismissed in
      request.prompt = nil
      if isDismissed { finish(request, .cancelled) } else { beginAgain(request) }
    }
    request.prompt = prompt
    show(prompt)
  }

  private func known(_ request: PortalRequest) -> ServedItem? {
    holdings.replaced(by: Self.attributes(of: request), in: CollectionName.login)
  }

  /// The attribute that gnome-keyring uses, so that its secrets can be taken over.
  private static func attributes(of request: PortalRequest) -> LookupAttributes {
    var attributes = LookupAttributes()
    attributes["app_id"] = request.program
    return attributes
  }

  /// Provides the secret, unless it is another program's: the caller need not be the portal.
  private func begin(_ request: PortalRequest) throws(ServiceError) {
    let items = known(request).map { [$0] } ?? []
    try whenAllowed(items, request.call, for: request) { [self] () throws(ServiceError) in
      try provide(request)
    } refuse: { [self] in
      refuse(request, $0)
    }
  }

  private func beginAgain(_ request: PortalRequest) {
    do throws(ServiceError) { try begin(request) } catch { refuse(request, error) }
  }

  /// Writes the program's secret, making it at the first request.
  private func provide(_ request: PortalRequest) throws(ServiceError) {
    let attributes = Self.attributes(of: request)
    let label =
      request.program.isEmpty
      ? "Key of programs outside a sandbox" : "Key of the sandboxed program \(request.program)"
    let shown = ItemTranslation.Shown(
      attributes: attributes, label: label, contentType: "application/octet-stream")
    try change(request.call) { [self] () throws(ServiceError) in
      try requireUnlocked(CollectionName.login)
      let served = known(request)
      if let served, isAllowed(served, request.call.sender) != true {
        throw .accessDenied("nobody has allowed this program to use it")
      }
      let (known, isExact, isListed) = (served?.item, isExact, settings.freshness != nil)
      return { (keychain) throws(KeychainError) in
        if let known {
          do throws(KeychainError) {
            let body = ItemTranslation.bodyForPrograms(of: known, try keychain.credential(of: known))
            if isExact, try ClientChanges.unchanged([known], isListed: isListed, in: keychain) == [false] {
              throw .itemNotFound
            }
            return (known, SharedSecret(body), false)
          } catch .itemNotFound where !isExact {}
        }
        let body = SharedSecret(Self.randomSecret())
        let made = try ClientChanges.store(
          shown, body, in: nil, replacing: nil, mayReplaceLogin: false, in: keychain)
        return (made, body, true)
      }
    } finish: { [self] (result: (item: Item, body: SharedSecret, isNew: Bool)) in
      let path = took(result.item)
      if let served = holdings.items[path] {
        request.call.concerns = [served]
        if result.isNew { permitOwn(served, request.call.sender) }
      }
      // It may have been closed, and answered, meanwhile.
      guard portalRequests[request.path] === request else { return }
      // The other end decides how long writing takes.
      portalThread.run { [descriptor = request.descriptor, self] in
        let isWritten = descriptor.write(result.body.secret)
        MainLoop.post { [self] in finish(request, isWritten ? .done : .other) }
      }
    } refuse: { [self] in
      refuse(request, $0)
    } again: { [self] in
      beginAgain(request)
    }
  }

  private func finish(_ request: PortalRequest, _ response: PortalRequest.Response) {
    guard portalRequests.remove(request) else { return }
    request.call.answer([Argument.number(response.rawValue), Argument.properties([])])
  }

  private func refuse(_ request: PortalRequest, _ error: ServiceError) {
    if portalRequests.remove(request) { request.call.refuse(error) }
  }

  private static func randomSecret() -> Secret {
    var secret = Secret(capacity: portalSecretSize)
    for _ in 0..<portalSecretSize { secret.append(UInt8.random(in: 0...255)) }
    return secret
  }
}
