import ArgumentParser
import Interchange
import Keychain
import ToolCommands

/// What to do if the keychain already has the item with another secret.
enum ConflictPolicy: String, CaseIterable, ExpressibleByArgument {
  case ask
  case keep
  case replace
  /// Change nothing at all.
  case fail

  /// Decides which logins of a plan replace the keychain's items.
  ///
  /// - Parameters:
  ///   - policy: the user's choice; `nil` asks on a terminal, and fails without one.
  ///   - mayAsk: whether the user may be asked.
  /// - Throws: ``KeychainError`` if nobody can be asked, or the user cancels.
  static func replaced(
    in plan: TransferPlan, _ policy: ConflictPolicy?, mayAsk: Bool
  ) throws(KeychainError) -> Set<Int> {
    let conflicts = plan.conflicts
    if conflicts.isEmpty { return [] }
    switch policy {
    case .keep: return []
    case .replace: return Set(conflicts)
    case .fail: throw differs(conflicts, of: plan, status: .nothingMatched)
    case .ask, nil:
      guard let terminal = Terminal.ofPerson(mayAsk: mayAsk) else {
        throw differs(conflicts, of: plan, status: policy == nil ? .nothingMatched : .usage)
      }
      return try asking(terminal, conflicts, of: plan)
    }
  }

  /// Throws what an import without a rehearsal would throw before it asks anybody.
  ///
  /// - Parameters:
  ///   - policy: the user's choice; `nil` asks on a terminal, and fails without one.
  ///   - mayAsk: whether the user may be asked.
  static func refuseUndecided(
    in plan: TransferPlan, _ policy: ConflictPolicy?, mayAsk: Bool
  ) throws(KeychainError) {
    if plan.conflicts.isEmpty { return }
    if policy.asks, Terminal.ofPerson(mayAsk: mayAsk) != nil { return }
    _ = try replaced(in: plan, policy, mayAsk: false)
  }

  private static func differs(_ conflicts: [Int], of plan: TransferPlan, status: ExitStatus) -> KeychainError
  {
    let names = conflicts.prefix(3).map { plan.logins[$0].item.nameForSearch.description }
    let more = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
    let what = plan.comparesNotes ? "another secret or other notes" : "another secret"
    return .failure(
      "the keychain has \(what) for \(names.joined(separator: ", "))\(more); nothing was changed",
      hint: "say --on-conflict keep or --on-conflict replace", status: status)
  }

  private static func asking(
    _ terminal: borrowing Terminal, _ conflicts: [Int], of plan: TransferPlan
  ) throws(KeychainError) -> Set<Int> {
    var replaced: Set<Int> = []
    for (place, index) in conflicts.enumerated() {
      guard case .differs(let item) = plan.steps[index] else { continue }
      let changed = item.modificationDate.map { ", changed \(dateText($0))" } ?? ""
      var choice: Character?
      while choice == nil {
        choice = terminal.ask(
          "\(terminalText(item.key.name)): the keychain has another secret\(changed).\n"
            + "Replace it? (y)es, (n)o, (a)ll, n(o)ne, (q)uit ", among: ["y", "n", "a", "o", "q"])
        if choice == nil { terminal.show("That is none of them.\n") }
      }
      switch choice {
      case "y": replaced.insert(index)
      case "a": return replaced.union(conflicts[place...])
      case "o": return replaced
      case "q": throw .failure("nothing was changed", status: .nothingMatched)
      default: continue
      }
    }
    return replaced
  }
}

extension ConflictPolicy? {
  /// Whether it leaves a difference to a person.
  var asks: Bool { self == nil || self == .ask }
}
