import Keychain
import SecretService

extension Provider {
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
