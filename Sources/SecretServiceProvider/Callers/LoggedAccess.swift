import Keychain
import ToolCommands

extension ServedAccess {
  /// How many items are logged by name.
  private static let limit = 16

  /// An access by a call that has ended.
  init(
    _ action: String, by caller: BusCaller?, at date: Timestamp, _ items: [ServedItem], _ error: ServiceError?
  ) {
    self.init(
      date: date, program: caller?.program, process: caller?.process, action: action,
      items: Array(items.compactMap(\.item).prefix(Self.limit)), count: items.count,
      outcome: Self.outcome(error, foundNothing: action == "search" && items.isEmpty))
  }

  private static func outcome(_ error: ServiceError?, foundNothing: Bool) -> String {
    switch error {
    case nil: foundNothing ? "nothing" : "answered"
    case .isLocked, .lockedElsewhere, .wrongPassphrase: "locked"
    case .accessDenied, .refusedElsewhere: "refused"
    case .noSuchObject, .unknownObject: "nothing"
    default: "failed"
    }
  }
}
