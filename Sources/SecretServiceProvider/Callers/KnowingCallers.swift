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

  func log(_ call: MethodCall) {
    guard let log = settings.log, let action = ServedAccess.action(of: call) else { return }
    let date = Timestamp.now
    let caller = callers[call.sender]
    if case .item(let item) = object(at: call.path, for: call.sender) { call.concerns = [item] }
    call.onEnd = { [unowned call] in log(ServedAccess(action, by: caller, at: date, call.concerns, $0)) }
  }

  /// llavero's own methods, which report the callers.
  func answerOwn(_ call: MethodCall) throws(ServiceError) {
    guard call.member == "GetCallers" else { throw .unknownMethod }
    try call.arguments()
    let now = callers.known.values.filter { $0.connection != call.sender }.sorted { $0.since < $1.since }
    let rows = (callers.former + now).map { caller in
      Argument.tuple([
        Argument.text(caller.program ?? ""), Argument.number(caller.process ?? 0),
        Argument.bool(callers[caller.connection] != nil), Argument.time(UInt64(max(0, caller.since.seconds))),
        Argument.number(UInt32(clamping: caller.calls)),
      ])
    }
    call.answer([Argument.array(of: "(subtu)", rows)])
  }
}
