import Keychain
import SecretService
import ToolCommands

extension Provider {
  /// Handles a call; once its caller is known, if anything depends on that.
  func receive(_ call: MethodCall) {
    noteCall()
    let (isNew, waits) = callers.take(call, mustKnow: settings.log != nil || settings.asking != nil)
    if isNew {
      connection.findProcess(of: call.sender) { [self] process in
        for call in callers.note(call.sender, process: process) { handle(call) }
      }
    }
    if !waits { handle(call) }
  }

  /// Handles a call: now, or after the keychain's thread or a person is done.
  func handle(_ call: MethodCall) {
    update()
    // It was just unlocked, and its items are about to be known.
    if isLoading, isLocked { return whenLoaded.append { [self] in handle(call) } }
    let answer = { [self] in answerNow(call) }
    if let freshness = settings.freshness {
      whenFresh(freshness, for: call, answer)
    } else {
      whenFileLooked(for: call, answer)
    }
  }

  private func answerNow(_ call: MethodCall) {
    log(call)
    call.answering { () throws(ServiceError) in try answer(call) }
  }

  private func log(_ call: MethodCall) {
    guard let log = settings.log, let action = BusCall.all[call.member]?.action else { return }
    let date = Timestamp.now
    let caller = callers[call.sender]
    if case .item(let item) = object(at: call.path, for: call.sender) { call.concerns = [item] }
    call.onEnd = { [unowned call] in log(ServedAccess(action, by: caller, at: date, call.concerns, $0)) }
  }

  private func answer(_ call: MethodCall) throws(ServiceError) {
    if call.interface == Interface.introspectable || call.interface == nil && call.member == "Introspect" {
      return try introspect(call)
    }
    guard let object = object(at: call.path, for: call.sender) else { throw .unknownObject }
    if call.interface == Interface.properties { return try answerProperties(call, of: object) }
    if case .service = object, call.interface == Interface.keyring { return try answerKeyring(call) }
    if case .service = object, call.interface == Interface.own { return try answerOwn(call) }
    if let interface = call.interface, interface != object.interface { throw .unknownInterface }
    switch object {
    case .service: try answerService(call)
    case .folder: throw .unknownMethod
    case .collection(let collection):
      let goes = call.member == "Delete" ? items(in: collection.name) : []
      try whenAllowed(goes, call) { [self] () throws(ServiceError) in try answer(call, of: collection) }
    case .item(let item):
      try whenAllowed([item], call) { [self] () throws(ServiceError) in try answer(call, of: item) }
    case .hidden:
      if InterfaceDescription.arguments(of: call.member, in: Interface.item) == nil { throw .unknownMethod }
      try requireUnlocked()
      throw .unknownObject
    case .session(let session): try answer(call, of: session)
    case .prompt(let prompt): try answer(call, of: prompt)
    case .portal: try answerPortal(call)
    case .portalRequest(let request): try answer(call, of: request)
    }
  }
}
