import Bytes
import Keychain
import KeychainChoice
import ToolCommands

struct KeychainStatus {
  private let choice: KeychainChoice
  private let own: KindStatus
  private let others: [String]

  /// - Throws: ``KeychainError`` if the keychain is broken. A locked one is not an error.
  init(of keychain: OpenKeychain) throws(KeychainError) {
    choice = keychain.choice
    others = keychain.list.map { $0.names.filter { $0 != keychain.choice.name } } ?? []
    own = try choice.kind.managed.status(of: keychain)
  }

  /// - Parameter surroundings: further facts to report.
  func text(_ surroundings: Surroundings? = nil) -> TextForTerminal {
    let list =
      others.isEmpty ? [] : [["others", "\(others.joined(separator: ", ")); see 'llavero keychain list'"]]
    return columns(
      withTilde(own.rows + list) + (own.expiring?.summary(at: .now) ?? [])
        + withTilde(surroundings?.rows ?? []),
      wrappedTo: TerminalStyle().width)
  }

  func report(_ surroundings: Surroundings? = nil) -> JSONObject {
    let remembered: Timestamp? = if case .remembered(let date) = choice.reason { date } else { nil }
    let chosen: JSONObject = [
      "keychain": choice.name, "kind": choice.name == choice.kind.rawValue ? nil : choice.kind.rawValue,
      "reason": choice.reasonName, "remembered": remembered,
    ]
    return chosen + own.report + (own.sharing?.report ?? [:])
      + ["others": others.ifAny, "expiring": own.expiring?.report] + (surroundings?.report ?? [:])
  }
}
